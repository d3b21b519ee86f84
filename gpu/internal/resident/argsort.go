//go:build cuda && linux && amd64

package resident

import (
	"context"
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/gather"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A sorter is one job on a device.
type sorter struct {
	*device.Task
	job    *Job
	result Result
}

// A Result is what a job has made, in memory of the pool until it is given back.
type Result struct {
	Kept    []device.Kept
	Rows    driver.Ptr // of row numbers; 0: they are at Job.Out, or not wanted
	Columns []Column
}

// GiveBack frees the memory of a result after the work that is queued in a stream.
func (r *Result) GiveBack(s *device.Session, stream uintptr) (err error) {
	for _, k := range r.Kept {
		err = errors.Join(err, s.GiveBack(k, stream))
	}
	return err
}

// Sort queues a job that Check has passed in the job's stream. The host waits for decisions of kernels, as a sort from
// host memory does, and not for the last kernels.
func Sort(ctx context.Context, s *device.Session, job *Job) (result Result, err error) {
	caller, captured, err := streamOf(s, job)
	if err != nil {
		return result, err
	}
	if captured {
		return result, capture(ctx, s, job, caller)
	}
	if job.Rows == 0 {
		for _, at := range job.Gather {
			result.Columns = append(result.Columns, Column{Kind: job.Columns[at].Kind, Width: job.Columns[at].Width})
		}
		return result, nil
	}
	if err := checkAddresses(s, job); err != nil {
		return result, err
	}
	if err := s.Settle(caller); err != nil {
		return result, err
	}
	sorter := &sorter{Task: device.NewTask(ctx, s, 1), job: job}
	if sorter.sort(); sorter.Err == nil {
		sorter.Fail(sorter.Leave())
	}
	if err = sorter.Err; err != nil {
		sorter.End()
		_ = sorter.result.GiveBack(s, job.Stream) // the first error says why; the next task frees the rest
		return result, err
	}
	return sorter.result, nil
}

// streamOf returns the job's stream, which waits for the job's event, unless it is captured.
func streamOf(s *device.Session, job *Job) (stream *driver.Stream, captured bool, err error) {
	const perThread = 2 // CU_STREAM_PER_THREAD
	if job.Stream == perThread {
		return nil, false, fmt.Errorf("%w: stream 2 is that of the calling thread, which may not be the one that "+
			"frees the result: give a stream that was made, or the default stream", ErrDeviceArray)
	}
	stream = s.Of(job.Stream)
	captured, err = stream.IsCapturing() // first of all: other calls would spoil the graph
	if captured {
		return stream, true, nil
	}
	if err == nil {
		err = stream.Record(s.Probe)
	}
	if err == nil && job.Event != 0 {
		err = stream.AfterHandle(job.Event)
	}
	if driver.RejectsStream(err) {
		return nil, false, fmt.Errorf("%w: the stream %#x, or the event, is not one of the primary context of device "+
			"%d, or is captured: %v", ErrDeviceArray, job.Stream, s.Number, err)
	}
	return stream, false, err
}

// sort queues the kernels.
func (s *sorter) sort() {
	columns := keys.NewColumns(s.Task, s.engineJob(), nil, nil)
	columns.OnDevice = s.align()
	if s.writesOut() {
		s.Lend(driver.Ptr(s.job.Out), 4*s.job.Rows)
	}
	order, _ := argsort.Run(columns, func() {})
	s.Lend(0, 0) // row numbers may be there
	s.AssertPermutation(order, s.job.Result(), s.job.Rows)
	s.result.Columns = s.gather(columns, order)
	made := []driver.Ptr{}
	for _, c := range s.result.Columns {
		made = append(made, driver.Ptr(c.Values), driver.Ptr(c.Validity))
	}
	if s.job.RowNumbers > 0 {
		if rows := s.deliver(order); s.job.Out == 0 {
			s.result.Rows = rows
			made = append(made, rows)
		}
	}
	for _, p := range made { // when all kernels are queued, after which their events are recorded
		if p != 0 && !s.Failed() {
			s.result.Kept = append(s.result.Kept, s.Keep(p))
		}
	}
}

// gather gathers the columns of the result.
func (s *sorter) gather(columns *keys.Columns, order driver.Ptr) (result []Column) {
	g := gather.New(s.Task, order, s.job.Rows, s.job.Result())
	ones := gather.Ones{Task: s.Task}
	for _, at := range s.job.Gather {
		c, from := &s.job.Columns[at], columns.OnDevice[at]
		made := Column{Kind: c.Kind, Width: c.Width}
		if from.Validity != 0 {
			made.Validity = uint64(g.Bits(from.Validity, from.Bit, ones.Uncounted()))
		}
		switch width := c.valueBytes(); {
		case c.Kind == keyencode.Bool:
			made.Values = uint64(g.Bits(from.Values, from.ValueBit, ones.Uncounted()))
		case width > 0:
			made.Values = uint64(g.Values(from.Values, width))
		}
		result = append(result, made)
	}
	g.ReleaseWindows()
	return result
}

// writesOut reports whether the sort may write its row numbers where the caller wants them.
func (s *sorter) writesOut() bool {
	return s.job.Out != 0 && s.job.Out%16 == 0 && s.job.RowNumbers == 4 && s.job.Result() == s.job.Rows
}

// engineJob describes the columns to the engine.
func (s *sorter) engineJob() *engine.Job {
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
	return job
}

// checkAddresses refuses columns and a result that are not in memory of the device, in the engine's context, and a
// result that would overwrite columns.
func checkAddresses(s *device.Session, job *Job) error {
	end := job.Out + uint64(job.Result()*job.RowNumbers)
	err := job.eachColumn(func(at int, _ bool) error {
		for _, b := range job.Columns[at].buffers(job.Rows) {
			if job.Out != 0 && b.first < end && job.Out <= b.last {
				return fmt.Errorf("%w: %s at %#x: the row numbers would overwrite this memory: give them another one",
					ErrDeviceArray, b.what, b.first)
			}
			if err := checkAddress(s, b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || job.Out == 0 {
		return err
	}
	return checkAddress(s, buffer{"the result", job.Out, end - 1})
}

// A buffer is memory by the addresses of its first and last byte.
type buffer struct {
	what        string
	first, last uint64
}

// buffers are those of a column of some rows.
func (c *Column) buffers(rows int) (all []buffer) {
	if c.Validity != 0 {
		_, _, first, last := bits(c.Validity, c.Offset, rows)
		all = append(all, buffer{"the validity bitmap", first, last})
	}
	switch c.Kind {
	case keyencode.Null:
	case keyencode.Bool:
		_, _, first, last := bits(c.Values, c.Offset, rows)
		all = append(all, buffer{"the values", first, last})
	default:
		all = append(all, buffer{"the values", c.first(), c.first() + uint64(rows*c.valueBytes()) - 1})
	}
	return all
}

// valueBytes is the size of a value: 0 for Null and Bool.
func (c *Column) valueBytes() int {
	return (&keyencode.Column{Kind: c.Kind, Width: c.Width}).ValueBytes()
}

// first is the address of the first value that is not of bits.
func (c *Column) first() uint64 { return c.Values + uint64(c.Offset*c.valueBytes()) }

// checkAddress refuses a buffer by its first and last byte.
func checkAddress(s *device.Session, b buffer) error {
	for _, at := range []uint64{b.first, b.last} {
		is, err := s.Where(driver.Ptr(at))
		var what string
		switch {
		case err != nil:
			return driver.Failure(err)
		case is.OnHost:
			what = "this is memory of the host"
		case !is.OnDevice:
			what = "the driver knows no memory there"
		case is.Number != s.Number:
			what = fmt.Sprintf("this is memory of device %d, the engine's is device %d", is.Number, s.Number)
		case is.Foreign:
			what = "this is memory of another context than the primary one"
		default:
			continue
		}
		return fmt.Errorf("%w: %s at %#x: %s", ErrDeviceArray, b.what, at, what)
	}
	return nil
}

// bits returns the address of a multiple of 16 bytes from which on bit 0 of a bitmap is counted, the position of its
// first row, and the first and the last byte that hold rows.
func bits(bitmap uint64, offset, rows int) (from, bit uint64, first, last uint64) {
	first, last = bitmap+uint64(offset/8), bitmap+uint64((offset+max(rows, 1)-1)/8)
	from = first &^ 15
	return from, 8*(first-from) + uint64(offset%8), first, last
}

// align describes the columns for kernels, which read values in vectors of 16 bytes and bits in words of 4 bytes:
// columns that lie otherwise are copied, so that nothing is read but what is the caller's.
func (s *sorter) align() map[int]*keys.Column {
	aligned := map[int]*keys.Column{}
	s.Fail(s.job.eachColumn(func(at int, _ bool) error {
		if aligned[at] != nil {
			return nil
		}
		c, made := &s.job.Columns[at], &keys.Column{}
		aligned[at] = made
		if c.Validity != 0 {
			made.Validity, made.Bit = s.bitmap(c.Validity, c.Offset)
		}
		switch width := c.valueBytes(); {
		case c.Kind == keyencode.Bool:
			made.Values, made.ValueBit = s.bitmap(c.Values, c.Offset)
		case width > 0:
			made.Values = driver.Ptr(c.first())
			if made.Values%16 != 0 {
				copied := s.Alloc(s.job.Rows * width)
				s.Copy(copied, made.Values, s.job.Rows*width)
				made.Values = copied
			}
		}
		return nil
	}))
	return aligned
}

// bitmap returns where bits lie for kernels: bit 0, and the position of the first row.
func (s *sorter) bitmap(address uint64, offset int) (at driver.Ptr, bit uint64) {
	const word = 4
	from, bit, first, last := bits(address, offset, s.job.Rows)
	if first%word == 0 && (last+1)%word == 0 {
		return driver.Ptr(from), bit
	}
	bytes := int(last - first + 1)
	copied := s.Alloc(bytes)
	s.Copy(copied, driver.Ptr(first), bytes)
	return copied, uint64(offset % 8)
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
	w := &s.Widening
	if w.Rows != rows {
		words := buffers.Bytes(wideningWords(rows))
		if w.Field == 0 && !s.Failed() {
			var err error
			w.Field, err = s.Context.Alloc(len(words))
			s.Fail(err)
		}
		s.Upload(w.Field, words)
		if w.Rows = rows; s.Failed() {
			w.Rows = 0
		}
	}
	s.launchWidening(w.Field, n, to)
}
