package tablefile

import (
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// CheckTarget returns why no file can be written at a path, before the work that it is to hold is done. The error names
// the file.
func CheckTarget(path string) error {
	if path == Pipe {
		return nil
	}
	return nameFile(path, "standard output", atomicfile.Check(path))
}

// Replaces reports whether a file is made for what is written to a path; devices and open files are there already.
func Replaces(path string) bool { return path != Pipe && atomicfile.Replaces(path) }

// OutputPath is Pipe for a path that stands for this process's standard output, such as /dev/stdout; else the path.
func OutputPath(path string) string {
	if atomicfile.IsStdout(path) {
		return Pipe
	}
	return path
}

// CheckOwnOutput makes sure that a file is an output of an earlier sort: a Parquet file that names its creator. Other
// formats have no place for that. The error names the file.
func CheckOwnOutput(path string) error {
	if !createdHere(path) {
		return fmt.Errorf("%s exists and is not known to be an output of an earlier sort, which only Parquet files "+
			"say: move it, or choose another output", path)
	}
	return nil
}

func createdHere(path string) bool {
	s, err := Scan(path, 0, ReadOptions{Format: Parquet})
	if err != nil {
		return false
	}
	defer s.Close()
	return s.Layout.CreatedHere()
}
