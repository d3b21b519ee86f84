package tablefile

import "github.com/apache/arrow-go/v18/parquet/metadata"

// tableBytes estimates the bytes of all rows in memory, with text in place of dictionaries.
func (f *parquetFile) tableBytes() (bytes float64) {
	for _, leaf := range leavesOf(nil, f.fields) {
		bytes += max(columnBytes(f.file.MetaData(), leaf), f.dictionaryText(leaf))
	}
	return bytes
}

// rowBytes estimates the bytes of a row while it is read: in memory, and levels of two bytes where columns are nested.
func (f *parquetFile) rowBytes() int64 {
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
func (f *parquetFile) dictionaryText(leaf int) float64 {
	meta := f.file.MetaData()
	if meta.Schema.Column(leaf).PhysicalType().ByteSize() > 0 {
		return 0
	}
	var bytes, entries float64
	for group := 0; group < len(meta.RowGroups); group += 1 + len(meta.RowGroups)/dictionarySamples {
		if at := meta.RowGroups[group].Columns[leaf].MetaData.DictionaryPageOffset; at != nil && *at > 0 {
			h := f.dictionaryHead(*at)
			bytes, entries = bytes+float64(h.size), entries+float64(h.values)
		}
	}
	return bytes / max(entries, 1) * numberOfValues(meta, leaf)
}

// dictionaryHead reads the header of a dictionary; an empty one where there is none.
func (f *parquetFile) dictionaryHead(at int64) (h pageHead) {
	var b [headWindow]byte
	n, _ := f.src.ReadAt(b[:], at) // less at the end of the file
	if contain(func() error { h.read(&compactReader{b: b[:n]}); return nil }) != nil || h.kind != dictionaryPage {
		return pageHead{}
	}
	return h
}
