//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"slices"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A sharedResult is the result of a sort on several devices. Each writes its range to the same buffers; bitmaps, whose
// ranges do not begin with whole bytes, are joined at the end.
type sharedResult struct {
	buffers   host.Buffers
	workers   *host.Workers
	result    engine.Result
	gathered  []int        // columns of the job that the devices gather
	onHost    map[int]bool // columns of the job that the host gathers
	numbers   []uint32     // the row numbers, if the host needs them
	bitmaps   map[*[]byte][]host.Bits
	allocated chan error // receives the error of the allocation, or nil
	helpers   sync.WaitGroup
}

// needsNumbers reports whether the row numbers are part of the result or needed on the host.
func (t *team) needsNumbers() bool { return t.job.RowNumbers > 0 || len(t.onHost) > 0 }

// allocateResult allocates the buffers that devices write, while keys are sorted.
func (t *team) allocateResult() {
	job := t.job
	t.onHost, t.bitmaps = map[int]bool{}, map[*[]byte][]host.Bits{}
	for _, at := range job.Gather {
		if gatheredOnHost(job, at) {
			t.onHost[at] = true
		} else {
			t.gathered = append(t.gathered, at)
		}
	}
	t.result = engine.Result{Rows: job.Out(), Columns: make([]engine.Column, len(job.Gather))}
	t.allocated = make(chan error, 1)
	if t.workers.Threads() == 1 || job.Out() < thresholds.helperRows {
		t.allocated <- t.allocate()
		return
	}
	t.helpers.Go(func() { t.allocated <- t.allocate() })
}

// gatheredOnHost reports whether the host gathers a column: strings, and columns that are no keys if few leading rows
// are wanted, which then need no upload.
func gatheredOnHost(job *engine.Job, at int) bool {
	isKey := slices.ContainsFunc(job.Keys, func(k keyencode.Key) bool { return k.Column == at })
	return isText(job.Columns[at].Kind) || !isKey && job.Out() <= job.Rows/fewRows
}

func (t *team) allocate() (err error) {
	out := t.job.Out()
	if t.result.RowNumbers, err = t.buffers.Bytes(out * t.job.RowNumbers); err != nil {
		return err
	}
	if err := t.workers.Touch(t.result.RowNumbers); err != nil {
		return err
	}
	for i, at := range t.job.Gather {
		if t.onHost[at] || t.ctx.Err() != nil {
			continue
		}
		c, dst := &t.job.Columns[at], &t.result.Columns[i]
		size := out * c.ValueBytes()
		if c.Kind == keyencode.Bool {
			size = bitmapBytes(out)
		}
		if dst.Values, err = t.buffers.Bytes(size); err == nil {
			err = t.workers.Touch(dst.Values)
		}
		if err == nil && nullable(c) {
			dst.Validity, err = t.buffers.Bytes(bitmapBytes(out))
		}
		if err != nil {
			return fmt.Errorf("column %d: %w", at, err)
		}
	}
	return nil
}

// awaitResult waits for the buffers of the result, and allocates the row numbers if the host needs them.
func (t *team) awaitResult() error {
	err := <-t.allocated
	if err == nil && len(t.onHost) > 0 {
		t.numbers, err = host.Words[uint32](&t.buffers, t.job.Out())
	}
	return err
}

// allocateBitmaps allocates what the devices write of the bitmaps of a column of the result.
func (t *team) allocateBitmaps(i int) error {
	dst := &t.result.Columns[i]
	targets := []*[]byte{}
	if dst.Validity != nil {
		targets = append(targets, &dst.Validity)
	}
	if t.job.Columns[t.job.Gather[i]].Kind == keyencode.Bool {
		targets = append(targets, &dst.Values)
	}
	for _, target := range targets {
		for _, in := range t.inboxes() {
			bitmap, err := t.buffers.Bytes(bitmapBytes(in.hi - in.lo))
			if err != nil {
				return fmt.Errorf("column %d: %w", t.job.Gather[i], err)
			}
			t.bitmaps[target] = append(t.bitmaps[target], host.Bits{Bitmap: bitmap, Rows: in.hi - in.lo})
		}
	}
	return nil
}

// bitmap is what is written of a bitmap of the result for a range.
func (t *team) bitmap(in *inbox, of *[]byte) []byte { return t.bitmaps[of][in.number].Bitmap }

// complete joins bitmaps, gathers the columns of the host, counts nulls and returns the result.
func (t *team) complete() (*engine.Result, error) {
	if err := t.countNulls(); err != nil {
		return nil, err
	}
	for target, parts := range t.bitmaps {
		if *target != nil {
			if err := t.workers.JoinBits(*target, parts); err != nil {
				return nil, err
			}
		}
	}
	if err := t.completeOnHost(); err != nil {
		return nil, err
	}
	r := t.result
	if t.job.Plan {
		r.Plan = t.plan.Detach()
	}
	t.buffers.Keep(r.RowNumbers)
	for _, c := range r.Columns {
		t.buffers.Keep(c.Validity)
		t.buffers.Keep(c.Values)
		t.buffers.Keep(c.Data)
	}
	if t.job.Progress != nil {
		t.job.Progress(stages*t.job.Rows, stages*t.job.Rows)
	}
	return &r, nil
}

// countNulls adds up the counters of all devices, and frees the bitmaps of columns without null.
func (t *team) countNulls() error {
	valid := make([][]uint64, len(t.members))
	err := t.each("download", func(m *member) {
		if m.counters != 0 {
			valid[m.number] = m.task.words(m.counters, len(t.job.Gather))
		}
	})
	if err != nil {
		return err
	}
	for i := range t.result.Columns {
		c := &t.result.Columns[i]
		if c.Validity == nil {
			continue
		}
		c.Nulls = t.result.Rows
		for _, ones := range valid {
			if ones != nil {
				c.Nulls -= int(ones[i])
			}
		}
		if c.Nulls == 0 {
			t.buffers.Free(c.Validity)
			c.Validity = nil
		}
	}
	return nil
}

// completeOnHost widens the row numbers and gathers columns by them.
func (t *team) completeOnHost() error {
	var err error
	switch {
	case t.numbers == nil:
		return nil
	case t.job.RowNumbers == 8:
		err = t.workers.Widen(host.View[uint64](t.result.RowNumbers), t.numbers)
	case t.job.RowNumbers == 4:
		err = t.workers.Copy(t.result.RowNumbers, host.BytesOf(t.numbers))
	}
	for i, at := range t.job.Gather {
		if !t.onHost[at] || err != nil {
			continue
		}
		c := &t.job.Columns[at]
		if isText(c.Kind) {
			t.result.Columns[i], err = host.GatherStrings(t.workers, &t.buffers, c, t.numbers)
		} else {
			t.result.Columns[i], err = host.GatherValues(t.workers, &t.buffers, c, t.numbers)
		}
		if err != nil {
			err = fmt.Errorf("column %d: %w", at, err)
		}
	}
	return err
}
