//go:build cuda && linux && amd64

package table

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An Output is the result of a job while it is made, by one device or several.
type Output struct {
	Ctx     context.Context
	Job     *engine.Job
	stages  int // of which the job's progress is reported
	Workers *host.Workers
	Buffers *arena.Arena
	Result  engine.Result
	OnHost  []bool   // columns of the job that the host gathers
	Numbers []uint32 // the row numbers in sorted order, if the host needs them

	unprepared      chan error // receives nil, or the last error, for each allocated buffer of the result
	preparedBuffers int
	Helpers         sync.WaitGroup // goroutines of this sort
}

// NewOutput returns the result of a job, without buffers.
func NewOutput(ctx context.Context, job *engine.Job, stages int, workers *host.Workers, mem engine.Allocator) Output {
	return Output{
		Ctx: ctx, Job: job, stages: stages, Workers: workers, Buffers: arena.New(ctx, mem),
		OnHost: make([]bool, len(job.Columns)),
	}
}

// Prepare allocates the result's buffers, all but those of columns that the host gathers, while columns are uploaded
// and keys sorted: clearing pageable memory takes as long. From helperRows rows on a separate goroutine does.
func (o *Output) Prepare(helperRows int) {
	o.Result = engine.Result{Rows: o.Job.Out(), Columns: make([]engine.Column, len(o.Job.Gather))}
	o.unprepared = make(chan error, 1+len(o.Job.Gather))
	if o.Workers.Threads() == 1 || o.Result.Rows < helperRows {
		o.allocate()
	} else {
		o.Helpers.Go(o.allocate)
	}
}

// allocate allocates the buffers, and sends nil for each, or an error for the last.
func (o *Output) allocate() {
	defer close(o.unprepared)
	var err error
	o.Result.RowNumbers, err = o.fresh(o.Result.Rows * o.Job.RowNumbers)
	o.unprepared <- err
	for i := 0; i < len(o.Job.Gather) && err == nil && o.Ctx.Err() == nil; i++ {
		err = o.allocateColumn(i)
		o.unprepared <- err
	}
}

// Prepared waits for the row numbers' buffer and those of the given number of columns.
func (o *Output) Prepared(columns int) (err error) {
	for ; o.preparedBuffers <= columns && err == nil; o.preparedBuffers++ {
		err = <-o.unprepared
	}
	return err
}

// fresh returns memory that has been touched.
func (o *Output) fresh(bytes int) (b []byte, err error) {
	if b, err = o.Buffers.Bytes(bytes); err == nil {
		err = o.Workers.Touch(b)
	}
	return b, err
}

func (o *Output) allocateColumn(i int) (err error) {
	at, rows := o.Job.Gather[i], o.Result.Rows
	c, out := &o.Job.Columns[at], &o.Result.Columns[i]
	if o.OnHost[at] {
		return nil
	}
	size := rows * c.ValueBytes()
	switch {
	case c.Kind == keyencode.Bool:
		size = BitmapBytes(rows)
	case host.IsText(c.Kind) && rows > 0:
		size = (rows + 1) * host.OffsetBytes(c.Kind)
	}
	if out.Values, err = o.fresh(size); err == nil && host.Nullable(c) {
		out.Validity, err = o.Buffers.Bytes(BitmapBytes(rows))
	}
	if err != nil {
		return fmt.Errorf("column %d: %w", at, err)
	}
	return nil
}

// BitmapBytes is the size of a bitmap.
func BitmapBytes(rows int) int { return (rows + 7) / 8 }

// FewRows is the least ratio of rows of the input and of the result for which the host gathers: a random read on the
// host takes as long as an upload of about a hundred rows.
const FewRows = 256

// IsForHost reports whether the host gathers a column by the device's row numbers: columns that are no keys, strings
// and views, if few leading rows are wanted, so that they need no upload; and strings that the device does not gather.
func (o *Output) IsForHost(at int, textOnDevice func(*keyencode.Column) bool) bool {
	c, few := &o.Job.Columns[at], o.Job.Out() > 0 && o.Job.Out() <= o.Job.Rows/FewRows
	isText := host.IsText(c.Kind)
	return few && (isText || c.Kind == keyencode.BinaryView || !o.isKey(at)) || isText && !textOnDevice(c)
}

// Payload are the columns that devices gather whose values are worth an upload while the keys are sorted.
func (o *Output) Payload() (list []int) {
	for _, at := range o.Job.Gather {
		c := &o.Job.Columns[at]
		if !o.isKey(at) && !o.OnHost[at] && !host.IsText(c.Kind) && c.Kind != keyencode.Bool && c.ValueBytes() > 0 &&
			!slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}

func (o *Output) isKey(at int) bool {
	return slices.ContainsFunc(o.Job.Keys, func(k keyencode.Key) bool { return k.Column == at })
}

// GathersOnHost reports whether the host gathers a column.
func (o *Output) GathersOnHost() bool { return slices.Contains(o.OnHost, true) }

// WriteNumbers makes the row numbers on the host part of the result.
func (o *Output) WriteNumbers() error {
	switch o.Job.RowNumbers {
	case 8:
		return o.Workers.Widen(buffers.View[uint64](o.Result.RowNumbers), o.Numbers)
	case 4:
		return o.Workers.Copy(o.Result.RowNumbers, buffers.Bytes(o.Numbers))
	}
	return nil
}

// SetNulls counts the nulls of columns, given the ones of their bitmaps, and frees the bitmaps of columns without null.
func (o *Output) SetNulls(ones []uint64) {
	for i := range o.Result.Columns {
		c := &o.Result.Columns[i]
		if c.Validity == nil {
			continue
		}
		if c.Nulls = o.Result.Rows - int(ones[i]); c.Nulls == 0 {
			o.Buffers.Free(c.Validity)
			c.Validity = nil
		}
	}
}

// Complete gathers the columns of the host, and returns the result.
func (o *Output) Complete(plan *keyencode.Plan) (*engine.Result, error) {
	for i, at := range o.Job.Gather {
		if !o.OnHost[at] {
			continue
		}
		out := &o.Result.Columns[i]
		for _, b := range [][]byte{out.Values, out.Validity, out.Data} { // allocated for the device
			o.Buffers.Free(b)
		}
		var err error
		if *out, err = o.gatherOnHost(&o.Job.Columns[at]); err != nil {
			return nil, fmt.Errorf("column %d: %w", at, err)
		}
	}
	r := o.Result
	if o.Job.Plan {
		r.Plan = plan.Detach()
	}
	o.Buffers.Keep(r.RowNumbers)
	for _, c := range r.Columns {
		o.Buffers.Keep(c.Validity)
		o.Buffers.Keep(c.Values)
		o.Buffers.Keep(c.Data)
	}
	o.Progress(o.stages)
	return &r, nil
}

func (o *Output) gatherOnHost(c *keyencode.Column) (engine.Column, error) {
	if host.IsText(c.Kind) {
		return host.GatherStrings(o.Workers, o.Buffers, c, o.Numbers)
	}
	return host.GatherValues(o.Workers, o.Buffers, c, o.Numbers)
}

// Progress reports that the given number of stages is done.
func (o *Output) Progress(stages int) {
	if o.Job.Progress != nil {
		o.Job.Progress(stages*o.Job.Rows, o.stages*o.Job.Rows)
	}
}
