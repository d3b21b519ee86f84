package parquetsort

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// checkOverlap refuses an output that a folder or a pattern stands for beside other inputs: it is what an earlier sort
// left, and its rows would come twice. An output that is given as an input by its name may replace it.
func checkOverlap(paths, files []string, output string, split bool) error {
	if len(files) < 2 {
		return nil
	}
	named := make(map[string]bool)
	for _, p := range paths {
		named[p] = true
	}
	for _, file := range files {
		if !named[file] && isOutput(file, output, split) {
			return fmt.Errorf("%w: %s is an output that is among the inputs, where its rows would come a second time; remove it, or write to another folder", ErrOption, file)
		}
	}
	return nil
}

// isOutput says whether a file is the output, or looks like one of several.
func isOutput(file, output string, split bool) bool {
	if !split {
		a, err := os.Stat(file)
		b, missing := os.Stat(output)
		return err == nil && missing == nil && os.SameFile(a, b)
	}
	ext := filepath.Ext(output)
	numbered := regexp.MustCompile("^" + regexp.QuoteMeta(strings.TrimSuffix(filepath.Base(output), ext)) + `-\d{5,}` + regexp.QuoteMeta(ext) + "$")
	if !numbered.MatchString(filepath.Base(file)) {
		return false
	}
	a, err := os.Stat(filepath.Dir(file))
	b, missing := os.Stat(filepath.Dir(output))
	return err == nil && missing == nil && os.SameFile(a, b)
}
