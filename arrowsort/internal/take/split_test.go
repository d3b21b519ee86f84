package take

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// has32 reports that a type has 32-bit offsets somewhere.
func has32(typ arrow.DataType) bool {
	switch t := arraydata.Storage(typ).(type) {
	case *arrow.StringType, *arrow.BinaryType, *arrow.ListType, *arrow.ListViewType, *arrow.MapType,
		*arrow.DenseUnionType:
		return true
	case *arrow.RunEndEncodedType:
		return has32(t.Encoded())
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if has32(f.Type) {
				return true
			}
		}
	}
	return false
}

func TestOverflowSplitsOrFails(t *testing.T) {
	const limit = 2000 // more than any one row, or dictionary, of these types needs
	for _, typ := range testrun.Sample(3, arrowtest.Types()) {
		rng := rand.New(rand.NewPCG(8, 8))
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		chunks := randomColumn(rng, typ, layout{[]int{150, 30}, []int{3, 0}}, 0.1, mem)
		rows := make([]uint32, 8000)
		for i := range rows {
			rows[i] = uint32(rng.IntN(180))
		}
		got, err := takeWithin(t.Context(), typ, chunks, rows, Options{Allocator: mem}, limit)
		if has32(typ) {
			require.ErrorIs(t, err, ErrOffsets, "%s", typ)
			require.ErrorIs(t, err, arrow.ErrInvalid, "%s", typ)
			require.ErrorContains(t, err, "holds at most 2000", "%s", typ)
		} else {
			require.NoError(t, err, "%s", typ)
		}
		releaseAll(got)
		got, err = takeWithin(t.Context(), typ, chunks, rows, Options{Allocator: mem, Split: true}, limit)
		require.NoError(t, err, "%s", typ)
		require.Equal(t, has32(typ), len(got) > 1, "%s: %d pieces", typ, len(got))
		requireTaken(t, typ, chunks, rows, got, typ.String())
		releaseAll(got)
		releaseAll(chunks)
		mem.AssertSize(t, 0)
	}
}

func TestOneRowOverTheLimitCannotBeSplit(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	rng := rand.New(rand.NewPCG(8, 8))
	typ := arrow.BinaryTypes.String
	chunks := randomColumn(rng, typ, layout{[]int{150}, []int{0}}, 0, mem)
	rows := rowPatterns(rng, 150)["all"]
	_, err := takeWithin(t.Context(), typ, chunks, rows, Options{Allocator: mem, Split: true}, 5)
	require.ErrorIs(t, err, ErrOffsets)
	releaseAll(chunks)
	mem.AssertSize(t, 0)
}

func TestRunEndsOf16BitsSplit(t *testing.T) {
	typ := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String)
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	rng := rand.New(rand.NewPCG(8, 8))
	chunks := randomColumn(rng, typ, layout{[]int{150, 30}, []int{3, 0}}, 0.1, mem)
	rows := make([]uint32, 70_000)
	for i := range rows {
		rows[i] = uint32(rng.IntN(180))
	}
	_, err := Take(t.Context(), typ, chunks, rows, Options{Allocator: mem})
	require.ErrorIs(t, err, ErrOffsets)
	require.ErrorContains(t, err, "70000")
	got, err := Take(t.Context(), typ, chunks, rows, Options{Allocator: mem, Split: true})
	require.NoError(t, err)
	require.Len(t, got, 3)
	for i := 0; i < len(rows); i += 97 {
		require.Equal(t, valueOf(chunks, int(rows[i])), valueOf(got, i), "row %d", i)
	}
	releaseAll(got)
	releaseAll(chunks)
	mem.AssertSize(t, 0)
}
