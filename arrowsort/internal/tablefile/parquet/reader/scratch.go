package reader

import (
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

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
