//go:build cuda && linux && amd64

package gpu

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
)

// A session is an open device with what every sort needs: the kernels, three lanes, and room
// for the kernels' arguments. One sort at a time uses it.
type session struct {
	*driver.Context
	memory  *pool[driver.Ptr]
	lanes   [3]*lane // of the kernels, of what comes up meanwhile, of what goes down
	events  []driver.Event
	params  params
	lookout lookout
	meeting driver.Ptr // of the blocks of a grid: zero between sorts
	room    int64      // bytes of the device's memory for sorts, as far as is known
}

func openSession(device int) (*session, error) {
	list := make([]driver.Kernel, len(kernels.All))
	for i, k := range kernels.All {
		list[i] = driver.Kernel{Name: k.Name, Threads: k.Threads, Shared: k.Shared, Cluster: k.Cluster(),
			Together: k.Together()}
	}
	c, err := driver.NewContext(device, kernels.Image, list)
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
	for i := range s.lanes {
		if s.lanes[i], err = openLane(s.Context); err != nil {
			return err
		}
	}
	if err := s.lookout.open(s.Context); err != nil {
		return err
	}
	if s.meeting, err = s.Alloc(kernels.MeetingBytes); err != nil {
		return err
	}
	if err := s.lanes[0].Zero(s.meeting, kernels.MeetingBytes); err != nil {
		return err
	}
	if err := s.params.open(s.Context); err != nil {
		return err
	}
	s.measureRoom()
	return nil
}

// sort runs a job from its upload to its result. The goroutine is bound to its thread meanwhile: the driver's calls are
// made directly, without a hop to another.
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
