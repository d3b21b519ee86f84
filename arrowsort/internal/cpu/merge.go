package cpu

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
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
	taken = s.completeRows(runs)
	safe := 0
	for _, n := range taken {
		safe += n
	}
	s.wanted = min(s.wanted, safe)
	s.out = s.wanted
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

// completeRows returns the number of rows of each run that no row to come can precede: those up to the last row of the
// open run that ends first. Ties of later runs wait for those of that one.
func (s *sorter) completeRows(runs Runs) []int {
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
