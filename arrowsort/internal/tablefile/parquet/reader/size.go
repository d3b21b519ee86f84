package reader

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// InMemory estimates the bytes of all rows in memory.
func (f *File) InMemory() int64 { return int64(f.tableBytes()) }

// Compact estimates the same with text in dictionaries, where the file has them.
func (f *File) Compact() (bytes int64) {
	for _, leaf := range leavesOf(nil, f.fields) {
		bytes += int64(ColumnBytes(f.file.MetaData(), leaf))
	}
	return bytes
}

// tableBytes estimates the bytes of all rows in memory, with text in place of dictionaries.
func (f *File) tableBytes() (bytes float64) {
	for _, leaf := range leavesOf(nil, f.fields) {
		bytes += max(ColumnBytes(f.file.MetaData(), leaf), f.dictionaryText(leaf))
	}
	return bytes
}

// rowBytes estimates the bytes of a row while it is read: in memory, and levels of two bytes where columns are nested.
func (f *File) rowBytes() int64 {
	bytes, meta := f.tableBytes(), f.file.MetaData()
	for _, leaf := range leavesOf(nil, f.fields) {
		if column := meta.Schema.Column(leaf); column.MaxRepetitionLevel() > 0 {
			bytes += 4 * numberOfValues(meta, leaf)
		}
	}
	return int64(bytes / float64(max(meta.NumRows, 1)))
}

func numberOfValues(meta *metadata.FileMetaData, leaf int) (values float64) {
	for _, group := range meta.RowGroups {
		values += float64(group.Columns[leaf].MetaData.NumValues)
	}
	return values
}

// dictionarySamples is the number of dictionaries whose headers are read for the length of their texts.
const dictionarySamples = 16

// dictionaryText estimates the bytes of a column whose values are texts of dictionaries, by the mean length of the
// entries in some of them; 0 where there are none.
func (f *File) dictionaryText(leaf int) float64 {
	meta := f.file.MetaData()
	if meta.Schema.Column(leaf).PhysicalType() != parquet.Types.ByteArray {
		return 0
	}
	var bytes, entries float64
	for group := 0; group < len(meta.RowGroups); group += 1 + len(meta.RowGroups)/dictionarySamples {
		if at := meta.RowGroups[group].Columns[leaf].MetaData.DictionaryPageOffset; at != nil && *at > 0 {
			size, values := page.DictionarySize(f.src, *at)
			bytes, entries = bytes+float64(size), entries+float64(values)
		}
	}
	return bytes / max(entries, 1) * numberOfValues(meta, leaf)
}

// ColumnBytes estimates the bytes of a column in memory: what its pages take uncompressed, or for values that a
// dictionary makes small there, their width.
func ColumnBytes(meta *metadata.FileMetaData, leaf int) (bytes float64) {
	width := valueBytes(meta.Schema.Column(leaf))
	for _, group := range meta.RowGroups {
		m := group.Columns[leaf].MetaData
		bytes += max(float64(m.TotalUncompressedSize), float64(m.NumValues)*float64(width))
	}
	return bytes
}

// valueBytes is what a value takes in memory.
func valueBytes(column *schema.Column) int {
	const offsetAndText = 16 // of a short string
	switch column.PhysicalType() {
	case parquet.Types.ByteArray:
		return offsetAndText
	case parquet.Types.FixedLenByteArray:
		return column.TypeLength()
	default:
		return column.PhysicalType().ByteSize()
	}
}
