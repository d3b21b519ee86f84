package cpu

import "github.com/arrowsort/arrowsort/keyencode"

// tieRows is the number of tied rows whose next words are fetched together: their cache misses overlap.
const tieRows = 4096

// A run is a group of rows, neighbours in the order so far, that tie in all words before word.
type run struct {
	lo, hi int
	word   int
}

// tieStorage is the temp storage for ties, as long as the longest bin.
type tieStorage struct {
	codes []uint64
	rows  []uint32
}

// breakTies orders the rows of each run by the words of their codes that follow, fetching one more word for all tied rows
// at a time. rows are rows of src; the runs lie within it.
func (f *finisher) breakTies(src source, plan *keyencode.Plan, rows []uint32, runs []run) {
	further := f.further[:0]
	for len(runs) > 0 && !f.stopped() {
		further = further[:0]
		for i := 0; i < len(runs); {
			j, n := i, 0
			for j < len(runs) && runs[j].word == runs[i].word && (n == 0 || n+runs[j].hi-runs[j].lo <= tieRows) {
				n += runs[j].hi - runs[j].lo
				j++
			}
			fetch := f.tie.rows[:0]
			for _, r := range runs[i:j] {
				fetch = append(fetch, rows[r.lo:r.hi]...)
			}
			codes := f.tie.codes[:n]
			src.encodeRows(codes, runs[i].word, fetch)
			for _, r := range runs[i:j] {
				k := r.hi - r.lo
				f.sortRun(rows[r.lo:r.hi], codes[:k])
				further = appendRuns(further, codes[:k], r.lo, r.word, plan)
				codes = codes[k:]
			}
			i = j
		}
		runs, further = further, runs
	}
	f.runs, f.further = runs[:0], further[:0]
}

// appendRuns finds the runs of equal neighbours in a word that a further word can tell apart. The first code belongs to row lo.
func appendRuns(runs []run, codes []uint64, lo, word int, plan *keyencode.Plan) []run {
	for i := 1; i < len(codes); i++ {
		if codes[i] != codes[i-1] {
			continue
		}
		e := i + 1
		for e < len(codes) && codes[e] == codes[i] {
			e++
		}
		if w := plan.Next(word, codes[i]); w < plan.Words() {
			runs = append(runs, run{lo + i - 1, lo + e, w})
		}
		i = e
	}
	return runs
}

// sortRun orders the rows by their codes, stably, and the codes with them.
func (f *finisher) sortRun(rows []uint32, codes []uint64) {
	const short = 24
	if len(rows) <= short {
		for i := 1; i < len(rows); i++ {
			c, r, j := codes[i], rows[i], i
			for ; j > 0 && codes[j-1] > c; j-- {
				codes[j], rows[j] = codes[j-1], rows[j-1]
			}
			codes[j], rows[j] = c, r
		}
		return
	}
	order := f.order(codes)
	if order == nil {
		return
	}
	f.permute(bytesOf(rows), order, 4)
	f.permute(bytesOf(codes), order, 8)
}

// tiedRuns finds the runs of rows with equal codes that a further word can tell apart.
func tiedRuns(runs []run, codes []uint64, order []uint32, plan *keyencode.Plan) []run {
	if order == nil {
		return appendRuns(runs, codes, 0, 0, plan)
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
			runs = append(runs, run{i - 1, e, w})
		}
		i = e
	}
	return runs
}
