package parquetsort

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// checkOverlap refuses an output that a folder or a pattern lists among other inputs: an earlier sort left it, and its
// rows would come twice. An output that is given as an input by its name may replace it, but not one of several.
func checkOverlap(paths, files []string, output string, split bool) error {
	if len(files) < 2 && !split {
		return nil
	}
	named := make(map[string]bool)
	for _, p := range paths {
		named[p] = true
	}
	for _, file := range files {
		if (split || !named[file]) && isOutput(file, output, split) {
			return fmt.Errorf("%w: %s is an output that is among the inputs, where its rows would come a second time; "+
				"remove it, or write to another folder", errOption, file)
		}
	}
	return nil
}

// isOutput reports whether a file is the output, or has a name of one of several.
func isOutput(file, output string, split bool) bool {
	if split {
		return isNumbered(file, output) && isSameFile(filepath.Dir(file), filepath.Dir(output))
	}
	return isSameFile(file, output)
}

func isSameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, missing := os.Stat(b)
	return err == nil && missing == nil && os.SameFile(x, y)
}

// isNumbered reports whether a file has the name of one of several outputs, in whatever folder.
func isNumbered(file, output string) bool { return numberOf(file, output) > 0 }

// numberOf is the number in the name of one of several outputs, in whatever folder; 0 for any other name.
func numberOf(file, output string) int {
	ext := filepath.Ext(output)
	name, output := filepath.Base(file), filepath.Base(output)
	number, isOne := strings.CutPrefix(strings.TrimSuffix(name, ext), strings.TrimSuffix(output, ext)+"-")
	n, err := strconv.Atoi(number)
	if !isOne || err != nil || n < 1 || name != numbered(output, n) {
		return 0
	}
	return n
}
