//go:build cuda && linux && amd64

package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An arrival is an upload of a column's values while the keys are sorted, until it is awaited.
type arrival struct {
	column *keyencode.Column
	values driver.Ptr
	event  driver.Event
	sent   chan struct{} // closed when the event is recorded, or err is set
	err    error
}

// sortBytes is about the memory of a sort for each row, in addition to columns: records, row numbers, gathered values.
const sortBytes = 64

// prefetch begins to upload the columns that are gathered and are no keys, one after the other, in a separate stream
// and goroutine. It does nothing if they might not fit the device together, and when called again.
func (s *sorter) prefetch() {
	if s.prefetched {
		return
	}
	s.prefetched = true
	list, bytes := s.prefetchable()
	if s.workers.Threads() == 1 || bytes < s.tuning.PrefetchBytes || !s.hasMemory(bytes+sortBytes*s.rows) {
		return
	}
	s.arrivals = map[int]*arrival{}
	var arrivals []*arrival
	for _, at := range list {
		c := &s.job.Columns[at]
		values, ok := s.allocAll(s.rows * c.ValueBytes())
		if !ok {
			break
		}
		a := &arrival{column: c, values: values[0], event: s.event(), sent: make(chan struct{})}
		arrivals, s.arrivals[at] = append(arrivals, a), a
	}
	if s.freed != nil && !s.Failed() {
		s.up.After(*s.freed)
	}
	failed := s.Failed()
	s.helpers.Go(func() {
		for _, a := range arrivals {
			if !failed && !s.unwanted.Load() {
				s.uploadArrival(a)
			}
			close(a.sent)
		}
	})
}

// dropArrivals frees uploaded columns that are not in use yet, and reports whether there were any. They are uploaded
// again when needed.
func (s *sorter) dropArrivals() bool {
	if len(s.arrivals) == 0 {
		return false
	}
	s.unwanted.Store(true)
	for _, a := range s.arrivals {
		<-a.sent
		s.Fail(a.err)
	}
	s.up.Idle() // the goroutine is through with it
	s.Fail(s.up.Err)
	for at, a := range s.arrivals {
		s.free(a.values)
		delete(s.arrivals, at)
	}
	return true
}

// markFree records that kernels so far may use freed memory: uploads of prefetch wait for them.
func (s *sorter) markFree() {
	if s.freed == nil {
		e := s.event()
		s.freed = &e
	}
	s.Record(*s.freed)
}

// prefetchable returns the columns for prefetch and their bytes.
func (s *sorter) prefetchable() (list []int, bytes int) {
	for _, at := range s.job.Gather {
		c := &s.job.Columns[at]
		if s.isKey(at) || s.onHost[at] || isText(c.Kind) || c.Kind == keyencode.Bool || c.ValueBytes() == 0 ||
			slices.Contains(list, at) {
			continue
		}
		list = append(list, at)
		bytes += s.rows * c.ValueBytes()
	}
	return list, bytes
}

// uploadArrival uploads a column in the goroutine of prefetch. Every goroutine that calls the driver enters the
// context.
func (s *sorter) uploadArrival(a *arrival) {
	a.err = s.Do(func() error {
		uploadValues(&s.up, a.values, filled(a.column), a.column.ValueBytes())
		s.up.Record(a.event)
		return s.up.Err
	})
}

// await makes the kernels wait for the upload of a column.
func (s *sorter) await(at int) driver.Ptr {
	a := s.arrivals[at]
	delete(s.arrivals, at)
	<-a.sent
	s.Fail(a.err)
	s.After(a.event)
	return a.values
}

// hasArrived reports whether the upload of a column is complete or queued.
func (s *sorter) hasArrived(at int) bool {
	a := s.arrivals[at]
	if a == nil {
		return true
	}
	select {
	case <-a.sent:
		return true
	default:
		return false
	}
}
