package tablefile

import "fmt"

// PartBytes are the sizes in memory of the parts that a file can be read by, about: the row groups of Parquet, or the
// record batches of an Arrow file. nil: the file can only be read as a whole.
func (s *Scanner) PartBytes() []int64 {
	if s.Layout != nil {
		var bytes []int64
		for _, group := range s.Layout.RowGroups() {
			share := float64(group.Rows) / float64(max(s.Rows, 1))
			bytes = append(bytes, int64(share*float64(s.InMemory)))
		}
		return bytes
	}
	if batches, ok := s.pieces.(*batchPieces); ok {
		return batches.Batches()
	}
	return nil
}

// Only has Next return some parts of the file only, count of them from number first on; see PartBytes. It precedes
// Next, and is called once.
func (s *Scanner) Only(first, count int) error {
	if parts := len(s.PartBytes()); first < 0 || count < 0 || first+count > parts {
		return inFile(s.path, "standard input", fmt.Errorf("there are %d row groups or record batches, but number %d "+
			"to %d are asked for: the file is another one now", parts, first, first+count-1))
	}
	s.pieces.(interface{ Only(first, count int) }).Only(first, count)
	return nil
}
