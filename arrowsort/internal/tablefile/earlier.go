package tablefile

import (
	"fmt"
	"os"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// CheckEarlier makes sure that a file may be one that was written here before: a Parquet file that names its creator,
// or a file of another format with such content. Anything else is an error that names the file.
func CheckEarlier(path string, format Format) error {
	format, err := format.Resolve(path)
	if err == nil {
		err = checkEarlier(path, format)
	}
	if err != nil {
		return fmt.Errorf("%s exists and is no output of an earlier sort: move it, or choose another output", path)
	}
	return nil
}

func checkEarlier(path string, format Format) error {
	if format == Parquet {
		s, err := Scan(path, 0, ReadOptions{Format: Parquet})
		if err != nil {
			return err
		}
		defer s.Close()
		if !s.Layout.CreatedHere() {
			return fileerror.Unsupported("a file of another program")
		}
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	head := make([]byte, headSize)
	n, _ := file.Read(head)
	return checkHead(head[:n], format)
}
