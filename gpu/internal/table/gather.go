//go:build cuda && linux && amd64

package table

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// prepared waits for buffers of the result, also after an error.
func (s *sorter) prepared(columns int) { s.Fail(s.Output.Prepared(columns)) }

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
	if s.Numbers == nil && s.GathersOnHost() {
		s.Numbers = s.hostNumbers()
		s.Wait()
	}
	switch {
	case s.Job.RowNumbers == 0 || s.Out == 0 || s.Failed():
	case s.Numbers != nil:
		s.Fail(s.WriteNumbers())
	case s.Job.RowNumbers == 8:
		s.downloads.Widened(buffers.View[uint64](s.Result.RowNumbers), s.Order)
	default:
		s.downloads.Numbers(s.Result.RowNumbers, s.Order)
	}
}

// hostNumbers downloads the leading row numbers; they are complete after Wait.
func (s *sorter) hostNumbers() []uint32 {
	numbers, err := arena.Slice[uint32](s.Buffers, s.Out)
	s.Fail(err)
	s.Download(buffers.Bytes(numbers), s.Order)
	return numbers
}

// gatherAll gathers the columns of the job's list. While one is downloaded the next is gathered, once it is uploaded.
func (s *sorter) gatherAll() {
	d := &s.downloads
	for i, at := range s.Job.Gather {
		if !s.columns.HasArrived(at) || !s.isPrepared(i+1) || host.IsText(s.Job.Columns[at].Kind) {
			d.Flush(d.Ready()) // before the host waits
		}
		d.Retire(1)
		made := d.Ready()
		s.gather(i)
		d.Flush(made)
	}
	d.Flush(d.Ready())
	s.ReleaseWindows()
}

// gather gathers one column of the job's list, unless the host gathers it.
func (s *sorter) gather(i int) {
	at := s.Job.Gather[i]
	src := &s.Job.Columns[at]
	s.prepared(i + 1)
	if s.OnHost[at] || s.Out == 0 || s.Failed() {
		return
	}
	dst := &s.Result.Columns[i]
	c := s.columns.Column(at)
	if dst.Validity != nil {
		s.downloads.Deliver(dst.Validity, s.Bits(c.Validity, c.Bit, s.ones.Of(i)))
	}
	switch {
	case host.IsText(src.Kind):
		s.gatherText(i, c)
	case src.Kind == keyencode.Bool:
		s.downloads.Deliver(dst.Values, s.Bits(c.Values, c.ValueBit, s.ones.Uncounted()))
	case len(dst.Values) > 0:
		s.downloads.Deliver(dst.Values, s.Values(c.Values, src.ValueBytes()))
	}
	if !slices.Contains(s.Job.Gather[i+1:], at) {
		s.columns.Release(at)
	}
}

// gatherText gathers a string column of the job's list. The buffer for the bytes is allocated when their number is
// known. If the device lacks memory the host gathers the column.
func (s *sorter) gatherText(i int, c *keys.Column) {
	at := s.Job.Gather[i]
	dst := &s.Result.Columns[i]
	var offsets, data driver.Ptr
	var bytes int
	text, ok := s.columns.Text(at)
	if ok {
		offsets, data, bytes, ok = s.Text(at, s.Job.Columns[at].Kind, text, c)
	}
	if !ok {
		s.prepared(len(s.Job.Gather)) // no other goroutine reads OnHost any more
		s.OnHost[at] = true
		if s.Numbers == nil && !s.Failed() {
			s.Numbers = s.hostNumbers()
		}
		return
	}
	var err error
	if !s.Failed() {
		dst.Data, err = s.Buffers.Bytes(bytes)
		s.Fail(err)
	}
	s.downloads.Deliver(dst.Values, offsets)
	s.downloads.Deliver(dst.Data, data)
}
