//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/keyencode"
)

// prepare allocates the result's buffers, all but those of columns that the host gathers, while columns are uploaded
// and keys sorted: clearing pageable memory takes as long.
func (s *sorter) prepare() {
	s.result.Rows = s.out
	s.result.Columns = make([]engine.Column, len(s.job.Gather))
	s.unprepared = make(chan error, 1+len(s.job.Gather))
	if s.threads == 1 || s.out < thresholds.helperRows {
		s.allocate()
	} else {
		s.helpers.Go(s.allocate)
	}
}

// allocate allocates the buffers, and sends nil for each, or an error for the last.
func (s *sorter) allocate() {
	defer close(s.unprepared)
	err := s.allocateRowNumbers()
	s.unprepared <- err
	for i := 0; i < len(s.job.Gather) && err == nil && s.ctx.Err() == nil; i++ {
		err = s.allocateColumn(i)
		s.unprepared <- err
	}
}

// prepared waits for the row numbers' buffer and those of the given number of columns, also after an error. Other users
// of the caller's allocator wait for all of them.
func (s *sorter) prepared(columns int) {
	for ; s.preparedBuffers <= columns; s.preparedBuffers++ {
		s.fail(<-s.unprepared)
	}
}

// isPrepared reports whether prepared returns without waiting.
func (s *sorter) isPrepared(columns int) bool {
	for ; s.preparedBuffers <= columns; s.preparedBuffers++ {
		select {
		case err := <-s.unprepared:
			s.fail(err)
		default:
			return false
		}
	}
	return true
}

func (s *sorter) allocateRowNumbers() (err error) {
	s.result.RowNumbers, err = s.buffers.Bytes(s.out * s.job.RowNumbers)
	if err == nil {
		err = s.up.workers.Touch(s.result.RowNumbers)
	}
	return err
}

func (s *sorter) allocateColumn(i int) (err error) {
	at := s.job.Gather[i]
	c, out := &s.job.Columns[at], &s.result.Columns[i]
	if s.onHost[at] {
		return nil
	}
	size := s.out * c.ValueBytes()
	switch {
	case c.Kind == keyencode.Bool:
		size = bitmapBytes(s.out)
	case isText(c.Kind) && s.out > 0:
		size = (s.out + 1) * offsetBytes(c.Kind)
	}
	if out.Values, err = s.buffers.Bytes(size); err == nil {
		err = s.up.workers.Touch(out.Values)
	}
	if err == nil && nullable(c) {
		out.Validity, err = s.buffers.Bytes(bitmapBytes(s.out))
	}
	if err != nil {
		return fmt.Errorf("column %d: %w", at, err)
	}
	return nil
}

func bitmapBytes(rows int) int { return (rows + 7) / 8 }

// writeRowNumbers downloads the row numbers if they are part of the result or needed on the host.
func (s *sorter) writeRowNumbers() {
	s.prepared(0)
	if s.numbers == nil && s.gathersOnHost() {
		s.prepared(len(s.job.Gather))
		s.numbers = s.hostNumbers()
		s.wait()
	}
	switch {
	case s.job.RowNumbers == 0 || s.out == 0 || s.failed():
	case s.numbers != nil && s.job.RowNumbers == 8:
		s.fail(s.workers.Widen(host.View[uint64](s.result.RowNumbers), s.numbers))
	case s.numbers != nil:
		s.fail(s.workers.Copy(s.result.RowNumbers, host.BytesOf(s.numbers)))
	default:
		m := s.afterKernels(4 * s.out)
		if s.job.RowNumbers == 4 {
			m.download(s.result.RowNumbers, s.order)
		} else {
			m.downloadInto(s.order, 4*s.out, func(at int, data []byte) func() error {
				return m.workers.BeginWiden(host.View[uint64](s.result.RowNumbers)[at/4:], host.View[uint32](data))
			})
		}
		s.fail(m.err)
	}
}

// afterKernels returns the transfer for a download of the given bytes after the kernels launched so far.
func (s *sorter) afterKernels(bytes int) *transfer {
	if bytes < thresholds.lateBytes {
		return &s.transfer
	}
	e := s.event()
	if s.record(e); !s.failed() {
		s.down.after(e)
	}
	return &s.down
}

// hostNumbers downloads the leading row numbers; they are complete after wait.
func (s *sorter) hostNumbers() []uint32 {
	numbers, err := host.Words[uint32](&s.buffers, s.out)
	s.fail(err)
	s.download(host.BytesOf(numbers), s.order)
	return numbers
}

func (s *sorter) gathersOnHost() bool {
	return slices.ContainsFunc(s.job.Gather, func(at int) bool { return s.onHost[at] })
}

// fewRows is the least ratio of rows of the input and of the result for which the host gathers: a random read on the
// host takes as long as an upload of about a hundred rows.
const fewRows = 256

// isForHost reports whether the host gathers a column by the device's row numbers: columns that are no keys, and
// strings, if few leading rows are wanted, so that they need no upload; and strings that the device does not gather.
func (s *sorter) isForHost(at int) bool {
	c := &s.job.Columns[at]
	if few := s.out > 0 && s.out <= s.rows/fewRows; few || isText(c.Kind) {
		return few && !s.isKey(at) || isText(c.Kind) && (few || !s.textOnDevice(c))
	}
	return false
}

func (s *sorter) isKey(at int) bool {
	return slices.ContainsFunc(s.job.Keys, func(k keyencode.Key) bool { return k.Column == at })
}

// complete gathers the columns of the host, counts nulls and returns the result.
func (s *sorter) complete() (*engine.Result, error) {
	if err := s.countNulls(); err != nil {
		return nil, err
	}
	for i, at := range s.job.Gather {
		if !s.onHost[at] {
			continue
		}
		out := &s.result.Columns[i]
		for _, b := range [][]byte{out.Values, out.Validity, out.Data} { // allocated for the device
			s.buffers.Free(b)
		}
		var err error
		if *out, err = s.gatherOnHost(&s.job.Columns[at]); err != nil {
			return nil, fmt.Errorf("column %d: %w", at, err)
		}
	}
	r := s.result
	if s.job.Plan {
		r.Plan = s.plan.Detach()
	}
	s.buffers.Keep(r.RowNumbers)
	for _, c := range r.Columns {
		s.buffers.Keep(c.Validity)
		s.buffers.Keep(c.Values)
		s.buffers.Keep(c.Data)
	}
	s.progress(4)
	return &r, nil
}

func (s *sorter) gatherOnHost(c *keyencode.Column) (engine.Column, error) {
	if isText(c.Kind) {
		return host.GatherStrings(s.workers, &s.buffers, c, s.numbers)
	}
	return host.GatherValues(s.workers, &s.buffers, c, s.numbers)
}
