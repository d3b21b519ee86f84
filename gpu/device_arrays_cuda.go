//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"fmt"

	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/resident"
)

// argsortDevice waits for its turn and queues a job on the session.
func (e *Engine) argsortDevice(ctx context.Context, job *DeviceJob) (*DeviceRows, error) {
	if !e.options.PrimaryContext {
		return nil, fmt.Errorf("%w: the engine has a separate context; open it with Options.PrimaryContext",
			ErrDeviceArray)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := e.take(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { e.turn <- s }()
	var address driver.Ptr
	err = driver.Failure(s.Do(func() error {
		if err := s.Settle(); err != nil {
			return err
		}
		t := device.NewTask(ctx, s, 1)
		if address, err = resident.Argsort(t, job); err != nil {
			t.End()
			return err
		}
		t.Leave()
		return nil
	}))
	if s = e.unlessFailed(s, err); err != nil {
		return nil, err
	}
	rows := &DeviceRows{Address: uint64(address), Rows: job.Result(), Width: job.RowNumbers, stream: job.Stream}
	if job.Out == 0 && address != 0 {
		rows.session = s
	}
	return rows, nil
}

func (r *DeviceRows) release() error {
	return driver.Failure(r.session.GiveBack(driver.Ptr(r.Address), r.stream))
}

func (e *Engine) trim(ctx context.Context) error {
	s, err := e.take(ctx)
	if err != nil {
		return err
	}
	defer func() { e.turn <- s }()
	for _, peer := range s.Peers {
		if err == nil {
			err = peer.Do(func() error {
				if err := peer.Settle(); err != nil {
					return err
				}
				return peer.Pool.Trim()
			})
		}
	}
	err = driver.Failure(err)
	s = e.unlessFailed(s, err)
	return err
}
