//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/keyencode"
)

// gatherAll gathers the columns of the job's list. While one is downloaded the next is gathered, once it is uploaded.
func (s *sorter) gatherAll() {
	for i, at := range s.job.Gather {
		if !s.hasArrived(at) || !s.isPrepared(i+1) || isText(s.job.Columns[at].Kind) {
			s.flush() // before the host waits
		}
		s.retire(1)
		made := len(s.ready)
		s.gather(i)
		next := s.ready[made:]
		s.ready = s.ready[:made]
		s.flush()
		s.ready = next
	}
	s.flush()
	s.releaseWindows()
}

// gather gathers one column of the job's list, unless the host gathers it.
func (s *sorter) gather(i int) {
	at := s.job.Gather[i]
	src := &s.job.Columns[at]
	s.prepared(i + 1)
	if s.onHost[at] || s.out == 0 || s.failed() {
		return
	}
	dst := &s.result.Columns[i]
	c := s.column(at)
	if dst.Validity != nil {
		s.gatherBits(c.validity, c.bit, dst.Validity, s.ones(i))
	}
	switch {
	case isText(src.Kind):
		s.gatherText(i, c)
	case src.Kind == keyencode.Bool:
		s.gatherBits(c.values, c.valueBit, dst.Values, s.ones(len(s.job.Gather)))
	case len(dst.Values) > 0:
		s.gatherValues(c.values, src.ValueBytes(), dst.Values)
	}
	if !slices.Contains(s.job.Gather[i+1:], at) {
		s.release(at)
	}
}

func (s *sorter) gatherValues(values driver.Ptr, width int, dst []byte) {
	gathered := s.alloc(len(dst))
	if !s.inWindows(width) || !s.gatherWindows(values, width, gathered) {
		s.gatherRows(values, width, s.order, s.out, gathered)
	}
	s.deliver(dst, gathered)
}

// gatherRows gathers values by n row numbers.
func (t *task) gatherRows(values driver.Ptr, width int, rows driver.Ptr, n int, dst driver.Ptr) {
	if slices.Contains([]int{1, 2, 4, 8, 16, 32}, width) {
		t.launch(fmt.Sprint("gather_", width), t.blocks(n), uint64(values), uint64(rows), uint64(n), uint64(dst))
	} else {
		t.launch("gather_bytes", t.blocks(n), uint64(values), uint64(width), uint64(rows), uint64(n), uint64(dst))
	}
	t.moves((32 + width) * n) // a row read at random is a sector of 32 bytes
}

// gatherBits gathers bits and counts the ones.
func (s *sorter) gatherBits(bits driver.Ptr, bit uint64, dst []byte, ones driver.Ptr) {
	gathered := s.alloc((s.out + 31) / 32 * 4)
	s.launch("gather_bits", s.blocks(s.out), uint64(bits), bit, uint64(s.order), uint64(s.out), uint64(gathered),
		uint64(ones))
	s.moves(32 * s.out)
	s.deliver(dst, gathered)
}

// ones is the counter of the ones of a column's validity. The last counter is for bits that are not counted.
func (s *sorter) ones(i int) driver.Ptr {
	if s.counters == 0 {
		s.counters = s.zeros(8 * (len(s.job.Gather) + 1))
	}
	return s.counters + driver.Ptr(8*i)
}

// countNulls reads the counters and frees the bitmaps of columns without null.
func (s *sorter) countNulls() error {
	if s.counters == 0 {
		return nil
	}
	valid := s.words(s.counters, len(s.job.Gather))
	for i := range s.result.Columns {
		c := &s.result.Columns[i]
		if c.Validity == nil {
			continue
		}
		if c.Nulls = s.out - int(valid[i]); c.Nulls == 0 {
			s.buffers.Free(c.Validity)
			c.Validity = nil
		}
	}
	return s.err
}
