package cpu

import "github.com/arrowsort/arrowsort/keyencode"

// tieRows is the number of tied rows whose next words are fetched in one batch: their cache misses overlap.
const tieRows = 4096

// tieStorage is the temp storage for ties, as long as the longest bin.
type tieStorage struct {
	codes []uint64
	rows  []uint32
}

// breakTies orders the rows of each run by the words of their codes that follow, fetching one more word for all tied
// rows at a time. rows are rows of src; the runs lie within it.
func (f *binSorter) breakTies(src source, plan *keyencode.Plan, rows []uint32, runs []keyencode.Run) {
	further := f.further[:0]
	for len(runs) > 0 && !f.stopped() {
		further = further[:0]
		for i := 0; i < len(runs); {
			j, n := i, 0
			for j < len(runs) && runs[j].Word == runs[i].Word && (n == 0 || n+runs[j].Hi-runs[j].Lo <= tieRows) {
				n += runs[j].Hi - runs[j].Lo
				j++
			}
			fetch := f.tie.rows[:0]
			for _, r := range runs[i:j] {
				fetch = append(fetch, rows[r.Lo:r.Hi]...)
			}
			codes := f.tie.codes[:n]
			src.encodeRows(codes, runs[i].Word, fetch)
			for _, r := range runs[i:j] {
				k := r.Hi - r.Lo
				f.sortRun(rows[r.Lo:r.Hi], codes[:k])
				further = plan.AppendRuns(further, codes[:k], r.Word, r.Lo)
				codes = codes[k:]
			}
			i = j
		}
		runs, further = further, runs
	}
	f.runs, f.further = runs[:0], further[:0]
}

// sortRun orders the rows by their codes, stably, and the codes with them.
func (f *binSorter) sortRun(rows []uint32, codes []uint64) {
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
	order := f.sortIndices(codes)
	if order == nil {
		return
	}
	f.permute(bytesOf(rows), order, 4)
	f.permute(bytesOf(codes), order, 8)
}

// tiedRuns finds the runs of rows with equal codes that a further word can order.
func tiedRuns(runs []keyencode.Run, codes []uint64, order []uint32, plan *keyencode.Plan) []keyencode.Run {
	if order == nil {
		return plan.AppendRuns(runs, codes, 0, 0)
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
			runs = append(runs, keyencode.Run{Lo: i - 1, Hi: e, Word: w})
		}
		i = e
	}
	return runs
}
