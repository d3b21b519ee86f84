//go:build cuda && linux && amd64

package gpu

import (
	"sync"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A sorter is one job on a device.
type sorter struct {
	*task
	buffers     host.Buffers
	binner      *binner
	job         *engine.Job
	rows        int                // of the input
	out         int                // of the result
	columns     map[int]*column    // of the job that are on the device
	rankColumns map[int]driver.Ptr // dictionary keys as ranks
	plan        *keyencode.Plan
	misled      bool       // a sample has told where the rows that the result wants end, and was wrong
	order       driver.Ptr // the row numbers in sorted order
	numbers     []uint32   // the same on the host, where something there needs them
	onHost      []bool     // the columns that the host gathers
	result      engine.Result
	counters    driver.Ptr // of ones in gathered bitmaps

	windows *windows // of the row numbers, once a large column needs them

	unprepared      chan error // tells of each of the result's buffers that it is there
	preparedBuffers int
	helpers         sync.WaitGroup // of goroutines that work meanwhile
	prefetched      bool
	arrivals        map[int]*arrival // columns that come up, by their place in the job
	unwanted        atomic.Bool      // those that have not come up yet need not
	freed           *driver.Event    // behind kernels that use memory that is free, before anything comes up
	ready           []delivery       // made, or being made
	leaving         []delivery       // on their way to the host
}

// sortJob is the algorithm: the statistics of the keys in one read, which sorts them too if there is one key that
// spreads well, a plan for codes as short as they allow, the sort by the codes' words, and the gather of all columns by
// the row numbers.
func sortJob(t *task, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	s := newSorter(t, job, mem)
	defer s.buffers.Release()
	defer t.idle() // before the buffers go
	defer s.helpers.Wait()
	s.prepare()
	if rows, ok := s.sortFew(); ok {
		s.order = rows
	} else if err := s.sortPlanned(); err != nil {
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
	return s.finish()
}

// sortPlanned measures the keys and sorts by the codes that the plan makes of them. Few leading rows are selected
// first, without a plan where the types of the keys are enough.
func (s *sorter) sortPlanned() error {
	if !s.sortFirstByTypes() && !s.failed() {
		s.fail(s.measure())
	}
	if s.failed() {
		return s.err
	}
	s.progress(1)
	switch {
	case s.rows == 0, s.order != 0:
	case s.plan.Words() == 0 || s.plan.Sorted():
		s.order = s.iota(false)
	case s.plan.Reversed():
		s.order = s.iota(true)
	case s.textual():
		s.order = s.sortTexts()
	default:
		s.order = s.sortWords()
	}
	return nil
}

func newSorter(t *task, job *engine.Job, mem engine.Allocator) *sorter {
	s := &sorter{
		task: t, job: job, rows: job.Rows, out: job.Out(), buffers: host.Buffers{Mem: mem},
		binner:  newBinner(t, job.Rows),
		columns: map[int]*column{}, rankColumns: map[int]driver.Ptr{}, onHost: make([]bool, len(job.Columns)),
	}
	for _, at := range job.Gather {
		s.onHost[at] = s.isForHost(at)
	}
	t.giveBack = s.giveBack
	return s
}

// giveBack frees memory that makes a sort faster, and reports whether there was any: what has gone down, the windows,
// columns that have come up early.
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

// sortWords sorts the rows by the words of their codes, from the last to the first: each sort is stable.
func (s *sorter) sortWords() (rows driver.Ptr) {
	if s.plan.Words() > 1 {
		rows = s.narrow()
	}
	for word := s.plan.Words() - 1; word >= 0; word-- {
		rows = s.sortWord(word, rows)
	}
	if rows == 0 { // all digits are constant
		return s.iota(false)
	}
	return rows
}

// iota makes the row numbers in the order of the input, or against it.
func (s *sorter) iota(reversed bool) driver.Ptr {
	rows := s.alloc(4 * s.rows)
	against := uint64(0)
	if reversed {
		against = 1
	}
	s.launch("iota", s.blocks(s.rows), uint64(rows), uint64(s.rows), against)
	return rows
}

// progress reports that so many of four parts of the work are done.
func (s *sorter) progress(parts int) {
	if s.job.Progress != nil {
		s.job.Progress(parts*s.rows, 4*s.rows)
	}
}
