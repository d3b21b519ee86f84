package cpu

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

func bitAt(bitmap []byte, i int) bool { return bitmap[i/8]>>(i%8)&1 == 1 }

// modes are the orders and placements of a key.
var modes = []keyencode.Key{
	{
		Order: keyencode.Ascending, Nulls: keyencode.NullsAtEnd,
	}, {Order: keyencode.Ascending, Nulls: keyencode.NullsAtStart},
	{
		Order: keyencode.Descending, Nulls: keyencode.NullsAtEnd,
	}, {Order: keyencode.Descending, Nulls: keyencode.NullsAtStart},
}

// TestValidityOfTheOnlyKey sorts a nullable key, whose validity is not moved: nulls are one run at the end or at the
// start, and a limit cuts it anywhere.
func TestValidityOfTheOnlyKey(t *testing.T) {
	for _, n := range []int{1, 9, 3000, 50_000} {
		for _, share := range []float64{0, 0.3, 1} {
			r := rand.New(rand.NewPCG(uint64(n), 7))
			keys, valid := make([]uint64, n), make([]bool, n)
			nulls := 0
			for i := range keys {
				keys[i], valid[i] = r.Uint64N(1000), r.Float64() >= share
				if !valid[i] {
					nulls++
				}
			}
			c := uint64Column(append([]uint64{99, 99, 99}, keys...)) // garbage first
			c.Chunks[0] = keyencode.Chunk{
				Rows: n, Offset: 3, Values: c.Chunks[0].Values, Validity: cputest.Bitmap(r, 3, valid),
			}
			for _, mode := range modes {
				want := stable(allRows(n), func(a, b uint32) int {
					if valid[a] != valid[b] || !valid[a] {
						return cmp.Compare(place(valid[a], mode), place(valid[b], mode))
					}
					if mode.Order == keyencode.Descending {
						a, b = b, a
					}
					return cmp.Compare(keys[a], keys[b])
				})
				for _, limit := range []int{0, 1, n / 7, nulls - 1, nulls, nulls + 1, n - nulls, n - nulls + 1, n/2 + 3,
					n - 1} {
					if limit < 0 || n > 3000 && limit%2 == 1 { // half of them are enough
						continue
					}
					for _, width := range []int{0, 4} {
						job := engine.Job{
							Rows: n, Columns: []keyencode.Column{c}, Keys: []keyencode.Key{mode}, Gather: []int{0},
							RowNumbers: width, Limit: limit, Threads: 2,
						}
						res, _ := mustSort(t, &job)
						name := fmt.Sprintf(
							"%d rows, %d nulls, key %+v, limit %d, row numbers %d", n, nulls, mode, limit, width,
						)
						requireColumn(t, keys, valid, want[:res.Rows], &res.Columns[0], name)
						if width > 0 {
							requireSame(t, want[:res.Rows], buffers.View[uint32](res.RowNumbers), "%s", name)
						}
					}
				}
			}
		}
	}
}

// place is where a class goes: values at 1.
func place(valid bool, k keyencode.Key) int {
	switch {
	case valid:
		return 1
	case k.Nulls == keyencode.NullsAtStart:
		return 0
	}
	return 2
}

func requireColumn(t *testing.T, keys []uint64, valid []bool, rows []uint32, got *engine.Column, name string) {
	t.Helper()
	nulls := 0
	for i, row := range rows {
		if !valid[row] {
			nulls++
		}
		if got.Validity != nil && bitAt(got.Validity, i) != valid[row] ||
			valid[row] && buffers.View[uint64](got.Values)[i] != keys[row] {
			require.Failf(t, "wrong value", "%s: place %d, row %d", name, i, row)
		}
	}
	require.Equal(t, nulls, got.Nulls, name)
	require.Equal(t, nulls > 0, got.Validity != nil, name)
	if nulls > 0 {
		require.Len(t, got.Validity, (len(rows)+7)/8, name)
		for i := len(rows); i < 8*len(got.Validity); i++ {
			require.False(t, bitAt(got.Validity, i), "%s: padding bit %d", name, i)
		}
	}
}

// TestSetRange sets every range of a bitmap.
func TestSetRange(t *testing.T) {
	const n = 40
	for lo := range n + 1 {
		for hi := lo; hi <= n; hi++ {
			bitmap := make([]byte, n/8)
			setRange(bitmap, lo, hi)
			for i := range n {
				require.Equal(t, i >= lo && i < hi, bitAt(bitmap, i), "bit %d of %d..%d", i, lo, hi)
			}
		}
	}
}

// TestSetBits counts ones at every offset, of lengths on both sides of words.
func TestSetBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for offset := range 70 {
		for _, n := range []int{0, 1, 7, 8, 9, 56, 63, 64, 65, 127, 128, 200} {
			set := make([]bool, n)
			ones := 0
			for i := range set {
				if set[i] = r.IntN(3) > 0; set[i] {
					ones++
				}
			}
			bitmap := cputest.Bitmap(r, offset, set)
			require.Equal(t, ones, setBits(bitmap, offset, n), "%d bits at offset %d", n, offset)
		}
	}
}

// TestPackBits packs each bit of bytes; the padding is zero.
func TestPackBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 100 {
		src := make([]byte, n)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		for bit := range uint(8) {
			dst := slices.Repeat([]byte{0xff}, (n+7)/8)
			packBits(dst, src, bit)
			for i := range 8 * len(dst) {
				require.Equal(t, i < n && src[i]>>bit&1 == 1, bitAt(dst, i), "place %d of %d, bit %d", i, n, bit)
			}
		}
	}
}

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

// TestBitmapWithoutNulls: a bitmap that marks no row costs the result none.
func TestBitmapWithoutNulls(t *testing.T) {
	const n = 70_000
	keys := drawn(1, n, uniform)
	c := uint64Column(keys)
	c.Chunks[0].Validity = slices.Repeat([]byte{0xff}, n/8+1)
	plain := uint64Column(drawn(2, n, uniform))
	job := engine.Job{Rows: n, Columns: []keyencode.Column{plain, c}, Keys: []keyencode.Key{{}}, Gather: []int{1, 0}}
	res, temp := mustSort(t, &job)
	require.Nil(t, res.Columns[0].Validity)
	job.Columns = []keyencode.Column{plain, uint64Column(keys)}
	again, without := mustSort(t, &job)
	require.Equal(t, again.Columns, res.Columns)
	require.Equal(t, without, temp, "temp memory")
}
