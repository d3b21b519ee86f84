package adapter

import (
	"context"
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestFitsOffsets adds up offsets of chunks without looking at their bytes.
func TestFitsOffsets(t *testing.T) {
	of := func(from, to int32) arraySlice {
		offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, from, to}))
		data := array.NewData(arrow.BinaryTypes.String, 1, []*memory.Buffer{nil, offsets, nil}, nil, 0, 1)
		return newSlice(data, 1)
	}
	require.True(t, fitsOffsets(nil))
	require.True(t, fitsOffsets([]arraySlice{of(0, math.MaxInt32)}))
	require.True(t, fitsOffsets([]arraySlice{of(5, math.MaxInt32), of(0, 5)}))
	require.False(t, fitsOffsets([]arraySlice{of(5, math.MaxInt32), of(0, 6)}))
}

// TestStructPayload gathers fields with their own validity while the key has that of the struct merged in.
func TestStructPayload(t *testing.T) {
	values := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{4, 3, 2, 1}))
	child := array.NewData(arrow.PrimitiveTypes.Int32, 4, []*memory.Buffer{nil, values}, nil, 0, 0)
	typ := arrow.StructOf(arrow.Field{Name: "x", Type: child.DataType(), Nullable: true})
	data := array.NewData(
		typ, 4, []*memory.Buffer{memory.NewBufferBytes([]byte{0b1011})}, []arrow.ArrayData{child}, 1, 0,
	)
	in := &Input{Rows: 4, Columns: []Column{{Type: typ, Chunks: []arrow.Array{array.MakeFromData(data)}}}}
	w := newWork(in, Options{Allocator: memory.DefaultAllocator})
	leaf := Leaf{Path: []int{0, 0}, Name: "s.x", Type: child.DataType()}
	require.NoError(t, w.AddKey(leaf, keyencode.Descending, keyencode.NullsAtEnd))
	require.NoError(t, w.AddPayloads())
	require.Len(t, w.Job.Columns, 3)
	require.Equal(t, []int{1, 2}, w.Job.Gather)
	require.Equal(t, []byte{0b1011}, w.Job.Columns[0].Chunks[0].Validity)
	require.Equal(t, keyencode.Null, w.Job.Columns[1].Kind)
	require.Equal(t, []byte{0b1011}, w.Job.Columns[1].Chunks[0].Validity)
	require.Nil(t, w.Job.Columns[2].Chunks[0].Validity)
	require.Zero(t, w.Job.RowNumbers)
}

// TestAssembleGivesBackWhatItDoesNotUse fails at the second of two columns: one gathered, one to take by a bad row
// number.
func TestAssembleGivesBackWhatItDoesNotUse(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := floats(mem, []float64{2, 1}, []bool{true, false})
	defer a.Release()
	b := array.NewListBuilder(mem, arrow.BinaryTypes.String)
	b.AppendNull()
	b.AppendNull()
	list := b.NewArray()
	b.Release()
	defer list.Release()
	in := &Input{Rows: 2, Columns: []Column{
		{Name: "a", Type: a.DataType(), Chunks: []arrow.Array{a}},
		{Name: "list", Type: list.DataType(), Chunks: []arrow.Array{list}},
	}}
	w := newWork(in, Options{Allocator: mem, Ranker: cpu.New()})
	defer w.Release()
	require.NoError(t, w.AddPayloads())
	require.Equal(t, 4, w.Job.RowNumbers)

	result, err := cpu.New().Sort(t.Context(), &w.Job, mem)
	require.NoError(t, err)
	columns, err := w.Assemble(result)
	require.NoError(t, err)
	require.True(t, array.Equal(a, columns[0][0]))
	require.True(t, array.Equal(list, columns[1][0]))
	ReleaseAll(columns)

	result, err = cpu.New().Sort(t.Context(), &w.Job, mem)
	require.NoError(t, err)
	arrow.Uint32Traits.CastFromBytes(result.RowNumbers)[0] = 9
	columns, err = w.Assemble(result)
	require.ErrorIs(t, err, arrow.ErrIndex)
	require.NotErrorIs(t, err, take.ErrOffsets)
	require.ErrorContains(t, err, "column list")
	require.Nil(t, columns)
}

func TestRowNumbersLeaveTheResult(t *testing.T) {
	mem := arrowtest.Checked(t)
	result := &engine.Result{Rows: 1, RowNumbers: mem.Allocate(8)}
	data := RowNumbers(result, arrow.PrimitiveTypes.Uint64, mem)
	require.Nil(t, result.RowNumbers)
	data.Release()
	RowNumbers(&engine.Result{}, arrow.PrimitiveTypes.Uint64, mem).Release()
}

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
