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
	if _, err := os.Lstat(filepath.Join(t.Path, deltaLog)); err == nil {
		return fmt.Errorf("%w: %s has a %s: files are added to such a table by its log alone; write to another "+
			"folder, and add its files with the table's own tool", errkind.ErrFileOption, t.Path, deltaLog)
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

// deltaLog is the folder of a Delta table that names its files. Readers do not see others.
const deltaLog = "_delta_log"

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

// checkLevel makes sure that a folder has folders of partitions by some columns, or files of rows where there are none.
func checkLevel(folder string, names []string) error {
	if len(names) == 0 {
		return checkReplaced(folder)
	}
	entries, err := visible(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if !e.IsDir() || !strings.HasPrefix(e.Name(), escapePath(names[0])+"=") {
			return fmt.Errorf("%w: %s is no partition by column %q: write to another folder",
				errkind.ErrFileOption, path, names[0])
		}
		if err := checkLevel(path, names[1:]); err != nil {
			return err
		}
	}
	return nil
}

// checkReplaced makes sure that a partition, which may be replaced, has nothing but files of rows, also of what readers
// do not see.
func checkReplaced(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path, what := filepath.Join(folder, e.Name()), ""
		switch _, unknown := tablefile.Auto.Resolve(e.Name()); {
		case e.IsDir():
			what = "a folder"
		case unknown != nil || isHidden(e.Name()):
			what = "no file of rows"
		default:
			continue
		}
		return fmt.Errorf("%w: %s is %s in a partition, which would be replaced: move it, or write to another folder",
			errkind.ErrFileOption, path, what)
	}
	return nil
}

// visible lists what readers of a folder see: names that begin with a dot or an underscore are hidden from them.
func visible(folder string) (entries []fs.DirEntry, err error) {
	all, err := os.ReadDir(folder)
	for _, e := range all {
		if !isHidden(e.Name()) {
			entries = append(entries, e)
		}
	}
	return entries, err
}

// isHidden reports whether readers of a folder leave out a name in it.
func isHidden(name string) bool { return name != "" && (name[0] == '.' || name[0] == '_') }
