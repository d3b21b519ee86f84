// Package engine is the contract between arrowsort and whatever carries out a sort: the engine on the CPU, one on a
// GPU. It describes raw buffers without Arrow, so that a device engine depends on nothing else.
package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/keyencode"
)

// An Engine sorts jobs. Engines are interchangeable byte for byte; package enginetest proves it.
//
// Sort is stable and safe for concurrent calls. It borrows the job's buffers, never writes to them and keeps no
// reference to them. Results and temp storage that grows with the rows come from mem, which is called from one
// goroutine at a time; temp storage is back before Sort returns, no goroutine outlives the call, and with an error
// nothing stays allocated. A cancelled context ends the call, as a rule within 50 ms, with the context's error.
type Engine interface {
	Name() string
	Sort(ctx context.Context, job *Job, mem Allocator) (*Result, error)
}

// OnDemand is an engine that takes time to start and to stop, such as a GPU that is opened for one job. Neither call
// waits for that.
type OnDemand interface {
	Engine
	// Start says that a job of some rows is being read, less than 0 if their number is unknown. The engine may start
	// meanwhile; an error is that of the Sort that follows.
	Start(rows int64)
	// Stop says that no Sort follows.
	Stop()
}

// A Threshold is a number of rows at which an engine takes another path.
type Threshold struct {
	Name string
	Rows int
}

// ThresholdLister is an engine that lists its thresholds for a number of host threads. Tests sort sizes around and
// between all of them.
type ThresholdLister interface {
	Engine
	Thresholds(threads int) []Threshold
}

// A Job is the whole of one sort.
type Job struct {
	// Rows is the number of rows of every column, below 2^32.
	Rows int
	// Columns are the raw columns: keys, payload, or both. Dictionary keys carry the ranks of their entries.
	Columns []keyencode.Column
	// Keys order the rows, the most significant first. None: the rows keep their order.
	Keys []keyencode.Key
	// Gather names the columns whose sorted values are wanted, by position in Columns.
	Gather []int
	// RowNumbers is the size in bytes of the row numbers that are wanted: 0 for none, 4 or 8.
	RowNumbers int
	// Limit is the number of leading rows of the sorted order that are wanted; 0 for all of them.
	Limit int
	// Plan requests Result.Plan; a small sort may do without one.
	Plan bool
	// Threads is the largest number of host threads to use; 0 for GOMAXPROCS.
	Threads int
	// Progress, when set, is passed the work done at times, from one goroutine at a time.
	Progress func(done, total int)
}

// Out returns the number of rows of the result.
func (j *Job) Out() int {
	if j.Limit > 0 && j.Limit < j.Rows {
		return j.Limit
	}
	return j.Rows
}

// A Result holds the sorted rows. Its buffers come from the allocator of the call and belong to the caller.
type Result struct {
	Rows       int
	RowNumbers []byte          // Rows little-endian integers of the size asked for; nil when none were
	Columns    []Column        // one for each of Job.Gather
	Plan       *keyencode.Plan // what was sorted, for people, if Job.Plan asks for it; it refers to no buffers
}

// A Column is a gathered column, its first row at offset 0. A buffer is nil when it would be empty.
type Column struct {
	Validity []byte // one bit per row, padding bits zero; nil when Nulls is 0
	Nulls    int
	Values   []byte // as in keyencode.Chunk; under a null any value of the input or zero
	Data     []byte // Binary, LargeBinary: the bytes
}

// Release gives all buffers of the result back.
func (r *Result) Release(mem Allocator) {
	free := func(b []byte) {
		if b != nil {
			mem.Free(b)
		}
	}
	free(r.RowNumbers)
	for i := range r.Columns {
		free(r.Columns[i].Validity)
		free(r.Columns[i].Values)
		free(r.Columns[i].Data)
	}
	r.RowNumbers, r.Columns = nil, nil
}

// Allocator is Arrow's memory.Allocator, without the import. A nil slice or a panic from Allocate is reported as
// ErrMemory.
type Allocator interface {
	Allocate(size int) []byte
	Reallocate(size int, b []byte) []byte
	Free(b []byte)
}

// Allocate returns n bytes of undefined content from mem, nil for n = 0. An allocator that panics or returns fewer
// bytes is an ErrMemory; it gets the bytes back.
func Allocate(mem Allocator, n int) (b []byte, err error) {
	if n == 0 {
		return nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			if known, ok := r.(error); ok && errors.Is(known, ErrMemory) {
				b, err = nil, known
				return
			}
			b, err = nil, fmt.Errorf("%w: allocating %d bytes: %v", ErrMemory, n, r)
		}
	}()
	if b = mem.Allocate(n); len(b) < n {
		if b != nil {
			mem.Free(b)
		}
		return nil, fmt.Errorf("%w: the allocator returned %d of %d bytes", ErrMemory, len(b), n)
	}
	return b, nil
}

var (
	// ErrMemory is returned when the allocator fails or a device has too little memory.
	ErrMemory = errors.New("engine: out of memory")
	// ErrRows is returned for a job of 2^32 rows or more, or whose columns differ in rows.
	ErrRows = errors.New("engine: unsupported number of rows")
	// ErrKind is returned for a column of a kind that the engine does not handle.
	ErrKind = errors.New("engine: unsupported kind of column")
	// ErrOffsets is returned when a gathered Binary column would pass 2 GiB of bytes.
	ErrOffsets = errors.New("engine: string offsets would pass 2 GiB")
)
