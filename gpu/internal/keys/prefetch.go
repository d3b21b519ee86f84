//go:build cuda && linux && amd64

package keys

import (
	"sync"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A prefetcher uploads columns while the keys are sorted.
type prefetcher struct {
	early    []int            // the columns; nil once it has begun
	arrivals map[int]*arrival // uploads by columns
	unwanted atomic.Bool      // uploads that have not started are skipped
	freed    *driver.Event    // recorded after kernels that use freed memory; uploads wait for it
	Helpers  sync.WaitGroup
}

// An arrival is an upload of a column's values while the keys are sorted, until it is awaited.
type arrival struct {
	column *keyencode.Column
	values driver.Ptr
	event  driver.Event
	sent   chan struct{} // closed when the event is recorded, or err is set
	err    error
}

// Prefetch begins to upload the columns that are needed after the sort, one after the other, in a separate stream and
// goroutine. It is a no-op if they may not fit the device together, and after the first call.
func (s *Columns) Prefetch() {
	list, bytes := s.early, 0
	s.early = nil
	for _, at := range list {
		bytes += s.Rows * s.Job.Columns[at].ValueBytes()
	}
	if len(list) == 0 || s.Workers.Threads() == 1 || bytes < s.Tuning.PrefetchBytes ||
		!s.HasMemory(bytes+device.SortBytes*s.Rows) {
		return
	}
	s.arrivals = map[int]*arrival{}
	var arrivals []*arrival
	for _, at := range list {
		c := &s.Job.Columns[at]
		values, ok := s.AllocAll(s.Rows * c.ValueBytes())
		if !ok {
			break
		}
		a := &arrival{column: c, values: values[0], event: s.Event(), sent: make(chan struct{})}
		arrivals, s.arrivals[at] = append(arrivals, a), a
	}
	if s.IsStreamOrdered() {
		s.markFree()
	}
	if s.freed != nil && !s.Failed() {
		s.Up.After(*s.freed)
	}
	failed := s.Failed()
	s.Helpers.Go(func() {
		for _, a := range arrivals {
			if !failed && !s.unwanted.Load() {
				a.err = s.Do(func() error { // every goroutine that calls the driver enters the context
					UploadValues(&s.Up, a.values, host.Filled(a.column), a.column.ValueBytes())
					s.Up.Record(a.event)
					return s.Up.Err
				})
			}
			close(a.sent)
		}
	})
}

// dropArrivals frees uploaded columns that are not in use yet, and reports whether there were any. They are uploaded
// again when needed.
func (s *Columns) dropArrivals() bool {
	if len(s.arrivals) == 0 {
		return false
	}
	s.unwanted.Store(true)
	for _, a := range s.arrivals {
		<-a.sent
		s.Fail(a.err)
	}
	s.Up.Idle() // the goroutine is through with it
	s.Fail(s.Up.Err)
	for at, a := range s.arrivals {
		s.Free(a.values)
		delete(s.arrivals, at)
	}
	return true
}

// markFree records that what is queued so far in the stream of kernels may use freed memory: uploads of Prefetch wait
// for it.
func (s *Columns) markFree() {
	if s.freed == nil {
		e := s.Event()
		s.freed = &e
	}
	s.Record(*s.freed)
}

// await makes the kernels wait for the upload of a column.
func (s *Columns) await(at int) driver.Ptr {
	a := s.arrivals[at]
	delete(s.arrivals, at)
	<-a.sent
	s.Fail(a.err)
	s.After(a.event)
	return a.values
}

// HasArrived reports whether the upload of a column is complete or queued.
func (s *Columns) HasArrived(at int) bool {
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
