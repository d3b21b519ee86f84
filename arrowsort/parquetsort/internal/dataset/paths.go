// Package dataset has the files that a sort reads as if they were one: their paths and their common schema. Its words
// are those of Arrow's Dataset API.
package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A lister lists the files that paths mean.
type lister struct {
	files   []string
	skipped []string // lines about what is not among them
}

// List lists the files that paths mean, and describes what it skips, a line for each kind. Addresses are those of the
// store.
func List(paths []string, store *tablefile.Elsewhere) (files, skipped []string, err error) {
	var l lister
	for _, path := range paths {
		if store.Holds(path) {
			if err := l.addresses(path, store); err != nil {
				return nil, nil, err
			}
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err == nil && path != tablefile.Pipe && info.IsDir():
			err = l.folder(path)
		case (err != nil || path == tablefile.Pipe) && strings.ContainsAny(path, wildcards):
			err = l.pattern(path)
		default: // opening it returns what is wrong
			l.files, err = append(l.files, path), nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return l.files, l.skipped, nil
}

// skip notes what is not read of a path.
func (l *lister) skip(path, one, several string, names []string, remedy string) {
	const most = 3
	if len(names) == 0 {
		return
	}
	kind := one + " is"
	if len(names) > 1 {
		kind = several + " are"
	}
	text := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		text += ", ..."
	}
	l.skipped = append(l.skipped, fmt.Sprintf("%s: %d %s not read: %s%s", path, len(names), kind, text, remedy))
}

// folder lists the files of a folder that can be sorted, but for hidden ones and those that begin with an underscore,
// which tools keep for themselves.
func (l *lister) folder(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var files, subfolders, csv, others []string
	for _, e := range entries {
		name := e.Name()
		format, err := tablefile.Auto.Resolve(name)
		switch {
		case isHidden(name) || strings.HasPrefix(name, "_"):
		case isFolder(e, filepath.Join(folder, name)):
			subfolders = append(subfolders, name)
		case err != nil:
			others = append(others, name)
		case format == tablefile.CSV:
			csv = append(csv, name)
		default:
			files = append(files, filepath.Join(folder, name))
		}
	}
	all, below := "", filepath.Join(folder, "**", "*.parquet")
	if len(csv) > 0 {
		all = filepath.Join(folder, "*"+filepath.Ext(csv[0]))
	}
	switch {
	case len(files) > 0:
	case len(csv) > 0:
		return fmt.Errorf("%s: a folder stands for the Parquet and Arrow files in it, and there is only CSV; give '%s'",
			folder, all)
	case len(subfolders) > 0:
		return fmt.Errorf("%s: there is no Parquet or Arrow file in the folder; its subfolders are read by '%s'",
			folder, below)
	default:
		return fmt.Errorf("%s: there is no Parquet or Arrow file in the folder", folder)
	}
	l.files = append(l.files, files...)
	l.skip(folder, "subfolder", "subfolders", subfolders, "; give '"+below+"' for what is in them")
	l.skip(folder, "CSV file", "CSV files", csv, "; CSV is sorted with other CSV only, by '"+all+"'")
	l.skip(folder, "other file", "other files", others, "")
	return nil
}

// wildcards are the characters that make a path a pattern.
const wildcards = "*?["

// anyFolders is the part of a pattern that stands for any number of folders.
const anyFolders = "**"

// pattern lists the files that match a pattern.
func (l *lister) pattern(path string) error {
	if os.IsPathSeparator(path[len(path)-1]) {
		return fmt.Errorf("%s: a pattern that ends in a slash matches folders; give '%s' for files in them", path,
			path+"*.parquet")
	}
	at := strings.LastIndexFunc(path[:strings.IndexAny(path, wildcards)], isSeparator) + 1
	folder, parts := filepath.Clean(path[:at]), strings.FieldsFunc(path[at:], isSeparator)
	for _, part := range parts {
		if _, err := filepath.Match(part, ""); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if strings.Contains(part, anyFolders) && part != anyFolders {
			return fmt.Errorf("%s: ** stands for folders and has to be between slashes, as in '%s'", path,
				filepath.Join(folder, anyFolders, "*.parquet"))
		}
	}
	m := matches{}
	if err := m.add(folder, parts); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(m.files) == 0 {
		return fmt.Errorf("%s: no file matches", path)
	}
	l.files = append(l.files, inOrder(m.files)...)
	l.skip(path, "folder", "folders", inOrder(m.folders), "")
	l.skip(path, "link to a folder", "links to folders", inOrder(m.links), "; ** follows no links")
	return nil
}

// inOrder sorts paths by the names in them. A path may match in several ways where there are several **.
func inOrder(paths []string) []string { return sortedByNames(paths, string(filepath.Separator)) }

func sortedByNames(paths []string, separator string) []string {
	key := func(path string) string { return strings.ReplaceAll(path, separator, "\x00") }
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(key(a), key(b)) })
	return slices.Compact(paths)
}

// matches are what matches a pattern.
type matches struct {
	files   []string
	folders []string // that match all of the pattern
	links   []string // to folders, where ** would lead
}

// add adds what is in a folder and matches the parts of a pattern. A folder that is not there has nothing.
func (m *matches) add(folder string, parts []string) error {
	part, rest := parts[0], parts[1:]
	if !strings.ContainsAny(part, wildcards+`\`) {
		path := filepath.Join(folder, part)
		info, err := os.Lstat(path)
		if isMissing(err) {
			return nil
		} else if err != nil {
			return err
		}
		return m.addEntry(path, fs.FileInfoToDirEntry(info), rest)
	}
	if part == anyFolders && len(rest) > 0 {
		if err := m.add(folder, rest); err != nil { // of no folder
			return err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !isMissing(err) {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		matched, _ := filepath.Match(part, e.Name())
		if !matched || isHidden(e.Name()) && !isHidden(part) {
			continue
		}
		if part == anyFolders {
			err = m.descend(path, e, parts)
		} else {
			err = m.addEntry(path, e, rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addEntry adds an entry of a folder, or with further parts what is in it.
func (m *matches) addEntry(path string, e fs.DirEntry, parts []string) error {
	switch folder := isFolder(e, path); {
	case len(parts) > 0 && folder:
		return m.add(path, parts)
	case len(parts) > 0:
	case folder:
		m.folders = append(m.folders, path)
	default:
		m.files = append(m.files, path)
	}
	return nil
}

// descend adds an entry where ** leads, whose parts begin with it.
func (m *matches) descend(path string, e fs.DirEntry, parts []string) error {
	switch {
	case e.IsDir() && !strings.HasPrefix(e.Name(), "_"):
		return m.add(path, parts)
	case e.IsDir():
	case isFolder(e, path):
		m.links = append(m.links, path)
	case len(parts) == 1:
		m.files = append(m.files, path)
	}
	return nil
}

// isFolder reports whether an entry is a folder or a link to one.
func isFolder(e fs.DirEntry, path string) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isHidden(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }

func isSeparator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }

// isMissing reports whether an error is that there is no such file or folder.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
