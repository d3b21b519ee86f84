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
	at, columns := s.job.Gather[i], len(s.job.Gather)
	src := &s.job.Columns[at]
	s.prepared(i + 1)
	if s.onHost[at] || s.out == 0 || s.Failed() {
		return
	}
	dst := &s.result.Columns[i]
	c := s.column(at)
	if dst.Validity != nil {
		s.deliver(dst.Validity, s.gatherBits(c.validity, c.bit, s.order, s.out, s.ones(i, columns)))
	}
	switch {
	case isText(src.Kind):
		s.gatherText(i, c)
	case src.Kind == keyencode.Bool:
		s.deliver(dst.Values, s.gatherBits(c.values, c.valueBit, s.order, s.out, s.ones(columns, columns)))
	case len(dst.Values) > 0:
		s.deliver(dst.Values, s.gatherValues(c.values, src.ValueBytes()))
	}
	if !slices.Contains(s.job.Gather[i+1:], at) {
		s.release(at)
	}
}

// gatherValues gathers values by the row numbers of the result.
func (s *sorter) gatherValues(values driver.Ptr, width int) driver.Ptr {
	gathered := s.alloc(width * s.out)
	if !s.inWindows(width) || !s.gatherWindows(values, width, gathered) {
		s.gatherRows(values, width, s.order, s.out, gathered)
	}
	return gathered
}

// gatherRows gathers values by n row numbers.
func (t *task) gatherRows(values driver.Ptr, width int, rows driver.Ptr, n int, dst driver.Ptr) {
	if slices.Contains([]int{1, 2, 4, 8, 16, 32}, width) {
		t.launch(fmt.Sprint("gather_", width), t.blocks(n), uint64(values), uint64(rows), uint64(n), uint64(dst))
	} else {
		t.launch("gather_bytes", t.blocks(n), uint64(values), uint64(width), uint64(rows), uint64(n), uint64(dst))
	}
	t.Moves((32 + width) * n) // a row read at random is a sector of 32 bytes
}

// gatherBits gathers bits by n row numbers, and counts the ones.
func (t *task) gatherBits(bits driver.Ptr, bit uint64, rows driver.Ptr, n int, ones driver.Ptr) driver.Ptr {
	gathered := t.alloc((n + 31) / 32 * 4)
	t.launch("gather_bits", t.blocks(n), uint64(bits), bit, uint64(rows), uint64(n), uint64(gathered), uint64(ones))
	t.Moves(32 * n)
	return gathered
}

// ones is the counter of the ones of the validity of one of several columns. The last counter is for bits that are not
// counted.
func (t *task) ones(i, columns int) driver.Ptr {
	if t.counters == 0 {
		t.counters = t.zeros(8 * (columns + 1))
	}
	return t.counters + driver.Ptr(8*i)
}
