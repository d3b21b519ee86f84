package atomicfile

import "os"

// open opens the path; Windows has no paths for descriptors.
func (d descriptor) open(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }
