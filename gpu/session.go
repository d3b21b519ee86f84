//go:build cuda && linux && amd64

package gpu

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
)

// A session is an open device with what every sort needs: kernels, streams, device memory, and memory for the arguments
// of kernels. One sort at a time uses it.
type session struct {
	*driver.Context
	memory           *pool[driver.Ptr]
	streams          [3]*stream // of kernels, of uploads, of downloads
	events           []driver.Event
	params           params
	reports          reports
	cooperativeState driver.Ptr          // a CooperativeState: zero between sorts
	freeBytes        int64               // of device memory for sorts, as last measured
	onLaunch         func(kernel string) // nil, but where launches are measured (benchmarks/cub)
}

func openSession(device int) (*session, error) {
	c, err := driver.NewContext(device)
	if err != nil {
		return nil, err
	}
	s := &session{Context: c, memory: newPool(c.Alloc, c.Free)}
	if err := s.prepare(); err != nil {
		c.Close()
		return nil, err
	}
	return s, nil
}

func (s *session) prepare() error {
	leave, err := s.Enter()
	if err != nil {
		return err
	}
	defer leave()
	for i := range s.streams {
		if s.streams[i], err = openStream(s.Context); err != nil {
			return err
		}
	}
	if err := s.reports.open(s.Context); err != nil {
		return err
	}
	if s.cooperativeState, err = s.Alloc(kernels.CooperativeStateBytes); err != nil {
		return err
	}
	if err := s.streams[0].Zero(s.cooperativeState, kernels.CooperativeStateBytes); err != nil {
		return err
	}
	if err := s.params.open(s.Context); err != nil {
		return err
	}
	s.measureMemory()
	return nil
}

// sort runs a job. It binds the goroutine to its thread, so that calls of the driver need not switch threads.
func (s *session) sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	leave, err := s.Enter()
	if err != nil {
		return nil, deviceError(err)
	}
	defer leave()
	t := newTask(ctx, s, job.Threads)
	defer t.end()
	return sortJob(t, job, mem)
}
