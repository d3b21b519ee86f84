package reader

import (
	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A column of strings that the file stores with a dictionary may be read as one: it is read, sorted and written as
// 4-byte indices instead of 8-byte offsets and text. That pays while the dictionary is small; a large one, with which
// every row group would be written, is expanded after all.
const (
	rowsPerEntry = 8 // the fewest rows of an entry of a dictionary that is kept
)

// readDictionaries sets the type of columns that are stored with dictionaries to dictionary types.
func (f *File) readDictionaries() {
	fields := append([]arrow.Field(nil), f.schema.Fields()...)
	for i := range fields {
		field := &f.fields[i]
		if !field.IsLeaf() || !storesDictionary(f.file.MetaData(), field.ColIndex) {
			continue
		}
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32}
		read := &arrow18.DictionaryType{IndexType: arrow18.PrimitiveTypes.Int32}
		switch fields[i].Type.ID() {
		case arrow.STRING, arrow.LARGE_STRING:
			typ.ValueType, read.ValueType = arrow.BinaryTypes.String, arrow18.BinaryTypes.String
		case arrow.BINARY, arrow.LARGE_BINARY:
			typ.ValueType, read.ValueType = arrow.BinaryTypes.Binary, arrow18.BinaryTypes.Binary
		default:
			continue
		}
		fields[i].Type = typ
		field.Field.Type = typ
		f.leaves.Manifest.Fields[field.ColIndex].Field.Type = read
	}
	meta := f.schema.Metadata()
	f.schema = arrow.NewSchema(fields, &meta)
}

// storesDictionary reports whether all row groups store the column with a dictionary, and none has pages without one,
// by the encodings that the file names.
func storesDictionary(meta *metadata.FileMetaData, column int) bool {
	for _, group := range meta.RowGroups {
		m := group.Columns[column].MetaData
		for _, s := range m.EncodingStats {
			if s.PageType != page.Dictionary && s.Encoding == page.Plain && s.Count > 0 {
				return false
			}
		}
		if !page.NamesEncoding(m.Encodings, page.RLEDictionary) {
			return false
		}
	}
	return len(meta.RowGroups) > 0
}

// expandLarge replaces dictionary columns that do not pay by the types of the file's schema. It consumes the table.
func expandLarge(table arrow.Table, schema *arrow.Schema, mem memory.Allocator) (arrow.Table, error) {
	defer table.Release()
	fields := append([]arrow.Field(nil), table.Schema().Fields()...)
	columns := make([]arrow.Column, table.NumCols())
	defer func() {
		for i := range columns {
			columns[i].Release()
		}
	}()
	for i := range columns {
		data := table.Column(i).Data()
		data.Retain()
		if want := schema.Field(i).Type; !arrow.TypeEqual(data.DataType(), want) && !hasSmallDictionary(data) {
			expanded, err := dictionary.Expand(data, want, mem)
			data.Release()
			if err != nil {
				columns = columns[:i]
				return nil, err
			}
			data, fields[i].Type = expanded, want
		}
		columns[i] = *arrow.NewColumn(fields[i], data)
		data.Release()
	}
	meta := schema.Metadata()
	return array.NewTable(arrow.NewSchema(fields, &meta), columns, table.NumRows()), nil
}

// hasSmallDictionary reports whether the dictionary of a column, the same in all chunks, is small.
func hasSmallDictionary(data *arrow.Chunked) bool {
	if data.Len() == 0 {
		return false
	}
	entries := data.Chunk(0).(*array.Dictionary).Dictionary().Len()
	return entries <= dictionary.MaxEntries && entries*rowsPerEntry <= data.Len()
}
