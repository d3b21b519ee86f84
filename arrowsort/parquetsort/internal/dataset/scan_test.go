package dataset

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestReadStreamHoldsNoMemory makes sure that the dictionaries of a stream are freed once it is read: the rows are
// sorted, merged and written after that.
func TestReadStreamHoldsNoMemory(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	indices, _, err := array.FromJSON(memory.DefaultAllocator, typ.IndexType, strings.NewReader("[1, 0, 1]"))
	require.NoError(t, err)
	entries, _, err := array.FromJSON(memory.DefaultAllocator, typ.ValueType, strings.NewReader(`["a", "b"]`))
	require.NoError(t, err)
	column := array.NewDictionaryArray(typ, indices, entries)
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: typ}}, nil)
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(schema))
	require.NoError(t, w.Write(array.NewRecord(schema, []arrow.Array{column}, 3)))
	require.NoError(t, w.Close())

	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	d, err := Open(t.Context(), []string{tablefile.Pipe}, Options{Stdin: &stream, Budget: extsort.MinMemory,
		Allocator: mem, Progress: func(extsort.Phase, int64, int64) {}, Warn: func(string) {}}, true)
	require.NoError(t, err)
	defer d.Close()
	require.True(t, d.IsStream())
	rows := int64(0)
	_, err = d.Scan(t.Context(), ScanOptions{Columns: d.All()}, func(_ int, batch arrow.Table) error {
		rows += batch.NumRows()
		return nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 3, rows)
	mem.AssertSize(t, 0)
}
