package parquetsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// concatenate is the rows of some tables as one table, without a copy.
func concatenate(schema *arrow.Schema, parts []arrow.Table) arrow.Table {
	columns := make([]arrow.Column, schema.NumFields())
	rows := int64(0)
	for _, p := range parts {
		rows += p.NumRows()
	}
	for i := range columns {
		var chunks []arrow.Array
		for _, p := range parts {
			chunks = append(chunks, p.Column(i).Data().Chunks()...)
		}
		data := arrow.NewChunked(schema.Field(i).Type, chunks)
		columns[i] = *arrow.NewColumn(schema.Field(i), data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewTable(schema, columns, rows)
}

// slice is some rows of a table, without a copy.
func slice(table arrow.Table, first, end int64) arrow.Table {
	columns := make([]arrow.Column, table.NumCols())
	for i := range columns {
		data := array.NewChunkedSlice(table.Column(i).Data(), first, end)
		columns[i] = *arrow.NewColumn(table.Schema().Field(i), data)
		data.Release()
		defer columns[i].Release()
	}
	return array.NewTable(table.Schema(), columns, end-first)
}

// copyTable is a table with the same rows in memory of its own, each column in one chunk unless its strings pass 2 GiB.
func copyTable(ctx context.Context, table arrow.Table, opts *Options) (arrow.Table, error) {
	rows := identity(table.NumRows(), opts.Allocator)
	defer rows.Release()
	return arrowsort.Take(ctx, table, rows, opts.sorting())
}

// identity are the numbers of n rows.
func identity(n int64, mem memory.Allocator) arrow.Array {
	b := array.NewUint32Builder(mem)
	defer b.Release()
	b.Reserve(int(n))
	for i := range n {
		b.UnsafeAppend(uint32(i))
	}
	return b.NewArray()
}
