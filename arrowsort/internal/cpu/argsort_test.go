package cpu

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// binShapes are distributions of the codes of one bin.
var binShapes = map[string]func(r *rand.Rand, n, i int) uint64{
	"uniform": uniform, "20 bits": func(r *rand.Rand, n, i int) uint64 { return 1<<63 + r.Uint64N(1<<20) },
	"few":         func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(3) * 0x123456789abcdef },
	"two":         func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(2) },
	"extremes":    func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(2) * math.MaxUint64 },
	"constant":    func(r *rand.Rand, n, i int) uint64 { return 7 },
	"sorted":      func(r *rand.Rand, n, i int) uint64 { return uint64(i / 2) },
	"reversed":    func(r *rand.Rand, n, i int) uint64 { return uint64(n-i) << 50 },
	"sawtooth":    func(r *rand.Rand, n, i int) uint64 { return uint64(i%17) << 40 },
	"last is odd": func(r *rand.Rand, n, i int) uint64 { return uint64((n - 1 - i) / (n - 1 | 1)) },
	"exponential": func(r *rand.Rand, n, i int) uint64 { return r.Uint64() >> r.IntN(64) },
	"high or low": func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(2)<<63 | r.Uint64N(1<<10) },
	"most": func(r *rand.Rand, n, i int) uint64 {
		return 1<<60 + r.Uint64N(1<<20) +
			uint64(i%(n/2+1)/(n/2|1))<<62
	},
	"groups of 20": func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(uint64(n/20+1))<<58 | r.Uint64N(50) },
	"some tie":     func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(uint64(2*n)) << 30 },
}

// TestOrder compares the order of a bin with the definition for every small size, and checks that it writes to the
// binSorter's own words for rows and counts and to nothing after them, however short these are.
func TestOrder(t *testing.T) {
	sizes := []int{1023, 1024, 1025, 4096, 32768, maxBinRows - 1, maxBinRows}
	for n := 1; n <= 300; n++ {
		sizes = append(sizes, n)
	}
	for _, n := range testrun.Sample(3, sizes) {
		f := newTestBinSorter(t, n, true)
		for i := range f.spare {
			f.spare[i] = 0xee
		}
		for name, shape := range binShapes {
			codes := drawn(1, n, shape)
			before := slices.Clone(codes)
			want := stable(allRows(n), func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
			got := f.sortIndices(codes)
			if slices.IsSorted(codes) {
				require.Nil(t, got, "%s, %d rows, are in order", name, n)
			} else {
				requireSame(t, want, got, "%s, %d rows", name, n)
			}
			requireSame(t, want, f.sortIndicesByDigits(codes), "%s, %d rows by digits", name, n)
			requireSame(t, before, codes, "%s, %d rows: the codes", name, n)
		}
		require.Equal(t, bytes.Repeat([]byte{0xee}, len(f.spare)), f.spare, "%d rows: memory after the counts", n)
	}
}

// TestInsertRecordsGivesUp: the insertion pass ends soon where records are far from their places.
func TestInsertRecordsGivesUp(t *testing.T) {
	const n = 1000
	falling, nearly := make([]uint32, n), allRows(n)
	for i := range falling {
		falling[i] = uint32(n - i)
	}
	for i := 0; i < n; i += 2 {
		nearly[i], nearly[i+1] = nearly[i+1], nearly[i]
	}
	budget := 8 * n
	require.False(t, insertRecords(falling, &budget), "%d records that fall", n)
	require.GreaterOrEqual(t, budget, -n, "the budget is hardly exceeded")
	budget = 8 * n
	require.True(t, insertRecords(nearly, &budget), "neighbours that are swapped")
	requireSame(t, allRows(n), nearly, "neighbours that are swapped")
}

// TestMergeIndices merges parts of all lengths, with and without ties.
func TestMergeIndices(t *testing.T) {
	f := newTestBinSorter(t, 64, false)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 64 {
		for first := range n + 1 {
			codes := drawn(uint64(first), n, func(r *rand.Rand, n, _ int) uint64 { return r.Uint64N(uint64(n)) })
			if r.IntN(2) == 0 {
				codes = drawn(uint64(first), n, uniform)
			}
			slices.Sort(codes[:first])
			slices.Sort(codes[first:])
			want := stable(allRows(n), func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
			order := f.mergeIndices(codes, first)
			if order == nil {
				order = allRows(n)
			}
			require.Equal(t, want, order, "%d of %d", first, n)
		}
	}
}
