//go:build cuda && linux && amd64

package resident

import (
	"context"
	"fmt"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A stream that is captured into a CUDA graph takes kernels that run each time the graph is launched, long after the
// call. So nothing may depend on the host then: one kernel sorts, and its memory is the caller's for as long as the
// graph is.

// capture queues a job that one kernel does in a stream that is captured.
func capture(ctx context.Context, s *device.Session, job *Job, stream *driver.Stream) error {
	if what := notCaptured(job); what != "" {
		return fmt.Errorf("%w: the stream is captured into a graph, and %s", ErrDeviceArray, what)
	}
	if job.Rows == 0 {
		return nil
	}
	if err := checkAddresses(s, job); err != nil {
		return err
	}
	err := s.Capture(ctx, stream, func(t *device.Task) { (&sorter{Task: t, job: job}).capture() })
	if driver.RejectsStream(err) {
		return fmt.Errorf("%w: the stream %#x is not one of the primary context of device %d: %v", ErrDeviceArray,
			job.Stream, s.Number, err)
	}
	return err
}

// notCaptured says what of a job needs more than a kernel; nothing if that does not show in the job.
func notCaptured(job *Job) string {
	switch {
	case len(job.Keys) != 1 || job.Rows > kernels.ClusterRows:
		return fmt.Sprintf("sorts by several keys, or of more than %d rows, wait for decisions of kernels",
			kernels.ClusterRows)
	case job.Result() != job.Rows || len(job.Gather) > 0:
		return "a limit, or columns that are gathered, need memory of the engine"
	case job.Out == 0 || job.Out%16 != 0:
		return "the row numbers need memory of the caller, at a multiple of 16"
	case job.Event != 0:
		return "the event was not recorded in the graph: record it after the capture has begun, or wait for it before"
	}
	switch c := &job.Columns[job.Keys[0].Column]; {
	case c.Kind == keyencode.Bool:
		return "the key has bits, which are copied first"
	case c.first()%16 != 0:
		return "the values of the key do not begin at a multiple of 16"
	case c.Validity != 0:
		return "rows of the key may be null"
	}
	return ""
}

// capture queues the kernels. Row numbers of 4 bytes that are widened have memory until the engine is closed.
func (s *sorter) capture() {
	columns := keys.NewColumns(s.Task, s.engineJob(), nil, nil)
	if !argsort.IsOneKernel(columns) {
		s.Fail(fmt.Errorf("%w: the stream is captured into a graph, and this device, or a key of this type, needs "+
			"more than one kernel", ErrDeviceArray))
		return
	}
	columns.OnDevice = s.align() // copies nothing of what notCaptured lets pass
	rows := driver.Ptr(s.job.Out)
	var field driver.Ptr
	if s.job.RowNumbers == 8 {
		rows = s.forGood(4 * s.job.Rows)
		words := wideningWords(rows)
		field = s.forGood(8 * len(words))
		s.Up.Upload(field, buffers.Bytes(words))
		s.Fail(s.Up.Wait())
	}
	s.Lend(rows, 4*s.job.Rows)
	argsort.Run(columns, func() {})
	if field != 0 {
		s.launchWidening(field, s.job.Rows, driver.Ptr(s.job.Out))
	}
}

// forGood allocates memory that is freed when the engine is closed.
func (s *sorter) forGood(bytes int) driver.Ptr {
	if s.Failed() {
		return 0
	}
	p, err := s.Context.Alloc(bytes + device.Padding)
	s.Fail(err)
	return p
}

// wideningWords are the words of the Field that reads row numbers of 4 bytes.
func wideningWords(rows driver.Ptr) []uint64 {
	return abi.Words([]abi.Field{abi.Integers(rows, 4)})
}

// launchWidening writes the codes of a Field of row numbers: numbers of 4 bytes as 8 bytes each.
func (s *sorter) launchWidening(field driver.Ptr, n int, to driver.Ptr) {
	s.Launch("encode", s.Blocks(n), uint64(field), 1, uint64(n), 0, uint64(to))
}
