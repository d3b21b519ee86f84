package tablefile

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

func TestSomeColumnsOfParquet(t *testing.T) {
	flat, nested := flatTable(t, memory.DefaultAllocator, 50, 5), nestedTable(t, memory.DefaultAllocator)
	defer flat.Release()
	defer nested.Release()
	for _, c := range []struct {
		table   arrow.Table
		columns []int
	}{{flat, []int{3}}, {flat, []int{0, 36, 37, 7, 42}}, {nested, []int{5, 0}}, {nested, []int{2}}} {
		for _, dictionaries := range []bool{false, true} {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			b := writeBytes(t, c.table, Parquet, WriteOptions{RowGroupRows: 3})
			in, err := readBytes(t, b, ReadOptions{Format: Parquet, Allocator: mem, Dictionaries: dictionaries,
				Schema: func(*arrow.Schema) ([]int, error) { return c.columns, nil }})
			require.NoError(t, err)
			require.Equal(t, c.columns, in.Columns)
			require.Equal(t, len(c.table.Schema().Fields()), len(in.Schema.Fields()))
			want := picked(c.table, c.columns)
			require.Equal(t, textOf(t, want), textOf(t, in.Table))
			if !dictionaries {
				require.Equal(t, arraydata.Pick(in.Schema, c.columns).String(), in.Table.Schema().String())
			}
			want.Release()
			in.Table.Release()
			mem.AssertSize(t, 0)
		}
	}
}

func picked(table arrow.Table, columns []int) arrow.Table {
	some := make([]arrow.Column, len(columns))
	for i, c := range columns {
		some[i] = *table.Column(c)
	}
	return array.NewTable(arraydata.Pick(table.Schema(), columns), some, table.NumRows())
}
