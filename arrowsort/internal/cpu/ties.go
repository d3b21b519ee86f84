package cpu

import (
	"github.com/arrowsort/arrowsort/internal/tiebreak"
	"github.com/arrowsort/arrowsort/keyencode"
)

// breakTies orders the rows of the runs in f.ties by the words of their codes that follow. rows are rows of src; the
// runs lie within it.
func (f *binSorter) breakTies(src source, plan *keyencode.Plan, rows []uint32) {
	f.source = src
	f.ties.Break(f.ctx, plan, f, rows)
}

// Strings finds the strings of rows that a partition has moved with them.
func (f *binSorter) Strings(dst [][]byte, word int, rows []uint32) bool {
	moved, ok := f.source.(storedCodes)
	if ok = ok && moved.texts != nil; ok {
		moved.texts.find(dst, word, rows)
	}
	return ok
}

// SortRun orders rows by their codes, stably, and the codes with them.
func (f *binSorter) SortRun(rows []uint32, codes []uint64) {
	if order := f.sortIndices(codes); order != nil {
		f.permute(bytesOf(rows), order, 4)
		f.permute(bytesOf(codes), order, 8)
	}
}

// rowsOf is the number of rows of some runs.
func rowsOf(runs []tiebreak.Run) (rows int) {
	for _, r := range runs {
		rows += r.Hi - r.Lo
	}
	return rows
}

// findTies finds the runs of rows with equal codes that a further word can order.
func (f *binSorter) findTies(plan *keyencode.Plan, codes []uint64, order []uint32) {
	runs := f.ties.Runs[:0]
	if order == nil {
		f.ties.Runs = tiebreak.AppendRuns(runs, plan, codes, 0, 0)
		return
	}
	for i := 1; i < len(order); i++ {
		c := codes[order[i]]
		if c != codes[order[i-1]] {
			continue
		}
		e := i + 1
		for e < len(order) && codes[order[e]] == c {
			e++
		}
		if w := plan.Next(0, c); w < plan.Words() {
			runs = append(runs, tiebreak.Run{Lo: i - 1, Hi: e, Word: w})
		}
		i = e
	}
	f.ties.Runs = runs
}
