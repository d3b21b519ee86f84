package adapter

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func randomBits(rng *rand.Rand, n int) []byte {
	b := make([]byte, (n+7)/8)
	for i := range b {
		b[i] = byte(rng.Uint32() | rng.Uint32())
	}
	return b
}

// TestValidityMerges compares merged bitmaps of one to three levels with their bits.
func TestValidityMerges(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		w := newWork(&Input{}, Options{Allocator: mem})
		rows, offset := 1+rng.IntN(200), rng.IntN(8)
		v := view{rows: rows}
		for range 1 + rng.IntN(3) {
			first := rng.IntN(130)
			v.masks = append(v.masks, mask{randomBits(rng, first+rows), first})
		}
		bits, err := w.validity(v, offset)
		require.NoError(t, err)
		for i := range rows {
			want := true
			for _, m := range v.masks {
				want = want && bitutil.BitIsSet(m.bits, m.first+i)
			}
			require.Equal(t, want, bitutil.BitIsSet(bits, offset+i), "seed %d, row %d of %d", seed, i, rows)
		}
		w.Release()
		mem.AssertSize(t, 0)
	}
}

func TestValidityIsBorrowed(t *testing.T) {
	w := newWork(&Input{}, Options{Allocator: memory.NewCheckedAllocator(memory.NewGoAllocator())})
	bits, err := w.validity(view{rows: 9}, 3)
	require.NoError(t, err)
	require.Nil(t, bits)
	own := []byte{1, 2, 3, 4}
	bits, err = w.validity(view{rows: 9, masks: []mask{{own, 11}}}, 3)
	require.NoError(t, err)
	require.Same(t, &own[1], &bits[0])
	require.Empty(t, w.temp)
}

// TestViewsFollowOffsets walks into a slice of a struct whose child is a slice too.
func TestViewsFollowOffsets(t *testing.T) {
	values := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
	child := array.NewData(arrow.PrimitiveTypes.Int32, 8, []*memory.Buffer{nil, values}, nil, 0, 2)
	typ := arrow.StructOf(arrow.Field{Name: "x", Type: child.DataType()})
	parent := array.NewData(
		typ, 4, []*memory.Buffer{memory.NewBufferBytes([]byte{0b1010_1010})}, []arrow.ArrayData{child}, 2, 3,
	)
	a := array.MakeFromData(parent)
	empty := array.NewSlice(a, 2, 2)
	in := Input{Rows: 6, Columns: []Column{{Type: typ, Chunks: []arrow.Array{a, empty, a, a}}}}
	views := in.views([]int{0, 0}, nil)
	require.Len(t, views, 2)
	require.Equal(t, []int{4, 2}, []int{views[0].rows, views[1].rows})
	require.Equal(t, 5, views[0].first)
	require.Equal(t, 3, views[0].masks[0].first)
	w := newWork(&in, Options{Allocator: memory.DefaultAllocator})
	l, _ := layoutOf(child.DataType())
	c, err := w.column(l, views)
	require.NoError(t, err)
	require.Equal(t, int32(5), arrow.Int32Traits.CastFromBytes(c.Chunks[0].Values)[c.Chunks[0].Offset])
}
