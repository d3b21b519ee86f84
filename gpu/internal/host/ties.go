package host

import (
	"cmp"
	"slices"

	"github.com/arrowsort/arrowsort/internal/tiebreak"
	"github.com/arrowsort/arrowsort/keyencode"
)

// BatchRows is the least number of tied rows that one thread takes at a time.
const BatchRows = 1 << 12

// BreakTies orders the rows of each run by the words of their codes from the run's word on, stably. Runs do not
// overlap. A thread has temp storage for the rows of its batch, which ends with the run that reaches BatchRows.
func (w *Workers) BreakTies(plan *keyencode.Plan, rows []uint32, runs []tiebreak.Run) error {
	var batches [][]tiebreak.Run
	var sizes []int
	for len(runs) > 0 {
		n, k := 0, 0
		for ; k < len(runs) && n < BatchRows; k++ {
			n += runs[k].Hi - runs[k].Lo
		}
		batches, sizes, runs = append(batches, runs[:k:k]), append(sizes, n), runs[k:]
	}
	return w.Run(len(batches), func(i int) {
		t := tiebreak.Breaker{Runs: batches[i], Rows: make([]uint32, sizes[i]), Codes: make([]uint64, sizes[i])}
		t.Break(w.ctx, plan, &tiedRows{Plan: plan}, rows)
	})
}

// tiedRows are rows of a plan's columns, sorted by comparison.
type tiedRows struct {
	*keyencode.Plan
	run []tiedRow
}

type tiedRow struct {
	code    uint64
	row, at uint32 // at: the place in the run
}

// SortRun orders rows by their codes, stably, and the codes with them.
func (t *tiedRows) SortRun(rows []uint32, codes []uint64) {
	t.run = t.run[:0]
	for i, row := range rows {
		t.run = append(t.run, tiedRow{codes[i], row, uint32(i)})
	}
	slices.SortFunc(t.run, func(a, b tiedRow) int {
		return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.at, b.at))
	})
	for i, x := range t.run {
		rows[i], codes[i] = x.row, x.code
	}
}
