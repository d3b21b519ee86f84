//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/memory"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// A session is an open device with what every sort needs: kernels, streams, device memory, and memory for the arguments
// of kernels. One sort at a time uses it.
type session struct {
	*driver.Context
	memory           *memory.Pool[driver.Ptr]
	streams          [3]*stream.Stream // of kernels, of uploads, of downloads
	events           []driver.Event
	params           memory.Arguments
	reports          reports
	cooperativeState driver.Ptr // a CooperativeState: zero between sorts
	freeBytes        int64      // of device memory for sorts, as last measured
	tuning           *tuning.Table
	peers            []*session          // of all devices of the engine, this one first
	onLaunch         func(kernel string) // nil, but where launches are measured (benchmarks/cub)
}

func openSession(device int, table *tuning.Table) (*session, error) {
	c, err := driver.NewContext(device)
	if err != nil {
		return nil, err
	}
	s := &session{Context: c, memory: memory.NewPool(c.Alloc, c.Free), tuning: table}
	if err := s.Do(s.prepare); err != nil {
		c.Close()
		return nil, err
	}
	return s, nil
}

func (s *session) prepare() (err error) {
	for i := range s.streams {
		if s.streams[i], err = stream.Open(s.Context, s.tuning); err != nil {
			return err
		}
	}
	if err = s.reports.open(s.Context); err != nil {
		return err
	}
	if s.cooperativeState, err = s.Alloc(kernels.CooperativeStateBytes); err != nil {
		return err
	}
	if err = s.params.Open(s.Context); err != nil {
		return err
	}
	s.measureMemory()
	return s.streams[0].Zero(s.cooperativeState, kernels.CooperativeStateBytes)
}
