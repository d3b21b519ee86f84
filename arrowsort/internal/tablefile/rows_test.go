package tablefile

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestRowsAreGatheredAsTheyAreWritten writes rows of tables of every type by number, some of them twice, and compares
// with a table that is gathered before.
func TestRowsAreGatheredAsTheyAreWritten(t *testing.T) {
	for name, make := range map[string]func(mem memory.Allocator) arrow.Table{
		"flat":       func(mem memory.Allocator) arrow.Table { return flatTable(t, mem, 3000, 7) },
		"nested":     func(mem memory.Allocator) arrow.Table { return nestedTable(t, mem) },
		"dictionary": func(mem memory.Allocator) arrow.Table { return dictionaryTable(t, mem) },
		"words":      func(mem memory.Allocator) arrow.Table { return words(t, mem, 3000) },
	} {
		t.Run(name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			defer mem.AssertSize(t, 0)
			table := make(mem)
			defer table.Release()
			r := rand.New(rand.NewPCG(1, 2))
			b := array.NewUint64Builder(mem)
			defer b.Release()
			for range 5000 {
				b.Append(uint64(r.Int64N(table.NumRows())))
			}
			rows := b.NewUint64Array()
			defer rows.Release()
			taken, err := arrowsort.Take(t.Context(), table, rows, arrowsort.Options{Allocator: mem})
			require.NoError(t, err)
			defer taken.Release()
			want := writeBytes(t, taken, Parquet, WriteOptions{Allocator: mem, RowGroupRows: 1700})
			got := writeBytes(t, table, Parquet,
				WriteOptions{Allocator: mem, RowGroupRows: 1700, Rows: rows.Uint64Values()})
			require.True(t, bytes.Equal(want, got), "the files differ")
			none := writeBytes(t, table, Parquet, WriteOptions{Allocator: mem, Rows: rows.Uint64Values()[:0]})
			in, err := readBytes(t, none, ReadOptions{Format: Parquet, Allocator: mem})
			require.NoError(t, err)
			require.Zero(t, in.Table.NumRows())
			in.Table.Release()
		})
	}
	_, err := Write(t.Context(), Pipe, words(t, memory.DefaultAllocator, 1),
		WriteOptions{Format: CSV, Rows: []uint64{0}})
	require.ErrorContains(t, err, "row numbers")
}
