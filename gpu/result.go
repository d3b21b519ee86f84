//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// prepared waits for buffers of the result, also after an error.
func (s *sorter) prepared(columns int) { s.Fail(s.output.prepared(columns)) }

// isPrepared reports whether prepared returns without waiting.
func (s *sorter) isPrepared(columns int) bool {
	for ; s.preparedBuffers <= columns; s.preparedBuffers++ {
		select {
		case err := <-s.unprepared:
			s.Fail(err)
		default:
			return false
		}
	}
	return true
}

// writeRowNumbers downloads the row numbers if they are part of the result or needed on the host.
func (s *sorter) writeRowNumbers() {
	s.prepared(0)
	if s.numbers == nil && s.gathersOnHost() {
		s.prepared(len(s.job.Gather))
		s.numbers = s.hostNumbers()
		s.Wait()
	}
	switch {
	case s.job.RowNumbers == 0 || s.out == 0 || s.Failed():
	case s.numbers != nil:
		s.Fail(s.writeNumbers())
	case s.job.RowNumbers == 8:
		s.downloadWidened(buffers.View[uint64](s.result.RowNumbers), s.order)
	default:
		m := s.afterKernels(4 * s.out)
		m.Download(s.result.RowNumbers, s.order)
		s.Fail(m.Err)
	}
}

// downloadWidened downloads row numbers after the kernels launched so far, as 8 bytes each.
func (s *sorter) downloadWidened(dst []uint64, numbers driver.Ptr) {
	m := s.afterKernels(4 * len(dst))
	m.DownloadInto(numbers, 4*len(dst), func(at int, data []byte) func() error {
		return m.Workers.BeginWiden(dst[at/4:], buffers.View[uint32](data))
	})
	s.Fail(m.Err)
}

// afterKernels returns the transfer for a download of the given bytes after the kernels launched so far.
func (s *sorter) afterKernels(bytes int) *stream.Copier {
	if bytes < s.tuning.LateBytes {
		return &s.Copier
	}
	e := s.event()
	if s.Record(e); !s.Failed() {
		s.down.After(e)
	}
	return &s.down
}

// hostNumbers downloads the leading row numbers; they are complete after wait.
func (s *sorter) hostNumbers() []uint32 {
	numbers, err := host.Words[uint32](&s.buffers, s.out)
	s.Fail(err)
	s.Download(buffers.Bytes(numbers), s.order)
	return numbers
}

// countNulls reads the counters of ones.
func (s *sorter) countNulls() error {
	if s.counters != 0 {
		s.setNulls(s.Words(s.counters, len(s.job.Gather)))
	}
	return s.Err
}
