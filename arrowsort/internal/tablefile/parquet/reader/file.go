// Package reader reads columns of Parquet files, whole or in batches of rows. It decodes the pages of flat columns, and
// leaves all others to pqarrow after it has verified their checksums.
package reader

import (
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/validate"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// A SchemaField is a column of a Parquet file, or a field of a nested column.
type SchemaField struct {
	Field     arrow.Field
	LevelInfo file.LevelInfo
	ColIndex  int // of a leaf: the number of its column
	Children  []SchemaField
}

// IsLeaf reports whether the field is a column of the file.
func (f *SchemaField) IsLeaf() bool { return len(f.Children) == 0 }

// A File is an open Parquet file. Its columns are read one row group at a time, in parallel; the row groups
// become the chunks of the table, except of a wholeColumn.
//
// Nested columns are assembled in nested.go. pqarrow would open the children of a struct on new goroutines, whose
// panics cannot be recovered.
type File struct {
	src     io.ReaderAt
	file    *file.Reader
	fields  []SchemaField
	leaves  *pqarrow.FileReader // reads leaf columns by column number
	schema  *arrow.Schema
	parts   [][]ChunkPart // by row group and leaf column; nil: all rows
	opts    Options
	buffers *workers.Spares[*page.Buffers] // of batches, for the next; nil: they are not kept

	encodings sync.Map // of encodingsRead: leaf column to bool
	texts     sync.Map // of expandedText: leaf column to float64
}

// Options are the options of reading a Parquet file.
type Options struct {
	Allocator     memory.Allocator
	Flat          *allocators.Recycler  // for columns that batches read without pqarrow; nil: Allocator
	Threads       int                   // 0: GOMAXPROCS
	Dictionaries  bool                  // text with a small dictionary becomes dictionary columns
	Progress      func(done, total int) // called now and then, from one goroutine at a time; or nil
	DeclaredLimit int64                 // bytes that a footer may declare; 0: any number
	Footer        int64                 // bytes that it may take in memory; 0: any number
	InBatches     bool                  // column chunks are read a batch at a time
	Announce      func([]page.Range)    // of a file that fetches ahead what will be read; else nil
	Ranges        []RowRange            // that are read, in ascending order, each as a row group; nil: all rows
}

// A RowRange is consecutive rows of a row group.
type RowRange struct {
	Group       int   // its number in the file
	First, Rows int64 // the first of the rows in the row group, and how many they are
}

// A ChunkPart is what is read of a column chunk for a RowRange: the pages that have its rows, or all pages.
type ChunkPart struct {
	Cut  bool  // some pages, by the page index
	Skip int64 // rows of the first page before the range
	Rows int64 // of the pages
}

// New returns a file with a checked footer. schema and fields are its columns, with the types of the table.
func New(src io.ReaderAt, file *file.Reader, leaves *pqarrow.FileReader, fields []SchemaField,
	schema *arrow.Schema, parts [][]ChunkPart, opts Options) *File {
	return &File{src: src, file: file, leaves: leaves, fields: fields, schema: schema, parts: parts, opts: opts}
}

// part returns what is read of a column chunk; nil: all of it.
func (f *File) part(group, leaf int) *ChunkPart {
	if f.parts == nil || f.parts[group] == nil {
		return nil
	}
	return &f.parts[group][leaf]
}

// skip returns the rows of the first page of a column chunk that are not read.
func (f *File) skip(group, leaf int) int64 {
	if p := f.part(group, leaf); p != nil {
		return p.Skip
	}
	return 0
}

// Schema returns the schema of the columns that are read.
func (f *File) Schema() *arrow.Schema { return f.schema }

// selectColumns reads some columns only, by position.
func (f *File) selectColumns(columns []int) {
	fields := make([]SchemaField, len(columns))
	for i, c := range columns {
		fields[i] = f.fields[c]
	}
	f.fields, f.schema = fields, arraydata.Pick(f.schema, columns)
}

// check sets the type of arrays of a column and validates them. It releases them after an error.
func (f *File) check(arrays []arrow.Array, field, group int, rows int64) (err error) {
	typ := f.schema.Field(field).Type
	got := 0
	for i, a := range arrays {
		got += a.Len()
		if arrays[i], err = retype(a, typ); err == nil {
			err = validate.Array(arrays[i])
		}
		if err != nil {
			arraydata.Release(arrays)
			clear(arrays)
			return err
		}
	}
	if int64(got) != rows {
		arraydata.Release(arrays)
		clear(arrays)
		return errkind.Corrupt("column %q has %d of the %d rows of row group %d", f.schema.Field(field).Name, got,
			rows, f.Number(group))
	}
	return nil
}

// named adds the name of a column to an error.
func (f *File) named(err error, field, group int) error {
	return fmt.Errorf("column %q of row group %d: %w", f.schema.Field(field).Name, f.Number(group), err)
}

// Number returns the number that a row group has in the file, for errors.
func (f *File) Number(group int) int {
	if f.opts.Ranges == nil {
		return group
	}
	return f.opts.Ranges[group].Group
}

func joinChunks(typ arrow.DataType, groups [][]arrow.Array) *arrow.Chunked {
	var all []arrow.Array
	for _, arrays := range groups {
		for _, a := range arrays {
			if a.Len() > 0 {
				all = append(all, a)
			}
		}
	}
	return arrow.NewChunked(typ, all)
}

// retype sets another type of the same layout, such as another time zone. It consumes the array.
func retype(a arrow.Array, typ arrow.DataType) (arrow.Array, error) {
	if arrow.TypeEqual(a.DataType(), typ) {
		return a, nil
	}
	if a.DataType().ID() != arraydata.Storage(typ).ID() && a.DataType().ID() != typ.ID() {
		defer a.Release()
		return nil, errkind.Corrupt("a column of type %s holds %s", typ, a.DataType())
	}
	defer a.Release()
	d := a.Data()
	data := array.NewData(typ, d.Len(), d.Buffers(), d.Children(), d.NullN(), d.Offset())
	defer data.Release()
	if dict, ok := a.(*array.Dictionary); ok {
		data.SetDictionary(dict.Dictionary().Data())
	}
	return array.MakeFromData(data), nil
}

// leavesOf appends the numbers of the leaf columns of some fields.
func leavesOf(leaves []int, fields []SchemaField) []int {
	for i := range fields {
		if fields[i].IsLeaf() {
			leaves = append(leaves, fields[i].ColIndex)
		} else {
			leaves = leavesOf(leaves, fields[i].Children)
		}
	}
	return leaves
}

// LeafType returns the type in memory of the values of a leaf column, without dictionaries and extensions, and whether
// they lie in lists.
func (f *File) LeafType(leaf int) (typ arrow.DataType, repeated bool) {
	typ = arraydata.Storage(leafField(f.fields, leaf).Field.Type)
	if d, ok := typ.(*arrow.DictionaryType); ok {
		typ = arraydata.Storage(d.ValueType)
	}
	return typ, f.file.MetaData().Schema.Column(leaf).MaxRepetitionLevel() > 0
}

// leafField returns the field that is a leaf column; nil: none of the fields is or has it.
func leafField(fields []SchemaField, leaf int) *SchemaField {
	for i := range fields {
		if fields[i].IsLeaf() && fields[i].ColIndex == leaf {
			return &fields[i]
		}
		if found := leafField(fields[i].Children, leaf); found != nil {
			return found
		}
	}
	return nil
}

// maxFlatRows is far more rows than a table can have in memory; their bytes can be counted.
const maxFlatRows = 1 << 48

// flatWidth returns the width of the values in bytes, 0 for text, and whether the pages of a field are decoded here.
func (f *File) flatWidth(i int) (width int, ok bool) {
	field, meta := &f.fields[i], f.file.MetaData()
	if !field.IsLeaf() || meta.NumRows == 0 || meta.NumRows > maxFlatRows {
		return 0, false
	}
	column, typ := meta.Schema.Column(field.ColIndex), f.schema.Field(i).Type
	width = page.FixedWidth(typ, column.PhysicalType())
	if width == 0 && !page.IsByteArray(typ, column.PhysicalType()) || column.MaxDefinitionLevel() > 1 ||
		column.MaxRepetitionLevel() > 0 {
		return 0, false
	}
	if !f.encodingsRead(field.ColIndex) {
		return 0, false
	}
	return width, true
}

// DecodesValues reports whether the values of a field are decoded without pqarrow, and not as a dictionary.
func (f *File) DecodesValues(field int) bool {
	_, ok := f.flatWidth(field)
	return ok && f.schema.Field(field).Type.ID() != arrow.DICTIONARY
}

// Decoded returns the leaf columns whose values are decoded without pqarrow.
func (f *File) Decoded() map[int]bool {
	leaves := make(map[int]bool)
	for i := range f.fields {
		if f.DecodesValues(i) {
			leaves[f.fields[i].ColIndex] = true
		}
	}
	return leaves
}

// encodingsRead reports whether the pages of a leaf column have encodings that are read here in all row groups. It
// looks at them once: a caller asks for each row group.
func (f *File) encodingsRead(leaf int) (read bool) {
	if known, ok := f.encodings.Load(leaf); ok {
		return known.(bool)
	}
	defer func() { f.encodings.Store(leaf, read) }()
	meta := f.file.MetaData()
	typ := meta.Schema.Column(leaf).PhysicalType()
	for _, group := range meta.RowGroups {
		for _, e := range group.Columns[leaf].MetaData.Encodings {
			e := int(e)
			if e != page.Plain && e != page.RLE && !page.IsDictionary(e) && !page.Converts(e, typ) {
				return false
			}
		}
	}
	return true
}
