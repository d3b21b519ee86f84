package cpu

import "slices"

// maxSampledRuns is the largest number of runs that are merged tile by tile unasked: more take as long as a sort.
const maxSampledRuns = 16

// sortRuns merges the runs that a sample shows. done is false when there are none, or one of them is not in order.
func (s *sorter) sortRuns() (done bool, err error) {
	runs, ok := s.sampledRuns()
	if !ok {
		return false, nil
	}
	return s.mergeTiles(runs, false)
}

// sampledRuns are the runs between the falls of the sampled codes. It reports false for one run and for many.
func (s *sorter) sampledRuns() (runs Runs, ok bool) {
	codes := s.sampled()
	if falls := countFalls(codes); falls == 0 || falls >= maxSampledRuns {
		return runs, false
	}
	for i := 1; i < len(codes); i++ {
		if codes[i] >= codes[i-1] {
			continue
		}
		lo, _ := strip(s.rows, i-1, len(codes))
		_, hi := strip(s.rows, i, len(codes))
		if n := len(runs.Ends); n > 0 {
			lo = max(lo, runs.Ends[n-1]+64)
		}
		row := s.firstUnsortedIn(s.source(), lo&^63, hi, nil)
		if row < 0 { // a run of few rows
			return runs, false
		}
		runs.Ends = append(runs.Ends, row)
	}
	runs.Ends = append(runs.Ends, s.rows)
	return runs, true
}

// inOrder reports whether the rows of each run in a tile are in order, given the codes of all, and follow those of the
// tile before.
func (t *mergeTile) inOrder(src source, runs Runs, codes []uint64) bool {
	var before [1]uint64
	for i, first := range t.first {
		n := int(t.end[i] - first)
		run := codes[:n]
		codes = codes[n:]
		if !slices.IsSorted(run) {
			return false
		}
		if lo, _ := runs.bounds(i); n > 0 && int(first) > lo {
			if src.encode(before[:], int(first)-1); before[0] > run[0] {
				return false
			}
		}
	}
	return true
}
