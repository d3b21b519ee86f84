//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
)

// A mover moves bytes through a lane for one task. It remembers the first error, also that of a cancelled context:
// after that its methods do nothing. One goroutine at a time uses it.
type mover struct {
	*lane
	device  *driver.Context
	ctx     context.Context
	workers *host.Workers
	err     error
	queued  int // bytes that the stream has to move since the last mark
	marked  int
}

func newMover(ctx context.Context, device *driver.Context, l *lane, workers *host.Workers) mover {
	return mover{lane: l, device: device, ctx: ctx, workers: workers}
}

// fail notes an error, the first one only.
func (m *mover) fail(err error) {
	if m.err == nil && err != nil {
		m.err = deviceError(err)
	}
}

// failed reports whether there is no point in going on.
func (m *mover) failed() bool {
	if m.err == nil {
		m.err = m.ctx.Err()
	}
	return m.err != nil
}

// deviceError makes an error of the driver one of this package; others stay as they are. A lack of memory is not the
// device's fault: it goes on.
func deviceError(err error) error {
	switch {
	case errors.Is(err, ErrDevice), errors.Is(err, engine.ErrMemory), !errors.As(err, new(*driver.Error)):
		return err
	case isFull(err):
		return fmt.Errorf("%w: %w", engine.ErrMemory, err)
	default:
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
}

// moves notes that what was put into the stream moves so many bytes, and waits when too much is under way.
func (m *mover) moves(bytes int) {
	if m.queued += bytes; m.queued < thresholds.queueBytes || m.failed() {
		return
	}
	m.queued = 0
	m.marked++
	mark := m.marks[m.marked%2]
	if m.marked > 2 {
		m.fail(m.device.WaitFor(mark)) // it is two marks old
	}
	m.fail(m.Record(mark))
}

// wait hands on what was downloaded, waits for the stream and returns the first error.
func (m *mover) wait() error {
	if !m.failed() {
		m.fail(m.staging.emptyAll(m.ahead()))
		m.idle()
	}
	return m.err
}

// ahead is how many slots of the staging memory are filled or emptied at a time: one by each thread.
func (m *mover) ahead() int { return min(m.workers.Threads(), stagingSlots-stagingOnWay) - 1 }

// idle waits for the stream, also after an error: nothing reads or writes memory of the host any more.
func (m *mover) idle() {
	m.fail(m.Wait())
	m.staging.settle()
}
