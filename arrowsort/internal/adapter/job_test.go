package adapter

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/keyencode"
)

func newWork(input *Input, opts Options) *JobBuilder {
	w := &JobBuilder{}
	w.Start(context.Background(), input, opts)
	return w
}

// TestKeysAndPayloadShareColumns gives the engine a column once that is a key and payload, by its position.
func TestKeysAndPayloadShareColumns(t *testing.T) {
	a := floats(memory.DefaultAllocator, []float64{2, 1}, nil)
	in := &Input{Rows: 2, Columns: []Column{
		{Name: "a", Type: a.DataType(), Chunks: []arrow.Array{a}},
		{Name: "n", Type: arrow.Null, Chunks: []arrow.Array{array.NewNull(2)}},
		{Name: "b", Type: a.DataType(), Chunks: []arrow.Array{a}},
	}}
	w := newWork(in, Options{Allocator: memory.DefaultAllocator, Threads: 3})
	require.NoError(
		t, w.AddKey(Leaf{Path: []int{2}, Name: "b", Type: a.DataType()}, keyencode.Descending, keyencode.NullsAtStart),
	)
	require.NoError(
		t, w.AddKey(Leaf{Path: []int{1}, Name: "n", Type: arrow.Null}, keyencode.Ascending, keyencode.NullsAtEnd),
	)
	require.NoError(t, w.AddPayloads())
	require.Equal(t, []keyencode.Key{
		{Column: 0, Name: "b", Type: "float64", Order: keyencode.Descending, Nulls: keyencode.NullsAtStart},
		{Column: 1, Name: "n", Type: "null"},
	}, w.Job.Keys)
	require.Len(t, w.Job.Columns, 3)
	require.Equal(t, []int{2, 0}, w.Job.Gather)
	require.Equal(t, 2, w.Job.Rows)
	require.Equal(t, 3, w.Job.Threads)
}
