package keys

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/arena"
)

// words are rows whose codes are given.
type words []uint64

func (w words) Encode(dst []uint64, lo int) { copy(dst, w[lo:]) }

func (w words) EncodeRows(dst []uint64, _ int, rows []uint32) {
	for i, row := range rows {
		dst[i] = w[row]
	}
}

func (w words) From(base int) Source { return w[base:] }

// TestSearches compares both searches with the definition, for rows of every distribution, and bounds of each kind.
func TestSearches(t *testing.T) {
	mem := arena.New(t.Context(), cputest.NewMeter(t))
	table, err := NewSearchTable(mem, SearchTableRows)
	require.NoError(t, err)
	defer table.Release(mem)
	for name, shape := range cputest.Shapes {
		for _, n := range []int{0, 1, 2, 3, 1000, SearchTableRows} {
			sorted := words(cputest.Drawn(1, n, shape))
			slices.Sort(sorted)
			values := append(cputest.Drawn(2, 500, shape), 0, ^uint64(0))
			for _, row := range []int{0, n / 2, n - 1} {
				if row >= 0 && row < n {
					values = append(values, sorted[row]-1, sorted[row], sorted[row]+1)
				}
			}
			lower, upper, both := make([]uint64, len(values)), make([]uint64, len(values)), make([]uint64, len(values))
			for i, v := range values {
				place, _ := slices.BinarySearch(sorted, v)
				lower[i], upper[i] = uint64(place), uint64(n)
				if v < ^uint64(0) {
					place, _ = slices.BinarySearch(sorted, v+1)
					upper[i] = uint64(place)
				}
				both[i] = lower[i]<<32 | upper[i]
			}
			require.True(t, table.Fill(sorted, 0, n))
			for i, bounds := range []Bounds{{false}, {true}, {false, true}} {
				got := slices.Clone(values)
				table.Search(got, bounds)
				want := [][]uint64{lower, upper, both}[i]
				cputest.RequireSame(t, want, got, "%s, %d rows, bounds %v", name, n, bounds)
				got = slices.Clone(values)
				BisectWords(sorted, got, 0, n, bounds)
				cputest.RequireSame(t, want, got, "%s, %d rows, bounds %v, bisected", name, n, bounds)
			}
		}
	}
	require.False(t, table.Fill(make(words, SearchTableRows+2), 0, SearchTableRows+1) &&
		table.Fill(append(make(words, SearchTableRows), 1), 0, SearchTableRows+1), "more rows than it has memory for")
}
