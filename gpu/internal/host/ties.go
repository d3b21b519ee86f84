package host

import (
	"slices"

	"github.com/arrowsort/arrowsort/keyencode"
)

// BatchRows is the number of tied rows that one thread takes at a time: their words are fetched together.
const BatchRows = 1 << 12

// BreakTies orders the rows of each run by the words of their codes from the run's word on, stably. Runs do not overlap.
// Storage beside the runs is that of a few batches.
func (w *Workers) BreakTies(plan *keyencode.Plan, rows []uint32, runs []keyencode.Run) error {
	var batches [][]keyencode.Run
	for len(runs) > 0 {
		n, k := 0, 0
		for k < len(runs) && n < BatchRows {
			n += runs[k].Hi - runs[k].Lo
			k++
		}
		batches, runs = append(batches, runs[:k]), runs[k:]
	}
	return w.Run(len(batches), func(i int) {
		t := tieBreaker{plan: plan, rows: rows}
		for runs := batches[i]; len(runs) > 0 && w.ctx.Err() == nil; {
			runs = t.step(runs)
		}
	})
}

// A tieBreaker is the storage of one thread.
type tieBreaker struct {
	plan    *keyencode.Plan
	rows    []uint32
	fetched []uint32
	codes   []uint64
	tied    []tied
}

type tied struct {
	code uint64
	row  uint32
	at   uint32 // place in the run: ties keep it
}

// step orders the runs by one more word each, and returns the runs that are left.
func (t *tieBreaker) step(runs []keyencode.Run) (further []keyencode.Run) {
	for i := 0; i < len(runs); {
		j := i + 1
		for j < len(runs) && runs[j].Word == runs[i].Word {
			j++
		}
		further = append(further, t.stepWord(runs[i:j])...)
		i = j
	}
	return further
}

// stepWord is step for runs that have the same word next.
func (t *tieBreaker) stepWord(runs []keyencode.Run) (further []keyencode.Run) {
	word := runs[0].Word
	t.fetched = t.fetched[:0]
	for _, r := range runs {
		t.fetched = append(t.fetched, t.rows[r.Lo:r.Hi]...)
	}
	t.codes = slices.Grow(t.codes[:0], len(t.fetched))[:len(t.fetched)]
	t.plan.EncodeRows(t.codes, word, t.fetched)
	codes := t.codes
	for _, r := range runs {
		n := r.Hi - r.Lo
		t.sort(t.rows[r.Lo:r.Hi], codes[:n])
		further = t.plan.AppendRuns(further, codes[:n], word, r.Lo)
		codes = codes[n:]
	}
	return further
}

// sort orders rows by their codes, and the codes with them.
func (t *tieBreaker) sort(rows []uint32, codes []uint64) {
	t.tied = t.tied[:0]
	for i, row := range rows {
		t.tied = append(t.tied, tied{codes[i], row, uint32(i)})
	}
	slices.SortFunc(t.tied, func(a, b tied) int {
		switch {
		case a.code < b.code || a.code == b.code && a.at < b.at:
			return -1
		default:
			return 1
		}
	})
	for i, x := range t.tied {
		rows[i], codes[i] = x.row, x.code
	}
}
