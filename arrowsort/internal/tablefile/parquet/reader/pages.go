package reader

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// Verify reads the pages of a column chunk that pqarrow is going to decode, as pqarrow compares neither their checksums
// nor that of gzip, nor the size of pages of the second version, nor the values of all pages with those of the chunk.
func (f *File) Verify(group, leaf int) error {
	return f.walk(group, leaf, func(r *page.Reader) error { return r.Verify(f.namedIn(group, leaf)) })
}

// namedIn reports whether an encoding is one that the metadata of a column chunk name.
func (f *File) namedIn(group, leaf int) func(encoding int) bool {
	encodings := f.file.MetaData().RowGroups[group].Columns[leaf].MetaData.Encodings
	return func(e int) bool { return page.NamesEncoding(encodings, e) }
}

// PageIndex reads the pages of a column chunk and makes their index.
func (f *File) PageIndex(group, leaf int) (x *page.Index, err error) {
	err = f.walk(group, leaf, func(r *page.Reader) error {
		x, err = r.Index(f.namedIn(group, leaf))
		return err
	})
	return x, err
}

// walk calls use with the pages of a column chunk, which are not to pass its end: they are copied, or read by pqarrow.
// Errors name the column.
func (f *File) walk(group, leaf int, use func(r *page.Reader) error) error {
	s := f.takeScratch()
	defer f.giveScratch(s)
	err := fileerror.Contain(func() error {
		r, err := f.openPages(group, leaf, batchWindow, s)
		if err != nil {
			return err
		}
		if err := use(r); err != nil {
			return err
		}
		if r.Extended() {
			return fileerror.Corrupt("its pages pass the end that the metadata name")
		}
		return nil
	})
	if err != nil {
		path := f.file.MetaData().Schema.Column(leaf).Path()
		return fmt.Errorf("column %q of row group %d: %w", path, group, err)
	}
	return nil
}

// takeScratch gives the memory that somebody gave back, or new one.
func (f *File) takeScratch() *page.Scratch {
	if f.spare != nil {
		if s := f.spare.Take(); s != nil {
			return s
		}
	}
	return page.NewScratch(f.opts.Allocator)
}

func (f *File) giveScratch(s *page.Scratch) {
	if f.spare != nil {
		f.spare.Give(s)
	} else {
		s.Release()
	}
}

// Bytes that are read at a time: of a chunk that is read as a whole, and of one of many that are read at once.
const (
	wholeWindow = 4 << 20
	batchWindow = 128 << 10
)

// openPages opens the pages of a leaf column of a row group.
func (f *File) openPages(group, leaf, window int, s *page.Scratch) (*page.Reader, error) {
	m := f.file.MetaData().RowGroups[group].Columns[leaf].MetaData
	return s.Open(f.src, page.Chunk{
		Start: page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset), Size: m.TotalCompressedSize,
		Values: m.NumValues,
		Codec:  compress.Compression(m.Codec), Column: f.file.MetaData().Schema.Column(leaf),
	}, window)
}
