package reader

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// InMemory estimates the bytes of all rows in memory.
func (f *File) InMemory() int64 { return int64(f.tableBytes()) }

// MemoryWithDictionaries estimates the same with text in dictionaries, in columns that are read so.
func (f *File) MemoryWithDictionaries() (bytes int64) {
	for i := range f.fields {
		field := &f.fields[i]
		for _, leaf := range leavesOf(nil, f.fields[i:i+1]) {
			if field.IsLeaf() && storesDictionary(f.file.MetaData(), leaf) {
				bytes += int64(ColumnBytes(f.file.MetaData(), leaf))
			} else {
				bytes += int64(f.expandedBytes(leaf))
			}
		}
	}
	return bytes
}

// Table estimates the same with text in dictionaries where the columns of the file are dictionaries.
func (f *File) Table() (bytes int64) {
	for i := range f.fields {
		_, dictionary := f.schema.Field(i).Type.(*arrow.DictionaryType)
		for _, leaf := range leavesOf(nil, f.fields[i:i+1]) {
			text := 0.0
			if !dictionary {
				text = f.dictionaryText(leaf)
			}
			bytes += int64(max(ColumnBytes(f.file.MetaData(), leaf), text))
		}
	}
	return bytes
}

// tableBytes estimates the bytes of all rows in memory, with text in place of dictionaries.
func (f *File) tableBytes() (bytes float64) {
	for _, leaf := range leavesOf(nil, f.fields) {
		bytes += f.expandedBytes(leaf)
	}
	return bytes
}

// expandedBytes estimates the bytes of a leaf column in memory without dictionaries.
func (f *File) expandedBytes(leaf int) float64 {
	return max(ColumnBytes(f.file.MetaData(), leaf), f.expandedText(leaf))
}

// rowBytes estimates the bytes of a row while it is read: in memory, levels of two bytes where columns are nested, and
// text in other encodings once more, as pqarrow decodes it.
func (f *File) rowBytes() int64 {
	bytes, meta := f.tableBytes(), f.file.MetaData()
	for _, leaf := range leavesOf(nil, f.fields) {
		column := meta.Schema.Column(leaf)
		if column.MaxRepetitionLevel() > 0 {
			bytes += 4 * numberOfValues(meta, leaf)
		}
		if column.PhysicalType() == parquet.Types.ByteArray && !f.encodingsRead(leaf) {
			bytes += f.expandedBytes(leaf)
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

// expandedText estimates the bytes of a leaf column of text in memory: the greatest of three estimates, by its size
// statistics, by the mean length of the entries of dictionaries, and by the first texts of row groups whose encoding
// leaves out prefixes; 0 where there is none of these.
func (f *File) expandedText(leaf int) float64 {
	meta := f.file.MetaData()
	if meta.Schema.Column(leaf).PhysicalType() != parquet.Types.ByteArray {
		return 0
	}
	if known, ok := f.texts.Load(leaf); ok {
		return known.(float64)
	}
	bytes := max(declaredText(meta, leaf), f.dictionaryText(leaf), f.prefixedText(leaf))
	f.texts.Store(leaf, bytes)
	return bytes
}

// declaredText returns what the size statistics of a file have for the text of a leaf column, with its offsets. Some
// writers have too little there.
func declaredText(meta *metadata.FileMetaData, leaf int) (bytes float64) {
	for _, group := range meta.RowGroups {
		m := group.Columns[leaf].MetaData
		if m.SizeStatistics != nil && m.SizeStatistics.UnencodedByteArrayDataBytes != nil {
			bytes += float64(*m.SizeStatistics.UnencodedByteArrayDataBytes) + float64(m.NumValues)*offsetBytes
		}
	}
	return bytes
}

const (
	offsetBytes  = 4  // of a text in memory
	groupSamples = 16 // row groups whose dictionaries or first texts are read for the length of texts
	fewSamples   = 1  // of a file of which each read is a request
)

// eachSample calls use with the row groups whose texts stand for those of all.
func (f *File) eachSample(use func(group int)) {
	most, groups := groupSamples, f.file.NumRowGroups()
	if f.opts.Announce != nil {
		most = fewSamples
	}
	for group := 0; group < groups; group += 1 + groups/most {
		use(group)
	}
}

// dictionaryText estimates the text of a leaf column by the mean length of the entries of some of its dictionaries; 0
// where there are none.
func (f *File) dictionaryText(leaf int) float64 {
	meta := f.file.MetaData()
	var bytes, entries float64
	f.eachSample(func(group int) {
		if at := meta.RowGroups[group].Columns[leaf].MetaData.DictionaryPageOffset; at != nil && *at > 0 {
			size, values := page.DictionarySize(f.src, *at)
			bytes, entries = bytes+float64(size), entries+float64(values)
		}
	})
	return bytes / max(entries, 1) * numberOfValues(meta, leaf)
}

// prefixedText estimates the text of a leaf column whose pages leave out what texts have in common with the one before,
// by the first page of some row groups; 0 for others. What cannot be read is an error when it is.
func (f *File) prefixedText(leaf int) float64 {
	meta := f.file.MetaData()
	var bytes, texts float64
	f.eachSample(func(group int) {
		if meta.RowGroups[group].NumRows > 0 && f.namedIn(group, leaf)(page.DeltaByteArray) {
			_ = errkind.Contain(func() error {
				size, n, err := f.firstTexts(leaf, group)
				bytes, texts = bytes+size, texts+n
				return err
			})
		}
	})
	return bytes / max(texts, 1) * numberOfValues(meta, leaf)
}

// firstTexts returns the bytes and the number of the texts of the first data page of a row group, nulls among them; 0
// where it leaves out no prefixes.
func (f *File) firstTexts(leaf, group int) (bytes, texts float64, err error) {
	s := f.takeScratch()
	defer f.giveScratch(s)
	r, err := f.openPages(group, leaf, batchWindow, s)
	for err == nil {
		var p page.Page
		if p, err = r.Next(); err != nil || p.Kind == page.Dictionary {
			continue
		}
		if p.Encoding != page.DeltaByteArray {
			return 0, 0, nil
		}
		size, err := s.TextBytes(&p, f.file.MetaData().Schema.Column(leaf))
		return float64(size) + offsetBytes*float64(p.Values), float64(p.Values), err
	}
	return 0, 0, err
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

// valueBytes returns what a value takes in memory.
func valueBytes(column *schema.Column) int {
	const offsetAndText = 16 // of a short string
	if size := page.ValueSize(column); size >= 0 {
		return size
	}
	return offsetAndText
}
