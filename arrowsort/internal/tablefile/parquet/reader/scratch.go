package tablefile

import "github.com/apache/arrow-go/v18/parquet/compress"

// takeScratch gives the memory that somebody gave back, or new one.
func (f *parquetFile) takeScratch() *pageScratch {
	if f.spare != nil {
		if s := f.spare.Take(); s != nil {
			return s
		}
	}
	return newPageScratch(f.opts.Allocator)
}

func (f *parquetFile) giveScratch(s *pageScratch) {
	if f.spare != nil {
		f.spare.Give(s)
	} else {
		s.release()
	}
}

// Bytes that are read at a time: of a chunk that is read as a whole, and of one of many that are read at once.
const (
	wholeWindow = 4 << 20
	pieceWindow = 128 << 10
)

// openPages opens the pages of a leaf column of a row group.
func (f *parquetFile) openPages(group, leaf, window int, s *pageScratch) (*pageReader, error) {
	m := f.file.MetaData().RowGroups[group].Columns[leaf].MetaData
	return s.open(f.src, columnChunk{
		start: chunkStart(m.DictionaryPageOffset, m.DataPageOffset), size: m.TotalCompressedSize, values: m.NumValues,
		codec: compress.Compression(m.Codec), column: f.file.MetaData().Schema.Column(leaf),
	}, window)
}
