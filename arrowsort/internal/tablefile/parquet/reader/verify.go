package reader

import (
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// Verify reads the pages of a column chunk that pqarrow is going to decode, as pqarrow compares neither their checksums
// nor that of gzip, nor the size of pages of the second version, nor the values of all pages with those of the chunk.
func (f *File) Verify(group, leaf int) error {
	s := f.takeScratch()
	defer f.giveScratch(s)
	meta := f.file.MetaData()
	err := fileerror.Contain(func() error {
		r, err := f.openPages(group, leaf, batchWindow, s)
		if err != nil {
			return err
		}
		encodings := meta.RowGroups[group].Columns[leaf].MetaData.Encodings
		return r.Verify(func(e int) bool { return page.NamesEncoding(encodings, e) })
	})
	if err != nil {
		return fmt.Errorf("column %q of row group %d: %w", meta.Schema.Column(leaf).Path(), group, err)
	}
	return nil
}
