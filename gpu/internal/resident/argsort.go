//go:build cuda && linux && amd64

package resident

import (
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A sorter is one job on a device.
type sorter struct {
	*device.Task
	job *Job
}

// Argsort queues a job that Check has passed: the result is complete when the job's stream passes what was queued in it
// until Argsort returns. It is at Job.Out, else it is kept in memory of the pool. The host waits for decisions of
// kernels, as a sort from host memory does, and not for the last kernels.
func Argsort(t *device.Task, job *Job) (result device.Kept, err error) {
	s := &sorter{t, job}
	if job.Rows == 0 {
		return result, s.begin()
	}
	columns, err := s.columns()
	if err != nil {
		return result, err
	}
	if err := s.begin(); err != nil {
		return result, err
	}
	columns.OnDevice = s.align(columns.Job.Columns)
	if s.writesOut() {
		s.Lend(driver.Ptr(job.Out), 4*job.Rows)
	}
	order, _ := argsort.Run(columns, &host.Buffers{}, func() {})
	s.AssertPermutation(order.Rows, job.Result(), job.Rows)
	if rows := s.deliver(order.Rows); job.Out == 0 {
		result = s.Keep(rows)
	}
	return result, s.finish()
}

// writesOut reports whether the sort may write its row numbers where the caller wants them.
func (s *sorter) writesOut() bool {
	return s.job.Out != 0 && s.job.Out%16 == 0 && s.job.RowNumbers == 4 && s.job.Result() == s.job.Rows
}

// begin makes the kernels wait for the job's stream and event.
func (s *sorter) begin() error {
	caller := s.Of(s.job.Stream)
	capturing, err := caller.IsCapturing()
	if capturing {
		return fmt.Errorf("%w: the stream is captured into a graph: a sort waits for decisions of kernels",
			ErrDeviceArray)
	}
	before := s.Event()
	if err == nil && !s.Failed() {
		err = caller.Record(before)
	}
	if err == nil && s.job.Event != 0 {
		err = s.Stream.AfterHandle(s.job.Event)
	}
	if driver.RejectsStream(err) {
		return fmt.Errorf("%w: the stream %#x, or the event, is not one of the primary context of device %d: %v",
			ErrDeviceArray, s.job.Stream, s.Number, err)
	}
	s.Fail(err)
	s.After(before)
	return s.Err
}

// finish makes the job's stream wait for the kernels.
func (s *sorter) finish() error {
	after := s.Event()
	s.Record(after)
	if !s.Failed() {
		s.Fail(s.Of(s.job.Stream).After(after))
	}
	return s.Err
}

// columns returns the job of the keys, whose addresses are checked.
func (s *sorter) columns() (*keys.Columns, error) {
	job := &engine.Job{Rows: s.job.Rows, Keys: s.job.Keys, Limit: s.job.Limit}
	for i := range s.job.Columns {
		c := &s.job.Columns[i]
		chunk := keyencode.Chunk{Rows: job.Rows}
		if c.Validity != 0 {
			chunk.Validity = []byte{} // nulls are possible
		}
		job.Columns = append(job.Columns, keyencode.Column{Kind: c.Kind, Width: c.Width,
			Chunks: []keyencode.Chunk{chunk}})
	}
	for i, key := range s.job.Keys {
		if err := s.checkAddresses(&s.job.Columns[key.Column], job.Columns[key.Column].ValueBytes()); err != nil {
			return nil, fmt.Errorf("%s: %w", s.job.name(i), err)
		}
	}
	if out := s.job.Out; out != 0 {
		last := out + uint64(s.job.Result()*s.job.RowNumbers) - 1
		if err := s.checkAddress("the result", out, last); err != nil {
			return nil, err
		}
	}
	return keys.NewColumns(s.Task, job, nil), nil
}

func (s *sorter) checkAddresses(c *Column, width int) error {
	if c.Validity != 0 {
		_, _, first, last := bits(c.Validity, c.Offset, s.job.Rows)
		if err := s.checkAddress("the validity bitmap", first, last); err != nil {
			return err
		}
	}
	switch c.Kind {
	case keyencode.Null:
		return nil
	case keyencode.Bool:
		_, _, first, last := bits(c.Values, c.Offset, s.job.Rows)
		return s.checkAddress("the values", first, last)
	}
	first := c.Values + uint64(c.Offset*width)
	return s.checkAddress("the values", first, first+uint64(s.job.Rows*width)-1)
}

// checkAddress refuses memory, by its first and last byte, that is not the device's in the engine's context.
func (s *sorter) checkAddress(what string, first, last uint64) error {
	for _, at := range []uint64{first, last} {
		is, err := s.Where(driver.Ptr(at))
		switch {
		case err != nil:
			return driver.Failure(err)
		case is.OnHost:
			return fmt.Errorf("%w: %s at %#x: this is memory of the host", ErrDeviceArray, what, at)
		case !is.OnDevice:
			return fmt.Errorf("%w: %s at %#x: the driver knows no memory there", ErrDeviceArray, what, at)
		case is.Number != s.Number:
			return fmt.Errorf("%w: %s at %#x: this is memory of device %d, the engine's is device %d", ErrDeviceArray,
				what, at, is.Number, s.Number)
		case is.Foreign:
			return fmt.Errorf("%w: %s at %#x: this is memory of another context than the primary one",
				ErrDeviceArray, what, at)
		}
	}
	return nil
}

// bits returns the address of a multiple of 16 bytes from which on bit 0 of a bitmap is counted, the position of its
// first row, and the number of bytes that hold the rows. Kernels read whole words there, which lie in the same page.
func bits(bitmap uint64, offset, rows int) (from, bit uint64, first, last uint64) {
	first, last = bitmap+uint64(offset/8), bitmap+uint64((offset+max(rows, 1)-1)/8)
	from = first &^ 15
	return from, 8*(first-from) + uint64(offset%8), first, last
}

// align describes the columns for kernels, which read values in vectors of 16 bytes: those that lie otherwise are
// copied.
func (s *sorter) align(columns []keyencode.Column) map[int]*keys.Column {
	aligned := map[int]*keys.Column{}
	for _, key := range s.job.Keys {
		at := key.Column
		if aligned[at] != nil {
			continue
		}
		c, made := &s.job.Columns[at], &keys.Column{}
		aligned[at] = made
		if c.Validity != 0 {
			from, bit, _, _ := bits(c.Validity, c.Offset, s.job.Rows)
			made.Validity, made.Bit = driver.Ptr(from), bit
		}
		switch width := columns[at].ValueBytes(); {
		case c.Kind == keyencode.Bool:
			from, bit, _, _ := bits(c.Values, c.Offset, s.job.Rows)
			made.Values, made.ValueBit = driver.Ptr(from), bit
		case width > 0:
			made.Values = driver.Ptr(c.Values + uint64(c.Offset*width))
			if made.Values%16 != 0 {
				copied := s.Alloc(s.job.Rows * width)
				s.Copy(copied, made.Values, s.job.Rows*width)
				made.Values = copied
			}
		}
	}
	return aligned
}

// deliver returns the row numbers where they are wanted, and of the size that is wanted.
func (s *sorter) deliver(rows driver.Ptr) driver.Ptr {
	n, out := s.job.Result(), driver.Ptr(s.job.Out)
	bytes := n * s.job.RowNumbers
	switch {
	case s.job.RowNumbers == 8 && out != 0 && out%16 == 0:
		s.widen(rows, n, out)
		return out
	case s.job.RowNumbers == 8:
		wide := s.Alloc(bytes)
		s.widen(rows, n, wide)
		s.Free(rows)
		rows = wide
	case out == 0 && n <= s.job.Rows/2: // the block may have room for all rows
		few := s.Alloc(bytes)
		s.Copy(few, rows, bytes)
		s.Free(rows)
		rows = few
	}
	if out == 0 || rows == out {
		return rows
	}
	s.Copy(out, rows, bytes)
	return out
}

// widen writes numbers of 4 bytes as 8 bytes each: the codes of a column of such numbers.
func (s *sorter) widen(rows driver.Ptr, n int, to driver.Ptr) {
	column := abi.ColumnValues{Values: uint64(rows), Form: abi.FormInteger, Width: 4, Stride: 4}
	source := abi.KeySource{Column: abi.Column{ColumnValues: column}}
	keys.LaunchEncode(s.Task, []abi.Field{source.Field()}, 0, n, to)
}
