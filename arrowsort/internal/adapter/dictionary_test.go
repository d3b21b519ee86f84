package adapter

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/keyencode"
)

// dictionaryOf is a dictionary array with the indices 0 and 1.
func dictionaryOf(entries arrow.Array) *array.Dictionary {
	b := array.NewInt8Builder(memory.DefaultAllocator)
	b.AppendValues([]int8{0, 1}, nil)
	return array.NewDictionaryArray(
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: entries.DataType()}, b.NewArray(),
		entries,
	)
}

// TestSharedDictionariesAreRankedOnce counts the ranks of chunks that share, repeat and change their dictionary.
func TestSharedDictionariesAreRankedOnce(t *testing.T) {
	mem := memory.DefaultAllocator
	entries := floats(mem, []float64{2, 1}, nil)
	again := floats(mem, []float64{2, 1}, nil) // other memory, the same bytes
	other := floats(mem, []float64{2, 3}, nil)
	chunks := []arrow.Array{dictionaryOf(entries), dictionaryOf(entries), dictionaryOf(again), dictionaryOf(other)}
	in := &Input{Rows: 8, Columns: []Column{{Type: chunks[0].DataType(), Chunks: chunks}}}
	distinct, of := dictionaries(in.views([]int{0}, nil))
	require.Len(t, distinct, 2)
	require.Equal(t, []int{0, 0, 0, 1}, of)

	w := newWork(in, Options{Allocator: mem, Ranker: cpu.New()})
	require.NoError(
		t, w.AddKey(Leaf{Path: []int{0}, Type: chunks[0].DataType()}, keyencode.Ascending, keyencode.NullsAtEnd),
	)
	c := w.Job.Columns[0]
	require.Equal(t, keyencode.Dictionary8, c.Kind)
	require.Equal(t, []uint32{2, 1}, c.Chunks[2].Ranks)
	require.Equal(t, []uint32{2, 3}, c.Chunks[3].Ranks)
	require.NoError(t, w.AddPayloads())
	require.True(t, w.payloads[0].taken, "the dictionaries differ")

	in.Columns[0].Chunks, in.Rows = chunks[:3], 6
	w = newWork(in, Options{Allocator: mem, Ranker: cpu.New()})
	require.NoError(t, w.AddPayloads())
	require.False(t, w.payloads[0].taken)
	require.Equal(t, keyencode.Int8, w.Job.Columns[0].Kind)
}
