//go:build cuda && linux && amd64

// Package device has what every algorithm needs of an open GPU: memory, launches, reports of kernels, and downloads.
package device

import (
	"errors"
	"fmt"
	"sync"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/memory"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// A Session is an open device with what every sort needs: kernels, streams, device memory, and memory for the arguments
// of kernels. One sort at a time uses it.
type Session struct {
	*driver.Context
	Facts            strategy.Device // of the device, for decisions
	Pool             *memory.Pool[driver.Ptr]
	Streams          [3]*stream.Stream // of kernels, of uploads, of downloads
	events           []driver.Event
	Arguments        arguments
	Reports          reports
	CooperativeState driver.Ptr // a CooperativeState: zero between sorts
	FreeBytes        int64      // of device memory for sorts, as last measured
	Tuning           *tuning.Table
	Peers            []*Session          // of all devices of the engine, this one first
	OnLaunch         func(kernel string) // nil, but where launches are measured (benchmarks/cub)
	source           source              // of the pool's memory
	kernels          *driver.Stream      // the session's stream of kernels: a task may run in another one
	last             driver.Event        // recorded after the work that a task leaves
	isLeft           bool                // the last task has left work: last is recorded after it
	Probe            driver.Event        // recorded in streams of others, to see whether they belong to the context
	Widening         Widening
	returns          returns
}

// Widening is the Field of row numbers of 4 bytes that are written as 8. It stays on the device, since it is the same
// for sorts of the same number of rows, which use the same memory.
type Widening struct {
	Field driver.Ptr // 0: none yet
	Rows  driver.Ptr // that it reads
}

// Settings are how devices are opened. The zero value is separate contexts, whose memory is all that is free.
type Settings struct {
	Primary bool   // the primary context, of one device
	Memory  Memory // nil: the driver
	Limit   int    // the most bytes for sorts on each device; 0: no limit
}

func openSession(device int, table *tuning.Table, settings Settings) (*Session, error) {
	c, err := driver.NewContext(device, settings.Primary)
	if err != nil {
		return nil, err
	}
	s := &Session{Context: c, Tuning: table, returns: returns{out: map[driver.Ptr]driver.Event{}}}
	s.Facts = strategy.Device{Shared: c.Shared, Multiprocessors: c.Multiprocessors,
		Fits: func(kernel string) bool { return c.Fits(strategy.KernelNumbers[kernel]) }}
	s.source = source{Session: s, hook: settings.Memory, limit: settings.Limit, sizes: map[driver.Ptr]int{}}
	s.Pool = memory.NewPool(s.source.alloc, s.source.free)
	if err := s.Do(s.prepare); err != nil {
		c.Close()
		return nil, err
	}
	return s, nil
}

// Close frees the device, but for the results on it that GiveBack has not freed. It is called outside Enter.
func (s *Session) Close() error {
	s.returns.Lock()
	defer s.returns.Unlock()
	s.outlive()
	if s.IsPrimary() || s.source.hook != nil { // else the context ends with all of it
		_ = s.Do(s.abandon) // a device that has failed returns errors; its memory is lost in any case
	}
	return s.Context.Close()
}

// abandon waits for the work of the last task and gives back the memory of the program's hook.
func (s *Session) abandon() error {
	if s.isLeft {
		_ = s.WaitFor(s.last)
	}
	if s.source.hook == nil {
		return nil
	}
	s.Streams[0].Stream = s.kernels
	_ = s.takeReturned()
	if s.Reports.Counters != 0 {
		_ = s.Pool.Discard(s.Reports.Counters)
	}
	return s.Pool.FreeAll()
}

func (s *Session) prepare() (err error) {
	for i := range s.Streams {
		if s.Streams[i], err = stream.Open(s.Context, s.Tuning); err != nil {
			return err
		}
	}
	if err = s.Reports.open(s.Context); err != nil {
		return err
	}
	if s.CooperativeState, err = s.Alloc(kernels.CooperativeStateBytes); err != nil {
		return err
	}
	if err = s.Arguments.open(s.Context); err != nil {
		return err
	}
	for _, e := range []*driver.Event{&s.Probe, &s.last} {
		if *e, err = s.NewEvent(); err != nil {
			return err
		}
	}
	s.kernels = s.Streams[0].Stream
	s.MeasureMemory()
	if err = s.Streams[0].Zero(s.CooperativeState, kernels.CooperativeStateBytes); err != nil {
		return err
	}
	return s.Streams[0].Wait() // the first task may run in another stream
}

// Open opens devices that sort together, and returns the first. Those that reach each other copy directly.
func Open(numbers []int, table *tuning.Table, settings Settings) (*Session, error) {
	sessions, errs := make([]*Session, len(numbers)), make([]error, len(numbers))
	var group sync.WaitGroup
	for i, number := range numbers {
		group.Go(func() {
			if sessions[i], errs[i] = openSession(number, table, settings); errs[i] != nil && len(sessions) > 1 {
				errs[i] = fmt.Errorf("device %d: %w", number, errs[i])
			}
		})
	}
	group.Wait()
	err := errors.Join(errs...)
	for _, s := range sessions {
		for _, peer := range sessions {
			if err == nil { // else some are nil
				err = s.Reach(peer.Context)
			}
		}
	}
	if err != nil {
		_ = CloseAll(sessions)
		return nil, err
	}
	for _, s := range sessions {
		s.Peers = sessions
	}
	return sessions[0], nil
}

// CloseAll closes sessions, but for those that were not opened.
func CloseAll(sessions []*Session) error {
	var errs []error
	for _, s := range sessions {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// HasMemory reports whether the given bytes are likely to fit the device's memory. It measures the free memory again
// only if the last measurement is too little.
func (s *Session) HasMemory(bytes int) bool {
	if int64(bytes) > s.FreeBytes {
		s.MeasureMemory()
	}
	return int64(bytes) <= s.FreeBytes
}

// IsStreamOrdered reports whether new memory is free for other streams only after what is queued in that of kernels so
// far, since it comes from the program's hook.
func (s *Session) IsStreamOrdered() bool { return s.source.hook != nil }

// MeasureMemory measures the device memory that sorts can use.
func (s *Session) MeasureMemory() {
	if free, err := s.FreeMemory(); err == nil { // an error shows in the next call as well
		s.FreeBytes = free + int64(s.Pool.Held)
		if limit := int64(s.source.limit); limit > 0 {
			s.FreeBytes = min(s.FreeBytes, limit)
		}
	}
}
