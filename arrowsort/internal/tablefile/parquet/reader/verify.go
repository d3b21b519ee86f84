package tablefile

import (
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// verify reads the pages of a column chunk that pqarrow is going to decode, as pqarrow compares neither their checksums
// nor that of gzip, nor the size of pages of the second version, nor the values of all pages with those of the chunk.
func (f *parquetFile) verify(group, leaf int) error {
	s := f.takeScratch()
	defer f.giveScratch(s)
	meta := f.file.MetaData()
	err := fileerror.Contain(func() error {
		r, err := f.openPages(group, leaf, pieceWindow, s)
		if err != nil {
			return err
		}
		encodings := meta.RowGroups[group].Columns[leaf].MetaData.Encodings
		return r.verify(func(e int) bool { return namesEncoding(encodings, e) })
	})
	if err != nil {
		return fmt.Errorf("column %q of row group %d: %w", meta.Schema.Column(leaf).Path(), group, err)
	}
	return nil
}
