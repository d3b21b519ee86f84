package parquetsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// concatenate is the rows of some tables as one table, without a copy.
func concatenate(schema *arrow.Schema, parts []arrow.Table) arrow.Table {
	chunks := make([][]arrow.Array, schema.NumFields())
	for i := range chunks {
		for _, p := range parts {
			chunks[i] = append(chunks[i], p.Column(i).Data().Chunks()...)
		}
	}
	return array.NewTableFromSlice(schema, chunks)
}

// slice is some rows of a table, without a copy.
func slice(table arrow.Table, first, end int64) arrow.Table {
	chunks := make([][]arrow.Array, table.NumCols())
	for i := range chunks {
		data := adapter.SliceChunked(table.Column(i).Data(), first, end)
		defer data.Release()
		chunks[i] = data.Chunks()
	}
	return array.NewTableFromSlice(table.Schema(), chunks)
}

// pick is a table with some of its columns; all when columns is nil. The caller releases it.
func pick(table arrow.Table, columns []int) arrow.Table {
	if columns == nil {
		table.Retain()
		return table
	}
	chunks := make([][]arrow.Array, len(columns))
	for i, c := range columns {
		chunks[i] = table.Column(c).Data().Chunks()
	}
	return array.NewTableFromSlice(arraydata.Pick(table.Schema(), columns), chunks)
}

// copyTable is a table with a copy of the rows, each column in one chunk unless its strings pass 2 GiB.
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
