package parquetsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// decodedSchema is the schema of the rows as they are sorted: with the values of dictionaries in their place, since
// each piece of an input has dictionaries of its own. Dictionaries inside extension types are ErrSchema.
func decodedSchema(schema *arrow.Schema) (*arrow.Schema, error) {
	fields := append([]arrow.Field(nil), schema.Fields()...)
	for i := range fields {
		fields[i].Type = decodedType(fields[i].Type)
		if take.HasDictionary(fields[i].Type) {
			return nil, fmt.Errorf("%w: column %q has a dictionary inside type %s, which cannot be sorted in runs", ErrSchema, fields[i].Name, fields[i].Type)
		}
	}
	meta := schema.Metadata()
	return arrow.NewSchema(fields, &meta), nil
}

// decodedTable is a table with the values of its dictionaries. The caller releases it.
func decodedTable(ctx context.Context, table arrow.Table, schema *arrow.Schema,
	opts arrowsort.Options) (arrow.Table, error) {
	columns := make([]arrow.Column, table.NumCols())
	defer func() {
		for i := range columns {
			if columns[i].Data() != nil {
				columns[i].Release()
			}
		}
	}()
	for i := range columns {
		data, err := decodedColumn(ctx, table.Column(i).Data(), opts)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", schema.Field(i).Name, err)
		}
		columns[i] = *arrow.NewColumn(schema.Field(i), data)
		data.Release()
	}
	return array.NewTable(schema, columns, table.NumRows()), nil
}

// decodedColumn is a column with the values of its dictionaries. The caller releases it.
func decodedColumn(ctx context.Context, column *arrow.Chunked, opts arrowsort.Options) (*arrow.Chunked, error) {
	if !take.HasDictionary(column.DataType()) {
		column.Retain()
		return column, nil
	}
	var chunks []arrow.Array
	defer func() {
		for _, c := range chunks {
			c.Release()
		}
	}()
	for _, c := range column.Chunks() {
		values, err := decodedArray(ctx, c, opts)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, values)
	}
	return arrow.NewChunked(decodedType(column.DataType()), chunks), nil
}

// dictionaryValues are the values of the rows of a dictionary array. A null row takes a null behind the dictionary.
func dictionaryValues(ctx context.Context, a *array.Dictionary, opts arrowsort.Options) (arrow.Array, error) {
	entries := a.Dictionary()
	null := oneNull(opts.Allocator, entries.DataType())
	defer null.Release()
	withNull := arrow.NewChunked(entries.DataType(), []arrow.Array{entries, null})
	defer withNull.Release()
	b := array.NewUint32Builder(opts.Allocator)
	defer b.Release()
	b.Reserve(a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.UnsafeAppend(uint32(entries.Len()))
		} else {
			b.UnsafeAppend(uint32(a.GetValueIndex(i)))
		}
	}
	rows := b.NewArray()
	defer rows.Release()
	taken, err := arrowsort.Take(ctx, withNull, rows, opts)
	if err != nil {
		return nil, err
	}
	defer taken.Release()
	if len(taken.Chunks()) != 1 {
		return nil, fmt.Errorf("%w: a piece has %d rows of strings of more than 2 GiB", ErrMemory, a.Len())
	}
	taken.Chunk(0).Retain()
	return taken.Chunk(0), nil
}

// oneNull is an array of one null. Arrow makes it of every type but views.
func oneNull(mem memory.Allocator, typ arrow.DataType) arrow.Array {
	if _, ok := typ.(arrow.BinaryViewDataType); !ok {
		return array.MakeArrayOfNull(mem, typ, 1)
	}
	b := array.NewBuilder(mem, typ)
	defer b.Release()
	b.AppendNull()
	return b.NewArray()
}
