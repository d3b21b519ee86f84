//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
)

// device is an open device. One sort at a time takes its session, which is nil if the device must be reopened.
type device struct {
	Device
	turn   chan *session
	pinned *Allocator
}

func devices() ([]Device, error) {
	found, err := driver.Devices()
	if err != nil {
		return nil, openError(err)
	}
	all := make([]Device, len(found))
	for i, d := range found {
		all[i] = Device{i, d.Name, fmt.Sprintf("%d.%d", d.Major, d.Minor), d.Memory, d.Multiprocessors}
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
	if options.Device < 0 || options.Device >= len(all) {
		return nil, fmt.Errorf("%w: device %d was asked for, there are %d", ErrNoDevice, options.Device, len(all))
	}
	d := &device{Device: all[options.Device], turn: make(chan *session, 1)}
	s, err := openSession(d.Number)
	if err != nil {
		return nil, openError(err)
	}
	d.pinned = newAllocator(systemPages{}, contextPins{s.Context})
	d.turn <- s
	return d, nil
}

func (d *device) info() Device { return d.Device }

func (d *device) thresholds(threads int) []engine.Threshold {
	return thresholds.list(threads, d.Multiprocessors)
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
	return s.Close()
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
	result, err := s.sort(ctx, job, mem)
	if errors.Is(err, ErrDevice) { // nothing in the context can be used any more
		d.pinned.detach()
		s.Close()
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
	s, err := openSession(d.Number)
	if err != nil {
		d.turn <- nil
		return nil, fmt.Errorf("%w: opening it again: %w", ErrDevice, err)
	}
	d.pinned.attach(contextPins{s.Context})
	return s, nil
}
