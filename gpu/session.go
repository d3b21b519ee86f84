//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"time"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
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
	times            *stageTimes
	tuning           *tuning.Table
	peers            []*session          // of all devices of the engine, this one first
	shareRows        int                 // the least rows of the share of a device
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

// run runs a job on the devices that share it.
func (s *session) run(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	if sorters := s.sorters(job); len(sorters) > 1 {
		return sortShared(ctx, sorters, job, mem)
	}
	start := time.Now()
	defer func() { s.times.add(s.Number, "sort", time.Since(start)) }()
	return s.sort(ctx, job, mem)
}

// add adds to the time of a stage on a device.
func (t *stageTimes) add(device int, stage string, took time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for i := range t.list {
		if s := &t.list[i]; s.Device == device && s.Stage == stage {
			s.Duration += took
			return
		}
	}
	t.list = append(t.list, StageTime{device, stage, took})
}

// sort runs a job on one device. It binds the goroutine to its thread, so that calls of the driver need not switch
// threads.
func (s *session) sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (result *engine.Result, err error) {
	err = s.Do(func() error {
		t := newTask(ctx, s, job.Threads)
		defer t.end()
		result, err = sortJob(t, job, mem)
		return err
	})
	return result, driver.Failure(err)
}

// sorters are the sessions for a job: all that have enough rows to do. One sorts by keys that devices do not read, and
// gathers strings, which of several the host would do, unless it is likely to have too little memory.
func (s *session) sorters(job *engine.Job) []*session {
	alone := gathersText(job) && s.freeBytes >= int64(bytesOfRow(job)*job.Rows)
	if alone || !canShare(job) {
		return s.peers[:1]
	}
	return s.peers[:max(1, min(len(s.peers), job.Rows/s.shareRows))]
}
