package tablefile

import "io"

// replaceFile writes a file beside path, syncs it and renames it to path; after an error path is as it was.
func replaceFile(path string, write func(w io.Writer) error) error {
	file, err := newPending(path)
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := write(file); err != nil {
		return err
	}
	return file.Commit()
}
