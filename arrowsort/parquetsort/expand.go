package parquetsort

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// Expand lists the files that some paths mean: a file is itself, a pattern with *, ? or [ the files that match it in
// the order of their names, without hidden ones as in a shell, a folder the Parquet and Arrow files right in it. A
// pattern or folder without files is an error.
func Expand(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		found, err := expand(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

func expand(path string) ([]string, error) {
	if info, err := os.Stat(path); err == nil && path != tablefile.Pipe {
		if !info.IsDir() {
			return []string{path}, nil
		}
		return filesIn(path)
	}
	if !strings.ContainsAny(path, "*?[") {
		return []string{path}, nil // opening it returns what is wrong
	}
	files, err := filepath.Glob(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		info, err := os.Stat(f)
		return err == nil && info.IsDir() || isHidden(f) && !isHidden(path) // as in a shell
	})
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no file matches", path)
	}
	return files, nil
}

func isHidden(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }

// filesIn lists the files of a folder that can be sorted, but for hidden ones and those that begin with an underscore,
// which tools keep for themselves.
func filesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []string
	csv := ""
	for _, e := range entries {
		format, err := tablefile.Auto.Resolve(e.Name())
		switch {
		case err != nil || e.IsDir() || isHidden(e.Name()) || strings.HasPrefix(e.Name(), "_"):
		case format == tablefile.CSV:
			csv = filepath.Ext(e.Name())
		default:
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	switch {
	case len(files) > 0:
	case csv != "":
		return nil, fmt.Errorf("%s: a folder stands for the Parquet and Arrow files in it, and there is only CSV; "+
			"give '%s'", folder, filepath.Join(folder, "*"+csv))
	default:
		return nil, fmt.Errorf("%s: there is no Parquet or Arrow file in the folder", folder)
	}
	return files, nil
}
