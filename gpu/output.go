//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An output is the result of a job while it is made, by one device or several.
type output struct {
	ctx     context.Context
	job     *engine.Job
	stages  int // of which the job's progress is reported
	workers *host.Workers
	buffers host.Buffers
	result  engine.Result
	onHost  []bool   // columns of the job that the host gathers
	numbers []uint32 // the row numbers in sorted order, if the host needs them

	unprepared      chan error // receives nil, or the last error, for each allocated buffer of the result
	preparedBuffers int
	helpers         sync.WaitGroup // goroutines of this sort
}

func newOutput(ctx context.Context, job *engine.Job, stages int, workers *host.Workers, mem engine.Allocator) output {
	return output{
		ctx: ctx, job: job, stages: stages, workers: workers, buffers: host.Buffers{Mem: mem},
		onHost: make([]bool, len(job.Columns)),
	}
}

// prepare allocates the result's buffers, all but those of columns that the host gathers, while columns are uploaded
// and keys sorted: clearing pageable memory takes as long. From helperRows rows on a separate goroutine does.
func (o *output) prepare(helperRows int) {
	o.result = engine.Result{Rows: o.job.Out(), Columns: make([]engine.Column, len(o.job.Gather))}
	o.unprepared = make(chan error, 1+len(o.job.Gather))
	if o.workers.Threads() == 1 || o.result.Rows < helperRows {
		o.allocate()
	} else {
		o.helpers.Go(o.allocate)
	}
}

// allocate allocates the buffers, and sends nil for each, or an error for the last.
func (o *output) allocate() {
	defer close(o.unprepared)
	err := o.allocateRowNumbers()
	o.unprepared <- err
	for i := 0; i < len(o.job.Gather) && err == nil && o.ctx.Err() == nil; i++ {
		err = o.allocateColumn(i)
		o.unprepared <- err
	}
}

// prepared waits for the row numbers' buffer and those of the given number of columns.
func (o *output) prepared(columns int) (err error) {
	for ; o.preparedBuffers <= columns && err == nil; o.preparedBuffers++ {
		err = <-o.unprepared
	}
	return err
}

func (o *output) allocateRowNumbers() (err error) {
	o.result.RowNumbers, err = o.buffers.Bytes(o.result.Rows * o.job.RowNumbers)
	if err == nil {
		err = o.workers.Touch(o.result.RowNumbers)
	}
	return err
}

func (o *output) allocateColumn(i int) (err error) {
	at, rows := o.job.Gather[i], o.result.Rows
	c, out := &o.job.Columns[at], &o.result.Columns[i]
	if o.onHost[at] {
		return nil
	}
	size := rows * c.ValueBytes()
	switch {
	case c.Kind == keyencode.Bool:
		size = bitmapBytes(rows)
	case host.IsText(c.Kind) && rows > 0:
		size = (rows + 1) * host.OffsetBytes(c.Kind)
	}
	if out.Values, err = o.buffers.Bytes(size); err == nil {
		err = o.workers.Touch(out.Values)
	}
	if err == nil && host.Nullable(c) {
		out.Validity, err = o.buffers.Bytes(bitmapBytes(rows))
	}
	if err != nil {
		return fmt.Errorf("column %d: %w", at, err)
	}
	return nil
}

func bitmapBytes(rows int) int { return (rows + 7) / 8 }

// fewRows is the least ratio of rows of the input and of the result for which the host gathers: a random read on the
// host takes as long as an upload of about a hundred rows.
const fewRows = 256

// isForHost reports whether the host gathers a column by the device's row numbers: columns that are no keys, and
// strings, if few leading rows are wanted, so that they need no upload; and strings that the device does not gather.
func (o *output) isForHost(at int, textOnDevice func(*keyencode.Column) bool) bool {
	c, few := &o.job.Columns[at], o.job.Out() > 0 && o.job.Out() <= o.job.Rows/fewRows
	return few && !o.isKey(at) || host.IsText(c.Kind) && (few || !textOnDevice(c))
}

// payload are the columns that devices gather whose values are worth an upload while the keys are sorted.
func (o *output) payload() (list []int) {
	for _, at := range o.job.Gather {
		c := &o.job.Columns[at]
		if !o.isKey(at) && !o.onHost[at] && !host.IsText(c.Kind) && c.Kind != keyencode.Bool && c.ValueBytes() > 0 &&
			!slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}

func (o *output) isKey(at int) bool {
	return slices.ContainsFunc(o.job.Keys, func(k keyencode.Key) bool { return k.Column == at })
}

func (o *output) gathersOnHost() bool { return slices.Contains(o.onHost, true) }

// writeNumbers makes the row numbers on the host part of the result.
func (o *output) writeNumbers() error {
	switch o.job.RowNumbers {
	case 8:
		return o.workers.Widen(buffers.View[uint64](o.result.RowNumbers), o.numbers)
	case 4:
		return o.workers.Copy(o.result.RowNumbers, buffers.Bytes(o.numbers))
	}
	return nil
}

// setNulls counts the nulls of columns, given the ones of their bitmaps, and frees the bitmaps of columns without null.
func (o *output) setNulls(ones []uint64) {
	for i := range o.result.Columns {
		c := &o.result.Columns[i]
		if c.Validity == nil {
			continue
		}
		if c.Nulls = o.result.Rows - int(ones[i]); c.Nulls == 0 {
			o.buffers.Free(c.Validity)
			c.Validity = nil
		}
	}
}

// complete gathers the columns of the host, and returns the result.
func (o *output) complete(plan *keyencode.Plan) (*engine.Result, error) {
	for i, at := range o.job.Gather {
		if !o.onHost[at] {
			continue
		}
		out := &o.result.Columns[i]
		for _, b := range [][]byte{out.Values, out.Validity, out.Data} { // allocated for the device
			o.buffers.Free(b)
		}
		var err error
		if *out, err = o.gatherOnHost(&o.job.Columns[at]); err != nil {
			return nil, fmt.Errorf("column %d: %w", at, err)
		}
	}
	r := o.result
	if o.job.Plan {
		r.Plan = plan.Detach()
	}
	o.buffers.Keep(r.RowNumbers)
	for _, c := range r.Columns {
		o.buffers.Keep(c.Validity)
		o.buffers.Keep(c.Values)
		o.buffers.Keep(c.Data)
	}
	o.progress(o.stages)
	return &r, nil
}

func (o *output) gatherOnHost(c *keyencode.Column) (engine.Column, error) {
	if host.IsText(c.Kind) {
		return host.GatherStrings(o.workers, &o.buffers, c, o.numbers)
	}
	return host.GatherValues(o.workers, &o.buffers, c, o.numbers)
}

// progress reports that the given number of stages is done.
func (o *output) progress(stages int) {
	if o.job.Progress != nil {
		o.job.Progress(stages*o.job.Rows, o.stages*o.job.Rows)
	}
}
