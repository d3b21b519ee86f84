package binsort

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestSorter orders rows by keys of two words: those of a bin, those of a list, and records with few bits of the code.
func TestSorter(t *testing.T) {
	const n, rowBits = 5000, 13
	pool, mem := workers.NewPool(t.Context(), 1, 0, nil), arena.New(t.Context(), cputest.NewMeter(t))
	defer mem.Release()
	fs, err := NewSorters(pool, mem, 1, n, 8, true)
	require.NoError(t, err)
	f := fs[0]
	for name, shape := range cputest.Shapes {
		first := cputest.Drawn(1, n, shape)
		second := cputest.Drawn(2, n, func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() >> (64 * r.Uint64N(2)) })
		job := engine.Job{
			Rows: n, Columns: []keyencode.Column{cputest.Uint64Column(first), cputest.Uint64Column(second)},
			Keys: []keyencode.Key{{}, {Column: 1}},
		}
		k := keys.New(&job)
		require.NoError(t, k.MeasureAll(pool))
		compare := func(a, b uint32) int {
			return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[a], second[b]))
		}
		const base = 100
		order := f.Own(f.Order(k.Plan, k.Source(), base, n-base), n-base)
		want := cputest.Stable(cputest.AllRows(n-base), func(a, b uint32) int { return compare(a+base, b+base) })
		cputest.RequireSame(t, want, order, "%s, rows from %d", name, base)

		listed := cputest.AllRows(n)
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, k int) { listed[i], listed[k] = listed[k], listed[i] })
		want = cputest.Stable(listed, compare)
		f.SortList(k.Plan, k.Source(), listed, 0)
		cputest.RequireSame(t, want, listed, "%s, a list", name)

		for _, rest := range []uint{uint(max(k.Plan.WordBits(0), 51) - 51), uint(k.Plan.WordBits(0)) / 2} {
			records := make([]uint64, n)
			keys.EncodeAll(k.Source(), records, 0)
			for i, code := range records {
				records[i] = code>>rest<<rowBits | uint64(i)
			}
			f.SortRecords(k.Plan, k.Source(), records, rowBits, rest)
			want = cputest.Stable(cputest.AllRows(n), compare)
			for i, row := range records {
				require.EqualValues(t, want[i], row, "%s, %d bits left out, place %d", name, rest, i)
			}
		}
	}
	f.Release(mem)
}
