package atomicfile

import "os"

// takesFiles makes a file in a folder and removes it: no call of Windows returns what is allowed without trying it.
func takesFiles(folder string) error {
	file, err := os.CreateTemp(folder, ".probe*")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}
