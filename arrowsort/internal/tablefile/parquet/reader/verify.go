package reader

import (
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// Verify reads the pages of a column chunk that pqarrow is going to decode, as pqarrow compares neither their checksums
// nor that of gzip, nor the size of pages of the second version, nor the values of all pages with those of the chunk.
func (f *File) Verify(group, leaf int) error {
	encodings := f.file.MetaData().RowGroups[group].Columns[leaf].MetaData.Encodings
	return f.walk(group, leaf, func(r *page.Reader) error {
		return r.Verify(func(e int) bool { return page.NamesEncoding(encodings, e) })
	})
}

// PageIndex reads the pages of a column chunk, of a leaf that is Decoded, and makes their index.
func (f *File) PageIndex(group, leaf int) (x *page.Index, err error) {
	err = f.walk(group, leaf, func(r *page.Reader) error {
		x, err = r.Index()
		return err
	})
	return x, err
}

// walk calls use with the pages of a column chunk. Errors name the column.
func (f *File) walk(group, leaf int, use func(r *page.Reader) error) error {
	s := f.takeScratch()
	defer f.giveScratch(s)
	err := fileerror.Contain(func() error {
		r, err := f.openPages(group, leaf, batchWindow, s)
		if err != nil {
			return err
		}
		return use(r)
	})
	if err != nil {
		path := f.file.MetaData().Schema.Column(leaf).Path()
		return fmt.Errorf("column %q of row group %d: %w", path, group, err)
	}
	return nil
}
