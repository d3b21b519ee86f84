package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// checkFolder makes sure, before any work, that folders of partitions can be made below the path of the output, and
// that none of the files that are read is there.
func (t *Target) checkFolder(files []string) error {
	if t.Path == tablefile.Pipe {
		return fmt.Errorf("%w: PartitionBy writes folders, which cannot go to standard output", errkind.ErrFileOption)
	}
	info, err := os.Stat(t.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(t.Path); err == nil {
			return fmt.Errorf("%s: a link to a folder that is not there", t.Path)
		}
		return tablefile.CheckTarget(filepath.Clean(t.Path))
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%w: %s is no folder, and partitions are folders in a folder: name another output",
			errkind.ErrFileOption, t.Path)
	}
	if err := tablefile.CheckTarget(filepath.Join(t.Path, "part-00001")); err != nil {
		return err
	}
	for _, file := range files {
		if isBelow(file, t.Path) {
			return fmt.Errorf("%w: the input %s is in the folder of the output: write to another folder",
				errkind.ErrFileOption, file)
		}
	}
	entries, err := visible(t.Path)
	if err == nil && len(entries) > 0 && !t.Overwrite {
		err = fmt.Errorf("%w: %s is not empty, it has %s: write partitions to a folder that is empty or not there, or "+
			"with Overwrite in place of the same partitions in it", errkind.ErrFileOption, t.Path, entries[0].Name())
	}
	return err
}

// isBelow reports whether a file is in a folder, or in one below it.
func isBelow(file, folder string) bool {
	real := func(path string) string {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		return path
	}
	return strings.HasPrefix(real(file), real(folder)+string(filepath.Separator))
}

// CheckPartitions makes sure that an output folder has nothing but partitions by the same columns, where they may be
// replaced: readers would take those by other columns for part of the same data.
func (t *Target) CheckPartitions(p *Partitions) error {
	if !t.Overwrite {
		return nil
	}
	err := checkLevel(t.Path, p.names)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// checkLevel makes sure that a folder has folders of partitions by some columns, or files where there are none.
func checkLevel(folder string, names []string) error {
	entries, err := visible(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case len(names) == 0 && e.IsDir():
			return fmt.Errorf("%w: %s is a folder in a partition, which would be replaced: write to another folder",
				errkind.ErrFileOption, path)
		case len(names) == 0:
		case !e.IsDir() || !strings.HasPrefix(e.Name(), escapePath(names[0])+"="):
			return fmt.Errorf("%w: %s is no partition by column %q: write to another folder",
				errkind.ErrFileOption, path, names[0])
		default:
			if err := checkLevel(path, names[1:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// visible lists what readers of a folder see: names that begin with a dot or an underscore are hidden from them.
func visible(folder string) (entries []fs.DirEntry, err error) {
	all, err := os.ReadDir(folder)
	for _, e := range all {
		if !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(e.Name(), "_") {
			entries = append(entries, e)
		}
	}
	return entries, err
}
