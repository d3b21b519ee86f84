package adapter

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// TestAssembleGivesBackWhatItDoesNotUse fails at the second of two columns: one gathered, one to take by a bad row
// number.
func TestAssembleGivesBackWhatItDoesNotUse(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	a := floats(mem, []float64{2, 1}, []bool{true, false})
	defer a.Release()
	b := array.NewListBuilder(mem, arrow.PrimitiveTypes.Int8)
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
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	result := &engine.Result{Rows: 1, RowNumbers: mem.Allocate(8)}
	data := RowNumbers(result, arrow.PrimitiveTypes.Uint64, mem)
	require.Nil(t, result.RowNumbers)
	data.Release()
	RowNumbers(&engine.Result{}, arrow.PrimitiveTypes.Uint64, mem).Release()
}
