package keyencode

import "context"

// tieRows is the number of tied rows whose next words are fetched in one batch: their cache misses overlap.
const tieRows = 4096

// TiedRows are the rows that a TieBreaker orders.
type TiedRows interface {
	// EncodeRows writes one word of the code of each of the given rows. It may overwrite rows.
	EncodeRows(dst []uint64, word int, rows []uint32)
	// SortRun orders the rows of a run by their codes, stably, and the codes with them.
	SortRun(rows []uint32, codes []uint64)
}

// A TieBreaker orders rows that tie in the leading words of their codes. It is the temp storage of one goroutine.
type TieBreaker struct {
	Runs  []Run    // disjoint runs to order
	Rows  []uint32 // as long as all runs together
	Codes []uint64 // the same
	batch []Run    // the runs of a batch that tie in the words so far
	next  []Run    // those of them that tie in the word that was compared last, too

	strings [][]byte // of a block of rows; nil until they are needed
}

// Break orders the rows of each run, in place, by the words of their codes from the run's word on, stably, until the
// context ends. It fetches the next word of all rows of a batch at a time, and then further words of those that still
// tie: they are where the last one was, and mostly still in the caches.
func (t *TieBreaker) Break(ctx context.Context, plan *Plan, tied TiedRows, rows []uint32) {
	for runs := t.Runs; len(runs) > 0 && ctx.Err() == nil; {
		n := batchOf(runs)
		for t.batch = append(t.batch[:0], runs[:n]...); len(t.batch) > 0 && ctx.Err() == nil; {
			t.breakRuns(plan, tied, rows)
		}
		runs = runs[n:]
	}
	t.Runs = t.Runs[:0]
}

// breakRuns orders the runs of the batch by their next words, and leaves those that tie in them, too.
func (t *TieBreaker) breakRuns(plan *Plan, tied TiedRows, rows []uint32) {
	t.next = t.next[:0]
	for runs := t.batch; len(runs) > 0; {
		n := batchOf(runs)
		t.breakBatch(plan, tied, rows, runs[:n])
		runs = runs[n:]
	}
	t.batch, t.next = t.next, t.batch
}

// batchOf is the number of leading runs whose next words are fetched together.
func batchOf(runs []Run) int {
	total := 0
	for i, r := range runs {
		total += r.Hi - r.Lo
		if r.Word != runs[0].Word || i > 0 && total > tieRows {
			return i
		}
	}
	return len(runs)
}

// breakBatch orders runs by their next word and appends to next what ties in it, too.
func (t *TieBreaker) breakBatch(plan *Plan, tied TiedRows, rows []uint32, runs []Run) {
	fetch := t.Rows[:0]
	for _, r := range runs {
		fetch = append(fetch, rows[r.Lo:r.Hi]...)
	}
	word, codes := runs[0].Word, t.Codes[:len(fetch)]
	if texts, ok := tied.(TiedStrings); !ok || !t.encodeStrings(plan, codes, texts, fetch, runs) {
		tied.EncodeRows(codes, word, fetch)
	}
	for _, r := range runs {
		n, before := r.Hi-r.Lo, len(t.next)
		sortRun(tied, rows[r.Lo:r.Hi], codes[:n])
		t.next = plan.AppendRuns(t.next, codes[:n], word, r.Lo)
		for i := range t.next[before:] {
			if next := &t.next[before+i]; plan.segment(next.Word) == plan.segment(word) {
				next.Skip = r.Skip
			}
		}
		codes = codes[n:]
	}
}

// sortRun orders a short run by insertion, others by TiedRows.SortRun.
func sortRun(tied TiedRows, rows []uint32, codes []uint64) {
	const short = 24
	if len(rows) > short {
		tied.SortRun(rows, codes)
		return
	}
	for i := 1; i < len(rows); i++ {
		c, r, j := codes[i], rows[i], i
		for ; j > 0 && codes[j-1] > c; j-- {
			codes[j], rows[j] = codes[j-1], rows[j-1]
		}
		codes[j], rows[j] = c, r
	}
}
