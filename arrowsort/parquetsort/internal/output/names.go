// Package output has the names of the output files of a sort, and the dictionaries of their columns.
package output

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// checkOverlap refuses an output that a folder or a pattern lists among other inputs: an earlier sort left it, and its
// rows would come twice. An input given by its name may be replaced by the output, but not by one of several.
func (t *Target) checkOverlap(paths, files []string, place string) error {
	if len(files) < 2 && !t.Split {
		return nil
	}
	named := make(map[string]bool)
	for _, p := range paths {
		named[p] = true
	}
	for _, file := range files {
		if (t.Split || !named[file]) && t.isOutput(file) {
			return fmt.Errorf("%w: %s is an output that is among the inputs, where its rows would come a second time; "+
				"write to another %s, or remove the file if an earlier sort has left it", errkind.ErrFileOption, file,
				place)
		}
	}
	return nil
}

// isOutput reports whether a file is the output, or named as one of several.
func (t *Target) isOutput(file string) bool {
	isSame := atomicfile.IsSame
	if t.isElsewhere() {
		isSame = func(a, b string) bool { return a == b }
	}
	if t.Split {
		return isNumbered(file, t.Path) && isSame(filepath.Dir(file), filepath.Dir(t.Path))
	}
	return isSame(file, t.Path)
}

// isNumbered reports whether a file has the name of one of several outputs, in whatever folder.
func isNumbered(file, output string) bool { return numberOf(file, output) > 0 }

// numberOf returns the number in the name of one of several outputs, in whatever folder; 0 for any other name.
func numberOf(file, output string) int {
	ext := filepath.Ext(output)
	name, output := filepath.Base(file), filepath.Base(output)
	number, isOne := strings.CutPrefix(strings.TrimSuffix(name, ext), strings.TrimSuffix(output, ext)+"-")
	n, err := strconv.Atoi(number)
	if !isOne || err != nil || n < 1 || name != Numbered(output, n) {
		return 0
	}
	return n
}

// Numbered returns the name of one of several outputs: out.parquet becomes out-00001.parquet.
func Numbered(path string, number int) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%05d%s", strings.TrimSuffix(path, ext), number, ext)
}

// checkOlder makes sure that all files named as one of several outputs, which a sort replaces or removes, are of an
// earlier one.
func checkOlder(output string) error {
	older, err := numberedOutputs(output)
	if err != nil {
		return nil // CheckTarget has the error
	}
	for _, path := range older {
		if err := tablefile.CheckOwnOutput(path); err != nil {
			return err
		}
	}
	return nil
}

// numberedOutputs lists the files with the names of several outputs, in the order of their numbers.
func numberedOutputs(output string) (paths []string, err error) {
	folder := filepath.Dir(output)
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if isNumbered(e.Name(), output) {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return numberOf(a, output) - numberOf(b, output) })
	return paths, err
}
