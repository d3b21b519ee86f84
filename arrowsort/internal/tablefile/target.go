package tablefile

import "github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"

// CheckTarget returns why no file can be written at a path, before the work that it is to hold is done. The error names
// the file.
func CheckTarget(path string) error {
	if path == Pipe {
		return nil
	}
	return inFile(path, "standard output", atomicfile.Check(path))
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
