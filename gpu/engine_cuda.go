//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// device is the open devices of an engine. One sort at a time takes their sessions, by the first of them, which is nil
// if the devices must be reopened.
type device struct {
	all     []Device // that share sorts
	options Options
	times   stageTimes
	turn    chan *session
	pinned  *Allocator
}

func devices() ([]Device, error) {
	found, err := driver.Devices()
	if err != nil {
		return nil, openError(err)
	}
	all := make([]Device, len(found))
	for i, d := range found {
		all[i] = Device{i, d.Name, fmt.Sprintf("%d.%d", d.Major, d.Minor), d.Memory, d.Multiprocessors, nil}
		for peer := range found {
			reaches, err := driver.Reaches(i, peer)
			if err != nil {
				return nil, openError(err)
			}
			if reaches {
				all[i].Peers = append(all[i].Peers, peer)
			}
		}
	}
	return all, nil
}

// openError wraps an error of the driver in an error of this package.
func openError(err error) error {
	switch {
	case errors.As(err, new(*driver.NoDeviceError)):
		return fmt.Errorf("%w: %w", ErrNoDevice, err)
	case isFull(err):
		return deviceError(err)
	default:
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
}

func open(options Options) (*device, error) {
	all, err := devices()
	if err != nil {
		return nil, err
	}
	d := &device{options: options, turn: make(chan *session, 1)}
	for i, number := range options.numbers() {
		if number < 0 || number >= len(all) {
			return nil, fmt.Errorf("%w: device %d was asked for, there are %d", ErrNoDevice, number, len(all))
		}
		if slices.Contains(options.numbers()[:i], number) {
			return nil, fmt.Errorf("%w: device %d was asked for twice", ErrNoDevice, number)
		}
		d.all = append(d.all, all[number])
	}
	s, err := openSessions(options, &d.times)
	if err != nil {
		return nil, openError(err)
	}
	d.pinned = newAllocator(systemPages{}, contextPins{s.Context})
	d.turn <- s
	return d, nil
}

func (d *device) info() []Device { return d.all }

func (d *device) stageTimes() []StageTime { return d.times.all() }

func (d *device) thresholds(threads int) []engine.Threshold {
	list := thresholds.list(threads, d.all[0].Multiprocessors)
	for n := 2; n <= len(d.all); n++ {
		list = append(list, engine.Threshold{Name: fmt.Sprint(n, " devices"), Rows: n * d.options.leastShare()})
	}
	slices.SortStableFunc(list, func(a, b engine.Threshold) int { return a.Rows - b.Rows })
	return list
}

func (d *device) allocator() *Allocator { return d.pinned }

func (d *device) close() error {
	s, open := <-d.turn
	if !open {
		return nil // it was closed before
	}
	defer close(d.turn)
	if s == nil {
		return nil // the device was lost
	}
	d.pinned.detach()
	return s.closeAll()
}

// sort waits for its turn and runs a job on the session.
func (d *device) sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := check(job); err != nil {
		return nil, err
	}
	s, err := d.take(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { d.turn <- s }()
	result, err := s.run(ctx, job, mem)
	if errors.Is(err, ErrDevice) {
		d.lose(s)
		s = nil
	}
	return result, err
}

// take waits for the session, and reopens the device if the last sort has lost it.
func (d *device) take(ctx context.Context) (*session, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case s, open := <-d.turn:
		if !open {
			return nil, fmt.Errorf("%w: the engine is closed", ErrNoDevice)
		}
		if s != nil {
			return s, nil
		}
	}
	s, err := d.reopen()
	if err != nil {
		d.turn <- nil
		return nil, err
	}
	return s, nil
}

// lose closes a session whose device has failed. Nothing in its context can be used any more.
func (d *device) lose(s *session) {
	d.pinned.detach()
	_ = s.closeAll() // a context that has failed may not close
}

func (d *device) reopen() (*session, error) {
	s, err := openSessions(d.options, &d.times)
	if err != nil {
		return nil, fmt.Errorf("%w: opening it again: %w", ErrDevice, err)
	}
	d.pinned.attach(contextPins{s.Context})
	return s, nil
}
