package take

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// Every width, from one chunk and from several, by every kind of selection.
func TestFixedOfEveryWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	g := newGatherer(t.Context(), Options{}, 0)
	defer g.release()
	for width := range 70 {
		src := make([][]byte, 3)
		for c := range src {
			src[c] = make([]byte, 100*width)
			for i := range src[c] {
				src[c][i] = byte(rng.Uint32())
			}
		}
		for chunks := 1; chunks <= 3; chunks += 2 {
			at := make(positionList, 150)
			for i := range at {
				at[i] = uint64(rng.IntN(chunks))<<rowBits | uint64(rng.IntN(50))
			}
			for name, sel := range map[string]selection{"positionList": at, "groups": groups{at, 2},
				"spans": spans[int64]{at[:2], []int64{0, 50, 70}}} {
				got, err := g.fixed(src[:chunks], width, sel)
				require.NoError(t, err)
				want := []byte{}
				for _, p := range sel.at(0, sel.len(), make([]uint64, sel.len())) {
					want = append(want, src[p>>rowBits][int(p&rowMask)*width:][:width]...)
				}
				require.Equal(
					t, want, append([]byte{}, got.Bytes()...), "%s of width %d from %d chunks", name, width, chunks,
				)
			}
		}
	}
}

func TestTilesAreWholeWordsOfABitmap(t *testing.T) {
	require.Zero(t, tileRows%64)
	require.Zero(t, blockRows%64)
	for _, width := range []int{1, 16, 17, 1000, 1 << 22} {
		size := tileSize(width)
		require.True(t, size > 0 && size%64 == 0 && size <= tileRows, fmt.Sprint(width, size))
	}
}

func TestAsReadsLittleEndian(t *testing.T) {
	b := binary.LittleEndian.AppendUint64(nil, 0x0102030405060708)
	require.Equal(t, []uint32{0x05060708, 0x01020304}, buffers.View[uint32](b))
	require.Empty(t, buffers.View[uint64](b[:7]))
}

func TestViewsReferToEachBufferOnce(t *testing.T) {
	mem := arrowtest.Checked(t)
	var wholes []arrow.Array
	for w := range 2 {
		b := array.NewStringViewBuilder(mem)
		for i := range 6 {
			b.Append(fmt.Sprintf("array %d, row %d, more than twelve bytes", w, i))
		}
		wholes = append(wholes, b.NewArray())
		b.Release()
	}
	defer releaseAll(wholes)
	chunks := []arrow.Array{
		array.NewSlice(wholes[0], 0, 3), array.NewSlice(wholes[1], 2, 4), array.NewSlice(wholes[0], 3, 6),
	}
	defer releaseAll(chunks)
	got, err := Take(t.Context(), arrow.BinaryTypes.StringView, chunks, []uint32{7, 3, 0}, Options{Allocator: mem})
	require.NoError(t, err)
	defer releaseAll(got)
	v := got[0].(*array.StringView)
	require.Equal(t, "array 0, row 5, more than twelve bytes", v.Value(0))
	require.Equal(t, "array 1, row 2, more than twelve bytes", v.Value(1))
	require.Equal(t, "array 0, row 0, more than twelve bytes", v.Value(2))
	data := v.Data().Buffers()[2:]
	require.Len(t, data, len(wholes[0].Data().Buffers()[2:])+len(wholes[1].Data().Buffers()[2:]))
	require.Same(t, wholes[0].Data().Buffers()[2], data[0])
}
