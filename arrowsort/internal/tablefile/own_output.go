package tablefile

import "fmt"

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
