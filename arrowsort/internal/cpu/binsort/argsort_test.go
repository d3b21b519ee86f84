package binsort

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// binShapes are distributions of the codes of one bin.
var binShapes = map[string]func(r *rand.Rand, n, i int) uint64{
	"uniform": cputest.Uniform, "20 bits": func(r *rand.Rand, n, i int) uint64 { return 1<<63 + r.Uint64N(1<<20) },
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
	"digits":       func(r *rand.Rand, n, i int) uint64 { return asText(r.Uint64N(1e8), 10) },
	"letters":      func(r *rand.Rand, n, i int) uint64 { return asText(r.Uint64N(1<<40), 32) },
	"one number":   func(r *rand.Rand, n, i int) uint64 { return asText(r.Uint64N(uint64(n)), 10) << 8 },
	"some tie":     func(r *rand.Rand, n, i int) uint64 { return r.Uint64N(uint64(2*n)) << 30 },
}

// asText returns a number as 8 digits of a base, in ASCII.
func asText(x, base uint64) (code uint64) {
	for i := range 8 {
		code |= uint64("0123456789abcdefghijklmnopqrstuvwxyz"[x%base]) << (8 * i)
		x /= base
	}
	return code
}

// testArgsort is for bins of up to rows rows, with marked memory after its storage.
func testArgsort(rows int) (s Argsort, after []uint32) {
	all := make([]uint32, 2*rows+Counters(rows)+8)
	a, b := all[:rows:rows], all[rows:2*rows:2*rows]
	counts, after := all[2*rows:len(all)-8:len(all)-8], all[len(all)-8:]
	for i := range after {
		after[i] = 0xee
	}
	return NewArgsort(a, b, counts), after
}

// TestOrder compares the order of a bin with the definition for every small size, and checks that it writes to its own
// storage and to nothing after it, however short this is.
func TestOrder(t *testing.T) {
	sizes := []int{1023, 1024, 1025, 4096, 32768, MaxRows - 1, MaxRows}
	for n := 1; n <= 300; n++ {
		sizes = append(sizes, n)
	}
	for _, n := range testrun.Sample(3, sizes) {
		f, after := testArgsort(n)
		for name, shape := range binShapes {
			codes := cputest.Drawn(1, n, shape)
			before := slices.Clone(codes)
			want := cputest.Stable(cputest.AllRows(n), func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
			got := f.Order(codes)
			if slices.IsSorted(codes) {
				require.Nil(t, got, "%s, %d rows, are in order", name, n)
			} else {
				cputest.RequireSame(t, want, got, "%s, %d rows", name, n)
			}
			cputest.RequireSame(t, want, f.orderByBytes(codes), "%s, %d rows by digits", name, n)
			cputest.RequireSame(t, before, codes, "%s, %d rows: the codes", name, n)
		}
		require.Equal(t, slices.Repeat([]uint32{0xee}, len(after)), after, "%d rows: memory after the counts", n)
	}
}

// TestInsertionPassGivesUp: the insertion pass ends soon where records are far from their places.
func TestInsertionPassGivesUp(t *testing.T) {
	const n = 1000
	falling, nearly := make([]uint32, n), cputest.AllRows(n)
	for i := range falling {
		falling[i] = uint32(n - i)
	}
	for i := 0; i < n; i += 2 {
		nearly[i], nearly[i+1] = nearly[i+1], nearly[i]
	}
	budget := 8 * n
	require.False(t, insertionPass(falling, &budget), "%d records that fall", n)
	require.GreaterOrEqual(t, budget, -n, "the budget is hardly exceeded")
	budget = 8 * n
	require.True(t, insertionPass(nearly, &budget), "neighbours that are swapped")
	cputest.RequireSame(t, cputest.AllRows(n), nearly, "neighbours that are swapped")
}

// TestOrderOfTwoRuns merges parts of all lengths, with and without ties.
func TestOrderOfTwoRuns(t *testing.T) {
	f, _ := testArgsort(64)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 64 {
		for first := range n + 1 {
			low := func(r *rand.Rand, n, _ int) uint64 { return r.Uint64N(uint64(n)) }
			codes := cputest.Drawn(uint64(first), n, low)
			if r.IntN(2) == 0 {
				codes = cputest.Drawn(uint64(first), n, cputest.Uniform)
			}
			slices.Sort(codes[:first])
			slices.Sort(codes[first:])
			want := cputest.Stable(cputest.AllRows(n), func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
			order := f.OrderOfTwoRuns(codes, first)
			if order == nil {
				order = cputest.AllRows(n)
			}
			require.Equal(t, want, order, "%d of %d", first, n)
		}
	}
}
