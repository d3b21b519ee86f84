package cpu

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
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

// Merge merges the runs of a job: the result is that of Sort, without the rows that open runs hold back, and taken is
// the number of rows of each run that it has. A run that is not in order is an UnsortedError.
//
// The result is cut into tiles at rows of a sample. A tile is a few consecutive rows of each run; they are sorted in
// the cache, and each column is gathered from there. So every row is read once and written once. Temp storage is that
// of Sort's workers, and 4 bytes for each tile and run.
func Merge(
	ctx context.Context, job *engine.Job, runs Runs, mem engine.Allocator,
) (result *engine.Result, taken []int, err error) {
	s, err := newSorter(ctx, job, mem)
	if err != nil {
		return nil, nil, err
	}
	defer s.mem.Release()
	if err := s.keys.Measure(s.pool, false); err != nil {
		return nil, nil, err
	}
	proven := !s.provesAsItMerges(runs)
	if proven {
		if err := s.checkRuns(runs); err != nil {
			return nil, nil, err
		}
	}
	taken = s.safeRows(runs)
	s.out = 0
	for _, n := range taken {
		s.out += n
	}
	limited := *job
	if job.Limit == 0 || s.out < job.Limit {
		limited.Limit = s.out
	}
	s.job, s.out = &limited, limited.Limit
	result, err = s.merge(runs, proven)
	return result, taken, err
}

// provesAsItMerges reports whether the merge sees all codes of all rows anyway, so that runs need no check before.
func (s *sorter) provesAsItMerges(runs Runs) bool {
	return s.keys.Plan.Words() == 1 && s.mergesTiles(runs) && runs.Open == nil && s.out == s.rows
}

// mergesTiles reports whether runs are merged, not sorted.
func (s *sorter) mergesTiles(runs Runs) bool {
	return s.rows > keys.SmallRows && len(runs.Ends) <= mergeRuns
}

// checkRuns returns an UnsortedError unless the rows of each run are in order.
func (s *sorter) checkRuns(runs Runs) error {
	for i := range runs.Ends {
		lo, hi := runs.bounds(i)
		if err := s.keys.CheckRun(s.pool, i, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// merge makes the leading rows of the merged runs.
func (s *sorter) merge(runs Runs, proven bool) (*engine.Result, error) {
	inOrder, _, err := s.sortedInput()
	if err != nil {
		return nil, err
	}
	if inOrder || !s.mergesTiles(runs) {
		return s.sort()
	}
	if err := s.allocate(); err != nil {
		return nil, err
	}
	merged, err := s.mergeTiles(runs, proven)
	if err == nil && !merged {
		err = s.checkRuns(runs) // which row it is
	}
	if err != nil {
		return nil, err
	}
	return s.result()
}

// safeRows returns the number of rows of each run that no row to come can precede: those up to the last row of the open
// run that ends first. Ties of later runs wait for those of that one.
func (s *sorter) safeRows(runs Runs) []int {
	taken := make([]int, len(runs.Ends))
	var last []uint32
	for i := range taken {
		lo, hi := runs.bounds(i)
		taken[i] = hi - lo
		if runs.Open != nil && runs.Open[i] {
			last = append(last, uint32(hi-1))
		}
	}
	if len(last) == 0 {
		return taken
	}
	limit := last[0]
	for _, row := range last[1:] {
		if s.before(row, limit) {
			limit = row
		}
	}
	splits := make([]uint32, len(taken))
	s.splitAt(runs, limit, splits, make([]keys.Interval, len(taken)))
	for i, split := range splits {
		lo, _ := runs.bounds(i)
		taken[i] = int(split) - lo
	}
	return taken
}

// before reports whether row a sorts before row b, which precedes it in the input.
func (s *sorter) before(a, b uint32) bool {
	one := []keys.Interval{{Row: a, Lo: b, Hi: b + 1}}
	keys.Narrow(s.pool, s.keys.Plan, s.keys.Source(), one)
	return one[0].Hi == b
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
