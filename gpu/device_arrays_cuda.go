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
	var session *device.Session
	var made resident.Result
	err := e.inTurn(ctx, func(s *device.Session) error {
		session = s
		return s.Do(func() (err error) {
			made, err = resident.Sort(ctx, s, job)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	rows := &DeviceRows{Address: max(job.Out, uint64(made.Rows)), Rows: job.Result(), Width: job.RowNumbers,
		Columns: made.Columns, Device: session.Number}
	if stream := job.Stream; len(made.Kept) > 0 {
		rows.Event = made.Kept[0].Ready.Handle()
		rows.release = func() error { return driver.Failure(made.GiveBack(session, stream)) }
	}
	return rows, nil
}

func (e *Engine) trim(ctx context.Context) error {
	return e.inTurn(ctx, func(s *device.Session) error {
		for _, peer := range s.Peers {
			err := peer.Do(func() error {
				if err := peer.Settle(nil); err != nil {
					return err
				}
				return peer.Pool.Trim()
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}
