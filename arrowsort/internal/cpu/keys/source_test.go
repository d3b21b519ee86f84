package keys

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// measured is the keys of a column of numbers, with a plan from statistics.
func measured(t *testing.T, numbers []uint64) *Keys {
	k := New(&engine.Job{
		Rows: len(numbers), Columns: []keyencode.Column{cputest.Uint64Column(numbers)}, Keys: []keyencode.Key{{}},
	})
	require.NoError(t, k.MeasureAll(workers.NewPool(t.Context(), 2, 0, nil)))
	return k
}

// TestSources: lists and ranges of rows have the codes of these rows, block by block, row by row, and from any row on.
func TestSources(t *testing.T) {
	const n = 3000
	k := measured(t, cputest.Drawn(1, n, cputest.Uniform))
	all := make([]uint64, n)
	EncodeAll(k.Source(), all, 0)
	listed := []uint32{7, 2999, 0, 7, 1500}
	var ranges []uint32
	first, end := []uint32{5, 100, 900, 2990}, []uint32{5, 250, 2500, 3000}
	for i, lo := range first {
		for row := lo; row < end[i]; row++ {
			ranges = append(ranges, row)
		}
	}
	for name, c := range map[string]struct {
		src  Source
		rows []uint32
	}{
		"input": {k.Source(), cputest.AllRows(n)}, "list": {NewList(k.Source(), listed, 0), listed},
		"ranges": {NewRanges(k.Source(), first, end), ranges},
	} {
		want := make([]uint64, len(c.rows))
		for i, row := range c.rows {
			want[i] = all[row]
		}
		for _, base := range []int{0, 1, len(want) / 2, len(want) - 1} {
			got, src := make([]uint64, len(want)-base), c.src.From(base)
			EncodeAll(src, got, 0)
			cputest.RequireSame(t, want[base:], got, "%s from %d", name, base)
			rows := cputest.AllRows(len(got))
			slices.Reverse(rows)
			src.EncodeRows(got, 0, rows)
			slices.Reverse(got)
			cputest.RequireSame(t, want[base:], got, "%s from %d, row by row", name, base)
		}
	}
}
