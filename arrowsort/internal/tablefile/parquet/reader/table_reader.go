package reader

import (
	"context"
	"slices"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// Read reads columns by position, nil for all. Equal indices of a dictionary column are equal values in all chunks.
func (f *File) Read(ctx context.Context, columns []int) (arrow.Table, error) {
	if columns != nil {
		f.selectColumns(columns)
	}
	stored := f.schema
	if f.opts.Dictionaries {
		f.readDictionaries()
	}
	table, err := f.readTable(ctx)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	unified, err := dictionary.Unify(ctx, f.opts.Allocator, table)
	if err != nil || !f.opts.Dictionaries {
		return unified, err
	}
	return expandLarge(unified, stored, f.opts.Allocator)
}

func (f *File) readTable(ctx context.Context) (arrow.Table, error) {
	groups := f.file.NumRowGroups()
	f.announce(0, groups)
	report := workers.Progress(f.opts.Progress, len(f.fields)*groups)
	flat, err := f.readFlat(ctx, report)
	if err != nil {
		return nil, err
	}
	chunks := make([][][]arrow.Array, len(f.fields)) // by field and row group; all row groups in one of a flat column
	var others []int
	for i, a := range flat {
		if a != nil {
			chunks[i] = [][]arrow.Array{a}
		} else {
			chunks[i] = make([][]arrow.Array, groups)
			others = append(others, i)
		}
	}
	defer func() {
		for _, groups := range chunks {
			for _, arrays := range groups {
				arraydata.Release(arrays)
			}
		}
	}()
	err = workers.Each(ctx, len(others)*groups, f.opts.Threads, func(i int) (err error) {
		group, field := i/len(others), others[i%len(others)]
		chunks[field][group], err = f.readField(ctx, field, group)
		report(1)
		return err
	})
	if err != nil {
		return nil, err
	}
	return arraydata.NewTable(f.schema, f.file.NumRows(), func(i int) (*arrow.Chunked, error) {
		return joinChunks(f.schema.Field(i).Type, chunks[i]), nil
	})
}

// readField reads one column of one row group and validates it.
func (f *File) readField(ctx context.Context, field, group int) ([]arrow.Array, error) {
	rows := f.file.MetaData().RowGroups[group].NumRows
	tree, err := f.open(ctx, &f.fields[field], group)
	defer tree.release()
	if err != nil {
		return nil, err
	}
	arrays, err := tree.next(rows, f.opts.Allocator)
	if err != nil {
		return nil, err
	}
	return arrays, f.check(arrays, field, group, rows)
}

// A column of strings that the file stores with a dictionary may be read as one: it is read, sorted and written as
// 4-byte indices instead of 8-byte offsets and text. That pays while the dictionary is small; a large one, with which
// every row group would be written, is expanded after all.
const rowsPerEntry = 8 // the fewest rows of an entry of a dictionary that is kept

// readDictionaries sets the type of columns that are stored with dictionaries to dictionary types.
func (f *File) readDictionaries() {
	fields := slices.Clone(f.schema.Fields())
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

// expandLarge replaces dictionary columns that do not pay by the types of the file's schema. It consumes the table.
func expandLarge(table arrow.Table, schema *arrow.Schema, mem memory.Allocator) (arrow.Table, error) {
	defer table.Release()
	fields := slices.Clone(table.Schema().Fields())
	for i := range fields {
		data, want := table.Column(i).Data(), schema.Field(i).Type
		if !arrow.TypeEqual(fields[i].Type, want) && !hasSmallDictionary(data) {
			fields[i].Type = want
		}
	}
	meta := schema.Metadata()
	return arraydata.NewTable(arrow.NewSchema(fields, &meta), table.NumRows(), func(i int) (*arrow.Chunked, error) {
		data := table.Column(i).Data()
		if !arrow.TypeEqual(data.DataType(), fields[i].Type) {
			return dictionary.Expand(data, fields[i].Type, mem)
		}
		data.Retain()
		return data, nil
	})
}

// hasSmallDictionary reports whether the dictionary of a column, the same in all chunks, is small.
func hasSmallDictionary(data *arrow.Chunked) bool {
	if data.Len() == 0 {
		return false
	}
	entries := data.Chunk(0).(*array.Dictionary).Dictionary().Len()
	return entries <= dictionary.MaxEntries && entries*rowsPerEntry <= data.Len()
}
