//go:build cuda && linux && amd64

package gpu

import (
	"sync/atomic"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A sorter is one job on a device.
type sorter struct {
	*task
	output
	binner       *binner
	rows         int                // of the input
	out          int                // of the result
	columns      map[int]*column    // of the job that are on the device
	rankColumns  map[int]driver.Ptr // dictionary keys as ranks
	plan         *keyencode.Plan
	cutoffFailed bool       // the sampled cutoff of a select was wrong; do not retry
	order        driver.Ptr // the row numbers in sorted order
	windows      *windows   // of the row numbers, if a large column is gathered

	prefetched bool
	arrivals   map[int]*arrival // uploads of columns by their index in the job
	unwanted   atomic.Bool      // uploads that have not started are skipped
	freed      *driver.Event    // recorded after kernels that use freed memory; uploads wait for it
	ready      []delivery       // computed, or being computed
	leaving    []delivery       // being downloaded
}

// sortJob runs a job: it scans the keys, which sorts a single key of evenly spread values; else it plans codes from the
// statistics and sorts by their words. Then it gathers all columns by the row numbers.
func sortJob(t *task, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	s := newSorter(t, job, mem)
	defer s.buffers.Release()
	defer t.idle() // before the buffers are released
	defer s.helpers.Wait()
	s.prepare(s.tuning.HelperRows)
	if err := s.argsort(); err != nil {
		return nil, err
	}
	s.assertPermutation(s.order, s.out, s.rows)
	s.releaseKeys()
	s.progress(2)
	s.writeRowNumbers()
	s.gatherAll()
	if err := s.settle(); err != nil {
		return nil, err
	}
	s.progress(3)
	if err := s.countNulls(); err != nil {
		return nil, err
	}
	return s.complete(s.plan)
}

// argsort computes the row numbers of the result, s.order: in a single launch, or it measures the keys, plans their
// codes and sorts by them. If few leading rows are wanted it first tries to select them without a plan.
func (s *sorter) argsort() error {
	var ok bool
	if s.order, ok = s.sortSmall(); ok {
		return nil
	}
	if !s.sortFirstByTypes() && !s.Failed() {
		s.Fail(s.measure())
	}
	if s.Failed() {
		return s.Err
	}
	s.progress(1)
	switch {
	case s.rows == 0, s.order != 0:
	case s.plan.Words() == 0 || s.plan.Sorted():
		s.order = s.iota(s.rows, false)
	case s.plan.Reversed():
		s.order = s.iota(s.rows, true)
	case s.textual():
		s.order = s.sortStrings()
	default:
		s.order = s.sortWords()
	}
	return nil
}

// sorterStages are those of which a sort on one device reports its progress.
const sorterStages = 4

func newSorter(t *task, job *engine.Job, mem engine.Allocator) *sorter {
	s := &sorter{
		task: t, output: newOutput(t.Ctx, job, sorterStages, t.Workers, mem), rows: job.Rows, out: job.Out(),
		binner:  newBinner(t, job.Rows),
		columns: map[int]*column{}, rankColumns: map[int]driver.Ptr{},
	}
	for _, at := range job.Gather {
		s.onHost[at] = s.isForHost(at, s.textOnDevice)
	}
	t.giveBack = s.giveBack
	return s
}

// giveBack frees memory that only makes a sort faster, and reports whether there was any: downloaded results, windows,
// columns uploaded early.
func (s *sorter) giveBack() bool {
	switch {
	case len(s.leaving) > 0:
		s.retire(0)
	case s.windows != nil:
		s.releaseWindows()
	default:
		return s.dropArrivals()
	}
	return true
}

// sortWords sorts the rows by the words of their codes, from the last word to the first. Each sort is stable.
func (s *sorter) sortWords() (rows driver.Ptr) {
	if s.plan.Words() > 1 {
		rows = s.narrow()
	}
	for word := s.plan.Words() - 1; word >= 0; word-- {
		rows = s.sortWord(word, rows)
	}
	if rows == 0 { // all digits are constant
		return s.iota(s.rows, false)
	}
	return rows
}

// iota returns the numbers of n rows in the order of the input, or in reverse.
func (t *task) iota(n int, reversed bool) driver.Ptr {
	rows := t.alloc(4 * n)
	t.launch("iota", t.blocks(n), uint64(rows), uint64(n), abi.Bool(reversed))
	return rows
}
