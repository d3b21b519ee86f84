// Package tiebreak orders rows that tie in the leading words of their codes, word by word.
package tiebreak

import (
	"context"
	"math"
	"math/bits"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// tieRows is the number of tied rows whose next words are fetched in one batch: their cache misses overlap.
const tieRows = 4096

// A Run is a group of rows, neighbours in the order so far, that tie in all words of their codes before Word.
type Run struct {
	Lo, Hi int // its rows: Lo up to, but without, Hi
	Word   int
	Skip   int // bytes by which the words of its strings begin later
}

// Rows are the rows that a Breaker orders.
type Rows interface {
	// EncodeRows writes one word of the code of each of the given rows. It may overwrite rows.
	EncodeRows(dst []uint64, word int, rows []uint32)
	// SortRun orders the rows of a run by their codes, stably, and the codes with them.
	SortRun(rows []uint32, codes []uint64)
}

// Strings are Rows whose strings are at hand, in a cache. So the words of the rows of a run may begin where
// their strings differ.
type Strings interface {
	// Strings finds the strings that a word of the given rows holds bytes of; nil is null. It reports false where
	// they are not at hand.
	Strings(dst [][]byte, word int, rows []uint32) bool
}

// A Breaker orders rows that tie in the leading words of their codes. It is the temp storage of one goroutine.
type Breaker struct {
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
func (t *Breaker) Break(ctx context.Context, plan *keyencode.Plan, tied Rows, rows []uint32) {
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
func (t *Breaker) breakRuns(plan *keyencode.Plan, tied Rows, rows []uint32) {
	t.next = t.next[:0]
	for runs := t.batch; len(runs) > 0; {
		n := batchOf(runs)
		t.breakBatch(plan, tied, rows, runs[:n])
		runs = runs[n:]
	}
	t.batch, t.next = t.next, t.batch
}

// batchOf returns the number of leading runs whose next words are fetched together.
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
func (t *Breaker) breakBatch(plan *keyencode.Plan, tied Rows, rows []uint32, runs []Run) {
	fetch := t.Rows[:0]
	for _, r := range runs {
		fetch = append(fetch, rows[r.Lo:r.Hi]...)
	}
	word, codes := runs[0].Word, t.Codes[:len(fetch)]
	if texts, ok := tied.(Strings); !ok || !t.encodeStrings(plan, codes, texts, fetch, runs) {
		tied.EncodeRows(codes, word, fetch)
	}
	column, _, _ := plan.StringWord(word)
	for _, r := range runs {
		n, before := r.Hi-r.Lo, len(t.next)
		sortRun(tied, rows[r.Lo:r.Hi], codes[:n])
		t.next = AppendRuns(t.next, plan, codes[:n], word, r.Lo)
		for i := range t.next[before:] {
			next := &t.next[before+i]
			if of, _, ok := plan.StringWord(next.Word); ok && of == column {
				next.Skip = r.Skip
			}
		}
		codes = codes[n:]
	}
}

// sortRun orders a short run by insertion, others by Rows.SortRun.
func sortRun(tied Rows, rows []uint32, codes []uint64) {
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

// blockRows is the number of rows whose strings are found at a time.
const blockRows = 64

// sharedRows is the least number of rows of a run whose shared bytes are looked for.
const sharedRows = 16

// encodeStrings writes the next words of runs of rows, all of them the same word, from where the strings of each run
// differ. It reports false where the word is not one of strings at hand.
func (t *Breaker) encodeStrings(p *keyencode.Plan, codes []uint64, tied Strings, rows []uint32, runs []Run) bool {
	word := runs[0].Word
	_, first, ok := p.StringWord(word)
	if !ok {
		return false
	}
	if t.strings == nil {
		t.strings = make([][]byte, blockRows)
	}
	for i := range runs {
		r := &runs[i]
		n := r.Hi - r.Lo
		if n >= sharedRows {
			r.Skip += t.sharedBytes(tied, word, rows[:n], first+r.Skip)
		}
		for lo := 0; lo < n; lo += len(t.strings) {
			block := t.strings[:min(len(t.strings), n-lo)]
			if !tied.Strings(block, word, rows[lo:lo+len(block)]) {
				return false
			}
			p.EncodeStrings(codes[lo:], word, r.Skip, block)
		}
		codes, rows = codes[n:], rows[n:]
	}
	return true
}

// sharedBytes returns the number of bytes from byte from on that the strings of some rows share.
func (t *Breaker) sharedBytes(tied Strings, word int, rows []uint32, from int) int {
	shortest := math.MaxInt
	for at := from; ; at += 8 {
		first, differ := uint64(0), uint64(0)
		for lo := 0; lo < len(rows) && differ>>56 == 0; lo += len(t.strings) {
			block := t.strings[:min(len(t.strings), len(rows)-lo)]
			if !tied.Strings(block, word, rows[lo:lo+len(block)]) {
				return 0
			}
			if lo == 0 {
				first = buffers.BytesFrom(block[0], at)
			}
			for _, s := range block {
				differ |= buffers.BytesFrom(s, at) ^ first
				shortest = min(shortest, len(s))
			}
		}
		if differ != 0 || at+8 >= shortest {
			return max(0, min(at+bits.LeadingZeros64(differ)/8, shortest)-from)
		}
	}
}

// AppendRuns finds the runs of equal neighbours in a word that a further word can order. The first code belongs to
// row lo, and so do places in the runs.
func AppendRuns(runs []Run, plan *keyencode.Plan, codes []uint64, word, lo int) []Run {
	for i := 1; i < len(codes); i++ {
		if codes[i] != codes[i-1] {
			continue
		}
		e := i + 1
		for e < len(codes) && codes[e] == codes[i] {
			e++
		}
		if next := plan.Next(word, codes[i]); next < plan.Words() {
			runs = append(runs, Run{Lo: lo + i - 1, Hi: lo + e, Word: next})
		}
		i = e
	}
	return runs
}
