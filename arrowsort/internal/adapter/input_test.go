package adapter

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// TestOpen borrows data of every shape, and nothing else.
func TestOpen(t *testing.T) {
	a := floats(memory.DefaultAllocator, []float64{2, 1}, nil)
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: a.DataType()}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{a}, 2)
	chunked := arrow.NewChunked(a.DataType(), []arrow.Array{a, a})
	for _, c := range []struct {
		data  any
		shape Shape
		rows  int
		name  string
	}{
		{rec, Record, 2, "a"}, {array.NewTableFromRecords(schema, []arrow.Record{rec, rec}), Table, 4, "a"},
		{a, Array, 2, ""}, {chunked, Chunked, 4, ""},
	} {
		var in Input
		require.NoError(t, in.Open(c.data))
		require.Equal(t, c.shape, in.Shape)
		require.Equal(t, c.rows, in.Rows)
		require.Equal(t, c.name != "", in.HasNames())
		require.Equal(t, in.HasNames(), in.Schema != nil)
		require.Len(t, in.Columns, 1)
		require.Equal(t, c.name, in.Columns[0].Name)
		require.Equal(t, a.DataType(), in.Columns[0].Type)
		require.Len(t, in.Columns[0].Chunks, c.rows/2)
	}
	for _, data := range []any{nil, "text", (*arrow.Chunked)(nil), (*array.Float64)(nil), a.Data()} {
		var in Input
		require.ErrorIs(t, in.Open(data), errkind.ErrOption, "%T", data)
	}
}

// TestOpenOfManyColumns: more than there is storage for.
func TestOpenOfManyColumns(t *testing.T) {
	a := floats(memory.DefaultAllocator, []float64{2, 1}, nil)
	var fields []arrow.Field
	var columns []arrow.Array
	for _, name := range []string{"a", "b", "", "d", "e", "f"} {
		fields, columns = append(fields, arrow.Field{Name: name, Type: a.DataType()}), append(columns, a)
	}
	var in Input
	require.NoError(t, in.Open(array.NewRecord(arrow.NewSchema(fields, nil), columns, 2)))
	require.Len(t, in.Columns, 6)
	require.Equal(t, "#2", in.Label(2), "a column without a name")
	require.Equal(t, "f", in.Label(5))
	empty := OfSchema(in.Schema)
	require.Zero(t, empty.Rows)
	require.Len(t, empty.Columns, 6)
	require.True(t, empty.HasNames())
}

func TestRepeated(t *testing.T) {
	a, b := new(int), new(int)
	_, _, ok := Repeated([]*int{a, b})
	require.False(t, ok)
	first, second, ok := Repeated([]any{a, []int{1}, b, []int{1}, a})
	require.True(t, ok)
	require.Equal(t, []int{0, 4}, []int{first, second})
}
