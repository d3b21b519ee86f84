package dataset

import (
	"fmt"
	"path"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// addresses lists the files of an object store that an address means: itself, the files that match a pattern, or those
// right in a folder, which ends in a slash. The rules are those of local files.
func (l *lister) addresses(address string, store *tablefile.Elsewhere) error {
	at := strings.IndexAny(address, wildcards)
	switch {
	case at >= 0 && strings.HasSuffix(address, "/"):
		return fmt.Errorf("%s: a pattern that ends in a slash matches folders; give '%s*.parquet' for files in them",
			address, address)
	case at >= 0:
		at = strings.LastIndexByte(address[:at], '/') + 1
	case strings.HasSuffix(address, "/"):
		at = len(address)
	default:
		l.files = append(l.files, address)
		return nil
	}
	folder, pattern := address[:at], address[at:]
	parts := strings.Split(pattern, "/")
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("%s: %w", address, err)
		}
		if strings.Contains(part, anyFolders) && part != anyFolders {
			return fmt.Errorf("%s: ** stands for folders and has to be between slashes, as in '%s**/*.parquet'",
				address, folder)
		}
	}
	all, err := store.List(folder)
	if err != nil {
		return err
	}
	if pattern == "" {
		return l.addressFolder(folder, all)
	}
	before := len(l.files)
	for _, file := range sortedByNames(all, "/") {
		if matchesParts(strings.Split(strings.TrimPrefix(file, folder), "/"), parts) {
			l.files = append(l.files, file)
		}
	}
	if len(l.files) == before {
		return fmt.Errorf("%s: no file matches", address)
	}
	return nil
}

// addressFolder adds the Parquet and Arrow files right in a folder.
func (l *lister) addressFolder(folder string, all []string) error {
	before := len(l.files)
	var csv, others, below []string
	for _, file := range sortedByNames(all, "/") {
		name := strings.TrimPrefix(file, folder)
		format, err := tablefile.Auto.Resolve(name)
		switch {
		case name == "" || isHidden(name) || strings.HasPrefix(name, "_"):
		case strings.Contains(name, "/"):
			below = append(below, name)
		case err != nil:
			others = append(others, name)
		case format == tablefile.CSV:
			csv = append(csv, name)
		default:
			l.files = append(l.files, file)
		}
	}
	if len(l.files) == before {
		return fmt.Errorf("%s: there is no Parquet or Arrow file right in the folder; '%s**/*.parquet' is all below it",
			folder, folder)
	}
	l.skip(folder, "file of a subfolder", "files of subfolders", below, "; give '"+folder+"**/*.parquet' for them")
	l.skip(folder, "CSV file", "CSV files", csv, "; CSV is sorted with other CSV only, by '"+folder+"*.csv'")
	l.skip(folder, "other file", "other files", others, "")
	return nil
}

// matchesParts reports whether the names of an address match the parts of a pattern: ** stands for any number of names,
// wildcards match no hidden ones, and ** none that begin with an underscore.
func matchesParts(names, parts []string) bool {
	if len(parts) == 0 || len(names) == 0 {
		return len(parts) == 0 && len(names) == 0
	}
	part, name := parts[0], names[0]
	if part == anyFolders && len(parts) > 1 {
		if matchesParts(names, parts[1:]) {
			return true
		}
		return len(names) > 1 && !isHidden(name) && !strings.HasPrefix(name, "_") && matchesParts(names[1:], parts)
	}
	if strings.ContainsAny(part, wildcards) && isHidden(name) && !isHidden(part) {
		return false
	}
	matched, _ := path.Match(part, name) // the pattern was checked
	return matched && matchesParts(names[1:], parts[1:])
}
