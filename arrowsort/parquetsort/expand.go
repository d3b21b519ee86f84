package parquetsort

import "github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"

// The paths of the command and of programs stand for the same files as those of Sort; package dataset lists them.

// Expand lists the files that some paths mean, in this order. A file is itself. A folder is the Parquet and Arrow files
// right in it. A pattern with *, ? or [ is the files that match it in the order of their paths; ** between slashes
// stands for any number of folders. As in a shell, wildcards match no hidden names, and ** follows no links; nor does
// it stand for folders whose names begin with an underscore. A pattern or folder without files, a pattern that ends in
// a slash, and a folder that cannot be read, is an error.
func Expand(paths []string) ([]string, error) {
	files, _, err := dataset.List(paths, nil)
	return files, err
}

// Skipped describes entries of the folders, and matches of the patterns, among some paths that Expand does not return:
// subfolders, CSV and other files of folders, one line for each kind.
func Skipped(paths []string) []string {
	_, skipped, _ := dataset.List(paths, nil) // Expand returns the error
	return skipped
}
