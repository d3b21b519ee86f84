package payload

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestSpreadBits spreads validity and values at every offset to bytes, which packBits packs again.
func TestSpreadBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for offset := range 20 {
		for _, n := range []int{0, 1, 8, 31, 100} {
			valid, value := make([]bool, n), make([]bool, n)
			for i := range valid {
				valid[i], value[i] = r.IntN(3) > 0, r.IntN(2) > 0
			}
			k := keyencode.Chunk{
				Rows: n, Offset: offset, Validity: cputest.Bitmap(r, offset, valid),
				Values: cputest.Bitmap(r, offset, value),
			}
			dst := make([]byte, n)
			spreadBits(dst, &k, true, offset)
			for i, b := range dst {
				require.Equal(
					t, [2]bool{valid[i], value[i]}, [2]bool{b&validBit > 0, b&valueBit > 0},
					"row %d of %d at offset %d", i, n, offset,
				)
			}
			k.Validity = nil
			spreadBits(dst, &k, false, offset)
			require.Equal(t, slices.Repeat([]byte{validBit}, n), dst, "no bitmap, no values")
		}
	}
}

// TestMovers: all ways to rows of a mover have the same bytes, of columns in one chunk and in many.
func TestMovers(t *testing.T) {
	const n = 5000
	numbers := cputest.Drawn(1, n, cputest.Uniform)
	fixed := func(ends ...int) *Mover {
		c := keyencode.Column{Kind: keyencode.Uint64}
		lo := 0
		for _, end := range ends {
			values := buffers.Bytes(numbers[max(lo-3, 0):end])
			c.Chunks = append(c.Chunks, keyencode.Chunk{Rows: end - lo, Offset: min(lo, 3), Values: values})
			lo = end
		}
		return newFixed(newChunked(&c))
	}
	wide, err := NewRowNumbers(8)
	require.NoError(t, err)
	narrow, err := NewRowNumbers(4)
	require.NoError(t, err)
	_, err = NewRowNumbers(2)
	require.ErrorIs(t, err, engine.ErrKind)
	pool := workers.NewPool(t.Context(), 1, 0, nil)
	for name, m := range map[string]*Mover{
		"one chunk": fixed(n), "chunks": fixed(100, 100, 777, n), "8 bytes": wide, "4 bytes": narrow,
	} {
		all := make([]byte, n*m.Width)
		m.Fill(all, 0)
		switch name {
		case "one chunk", "chunks":
			require.Equal(t, numbers, buffers.View[uint64](all), name)
		case "8 bytes":
			require.EqualValues(t, n-1, buffers.View[uint64](all)[n-1])
		}
		require.Equal(t, name == "one chunk", m.InPlace(n), name)
		scratch, next := make([]byte, 64*m.Width), 0
		m.EachBlock(pool, 0, n, scratch, func(block []byte, at, rows int) {
			require.Equal(t, next, at)
			require.Equal(t, all[at*m.Width:(at+rows)*m.Width], block, "%s, row %d", name, at)
			next = at + rows
		})
		require.Equal(t, n, next)
		rows := []uint32{4999, 0, 100, 99, 776, 777, 0}
		got := make([]byte, len(rows)*m.Width)
		m.Take(got, rows)
		for i, row := range rows {
			require.Equal(t, all[int(row)*m.Width:][:m.Width], got[i*m.Width:][:m.Width], "%s, row %d", name, row)
		}
	}
}
