package cpu

import (
	"slices"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
)

// Runs are consecutive rows of a job, each in order.
type Runs struct {
	Ends []int // the row after the last of each run
	// Open runs go on after their last row in the job, of which there is at least one. Rows that the further ones might
	// precede are left out of the merge. Nil: no run is open.
	Open []bool
}

// bounds returns the rows lo..hi-1 of a run.
func (r Runs) bounds(run int) (lo, hi int) {
	if run > 0 {
		lo = r.Ends[run-1]
	}
	return lo, r.Ends[run]
}

const (
	// mergeRows is about the number of rows of a tile: the result's rows that one worker merges in the cache.
	mergeRows = 1 << 14
	// mergeRuns is the largest number of runs that are merged tile by tile; a sort does more of them in less time.
	mergeRuns = 64
)

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

// sampledRuns returns the runs between the falls of the sampled codes. It reports false for one run and for many.
func (s *sorter) sampledRuns() (runs Runs, ok bool) {
	codes := s.keys.Sample()
	if falls := keys.CountDescents(codes); falls == 0 || falls >= maxSampledRuns {
		return runs, false
	}
	for i := 1; i < len(codes); i++ {
		if codes[i] >= codes[i-1] {
			continue
		}
		lo, _ := keys.Stratum(s.rows, i-1, len(codes))
		_, hi := keys.Stratum(s.rows, i, len(codes))
		if n := len(runs.Ends); n > 0 {
			lo = max(lo, runs.Ends[n-1]+64)
		}
		row := s.keys.FirstUnsortedIn(s.pool, s.keys.Source(), lo&^63, hi, nil)
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
func (t *mergeTile) inOrder(src keys.Source, runs Runs, codes []uint64) bool {
	var before [1]uint64
	for i, first := range t.first {
		n := int(t.end[i] - first)
		run := codes[:n]
		codes = codes[n:]
		if !slices.IsSorted(run) {
			return false
		}
		if lo, _ := runs.bounds(i); n > 0 && int(first) > lo {
			if src.Encode(before[:], int(first)-1); before[0] > run[0] {
				return false
			}
		}
	}
	return true
}

// tileSplits cuts the merged rows into tiles: for each tile the first row of each run that belongs to a later one. No
// tile has more than 2 * mergeRows rows.
func (s *sorter) tileSplits(runs Runs) ([][]uint32, error) {
	// A tile has the rows between every m-th of all samples, and less than a step of rows more of each run.
	step := mergeRows / len(runs.Ends)
	var rows []uint32
	for i := range runs.Ends {
		lo, hi := runs.bounds(i)
		for row := lo + step - 1; row < hi; row += step {
			rows = append(rows, uint32(row))
		}
	}
	if err := s.sortList(s.keys.Source(), rows, 0); err != nil {
		return nil, err
	}
	var splitters []uint32
	for i := len(runs.Ends) - 1; i < len(rows); i += len(runs.Ends) {
		splitters = append(splitters, rows[i])
	}
	k := len(runs.Ends)
	all := make([]uint32, (len(splitters)+1)*k)
	splits := make([][]uint32, len(splitters)+1)
	for i := range splits {
		splits[i] = all[i*k : (i+1)*k]
	}
	err := s.pool.Tiles(len(splitters), 16, func(_, lo, hi int) {
		var bounds [mergeRuns]keys.Interval
		for i := lo; i < hi; i++ {
			s.splitAt(runs, splitters[i], splits[i], bounds[:k])
		}
	})
	for i, end := range runs.Ends {
		splits[len(splitters)][i] = uint32(end)
	}
	return splits, err
}

// splitAt cuts every run at a row: rows before the cut sort before it. Ties go before it in earlier runs and in its
// own, after it in later runs. It writes the first row of each run after the cut. intervals is temp storage.
func (s *sorter) splitAt(runs Runs, row uint32, splits []uint32, intervals []keys.Interval) {
	for i := range intervals {
		lo, hi := runs.bounds(i)
		intervals[i] = keys.Interval{Row: row, Lo: uint32(lo), Hi: uint32(hi)}
	}
	keys.Narrow(s.pool, s.keys.Plan, s.keys.Source(), intervals)
	for i := range intervals {
		lo, hi := runs.bounds(i)
		switch {
		case int(row) < lo:
			splits[i] = intervals[i].Lo
		case int(row) >= hi:
			splits[i] = intervals[i].Hi
		default:
			splits[i] = row + 1
		}
	}
}

// mergeTiles merges the runs tile by tile. Unless they are proven to be in order, it checks that as it merges. It
// reports false, and the result is undefined, when they are not.
func (s *sorter) mergeTiles(runs Runs, proven bool) (inOrder bool, err error) {
	splits, err := s.tileSplits(runs)
	if err != nil {
		return false, err
	}
	tiles := make([]mergeTile, 0, len(splits))
	first := make([]uint32, len(runs.Ends))
	for i := range first {
		lo, _ := runs.bounds(i)
		first[i] = uint32(lo)
	}
	longest := 0
	for out := 0; len(splits) > 0 && out < s.out; splits = splits[1:] {
		t := mergeTile{first: first, end: splits[0], out: out}
		for i := range first {
			if t.end[i] < first[i] { // by searches in rows that are not in order
				return false, nil
			}
			t.rows += int(t.end[i] - first[i])
		}
		if t.rows > 2*mergeRows && !proven {
			return false, nil
		}
		tiles, longest = append(tiles, t), max(longest, t.rows)
		out, first = out+t.rows, splits[0]
	}
	movers := s.movers()
	workers := min(s.pool.Threads, len(tiles))
	fs, err := binsort.NewSorters(s.pool, s.mem, workers, longest, payload.Widest(movers), s.keys.Plan.Words() > 1)
	if err != nil {
		return false, err
	}
	var unsorted atomic.Bool
	err = s.pool.Run(len(tiles), func(worker, i int) {
		t, f := &tiles[len(tiles)-1-i], fs[worker] // rows out of order are more often in the last ones
		if unsorted.Load() {
			return
		}
		order := t.order(s, f)
		if !proven && !t.inOrder(s.keys.Source(), runs, f.Codes) {
			unsorted.Store(true)
			return
		}
		t.move(s, f, movers, order)
		s.pool.Advance(3 * t.rows)
	})
	for _, f := range fs {
		f.Release(s.mem)
	}
	return !unsorted.Load(), err
}

// A mergeTile is consecutive rows of the result: rows first..end-1 of each run, in any order.
type mergeTile struct {
	first, end []uint32
	out, rows  int // their place in the result, their number
}

// move moves the rows of the tile in an order to the result, up to its end.
func (t *mergeTile) move(s *sorter, f *binsort.Sorter, movers []*payload.Mover, order []uint32) {
	kept := min(t.rows, s.out-t.out)
	for _, l := range movers {
		if s.pool.Stopped() {
			return
		}
		out := l.Out[t.out*l.Width : (t.out+kept)*l.Width]
		rows := f.Scratch[:t.rows*l.Width]
		if order == nil && kept == t.rows {
			rows = out
		}
		t.load(l, rows)
		switch {
		case order != nil:
			scatter.Gather(out, rows, order[:kept], l.Width)
		case kept < t.rows:
			copy(out, rows)
		}
	}
}

// order returns the order of the rows, one run after another; nil when they are in order. f has their codes.
func (t *mergeTile) order(s *sorter, f *binsort.Sorter) []uint32 {
	if len(t.first) != 2 || s.keys.Plan.Words() != 1 {
		return f.Order(s.keys.Plan, t.source(s.keys.Source()), 0, t.rows)
	}
	codes := f.Codes[:t.rows]
	keys.EncodeAll(t.source(s.keys.Source()), codes, 0)
	return f.Argsort.OrderOfTwoRuns(codes, int(t.end[0]-t.first[0]))
}

// load writes the rows of the tile one run after another.
func (t *mergeTile) load(l *payload.Mover, dst []byte) {
	for i, lo := range t.first {
		n := int(t.end[i] - lo)
		for done := 0; done < n; {
			step := min(n-done, l.StepRows())
			part := dst[:step*l.Width]
			if b := l.Block(int(lo)+done, step, part); &b[0] != &part[0] {
				copy(part, b)
			}
			dst, done = dst[len(part):], done+step
		}
	}
}

// source makes the codes of the tile's rows, one run after another.
func (t *mergeTile) source(src keys.Source) keys.Source {
	return keys.NewRanges(src, t.first, t.end)
}
