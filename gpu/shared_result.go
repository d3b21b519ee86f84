//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"slices"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
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

// gather gathers the row numbers and all columns, and downloads them. While a column is downloaded the next is sent.
func (t *team) gather() error {
	err := <-t.allocated
	if err == nil && len(t.onHost) > 0 {
		t.numbers, err = host.Words[uint32](&t.buffers, t.job.Out())
	}
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(t.resultColumns(), func(i int) bool { return t.onHost[t.job.Gather[i]] })
	err = t.each("gather", func(m *member) {
		t.gatherNumbers(m)
		if len(list) > 0 {
			t.send(m, t.job.Gather[list[0]])
		}
		m.flushOwned()
	})
	for k, i := range list {
		at := t.job.Gather[i]
		if err == nil {
			err = t.allocateBitmaps(i)
		}
		if err == nil {
			err = t.each("exchange", func(m *member) {
				t.receiveColumn(m, at)
				m.wait()
			})
		}
		if err != nil {
			return err
		}
		rest := list[k+1:]
		isLast := !slices.ContainsFunc(rest, func(i int) bool { return t.job.Gather[i] == at })
		err = t.each("gather", func(m *member) {
			m.free(m.column, m.outbox.bits)
			if m.rows > 0 && isLast {
				m.share.release(at)
			}
			t.gatherColumn(m, i)
			if len(rest) > 0 {
				next := t.job.Gather[rest[0]]
				if m.owned != nil && !m.share.hasArrived(next) {
					m.owned.flush() // before the host waits
				}
				t.send(m, next)
			}
			m.flushOwned()
		})
	}
	if err != nil {
		return err
	}
	return t.each("download", func(m *member) {
		if m.owned != nil {
			m.owned.settle()
		}
	})
}

// resultColumns are the numbers of the columns of the result.
func (t *team) resultColumns() []int {
	list := make([]int, len(t.job.Gather))
	for i := range list {
		list[i] = i
	}
	return list
}

// flushOwned queues the downloads of what is gathered, and waits for the kernels, so that others may receive what they
// have made.
func (m *member) flushOwned() {
	if m.owned != nil {
		m.owned.flush()
	}
	m.wait()
}

// gatherNumbers gathers the row numbers of a range.
func (t *team) gatherNumbers(m *member) {
	o := m.owned
	if o == nil || !t.needsNumbers() {
		return
	}
	sorted := m.sortedNumbers()
	switch {
	case t.numbers != nil:
		o.deliver(host.BytesOf(t.numbers[m.lo:m.hi]), sorted)
	case t.job.RowNumbers == 4:
		o.deliver(t.result.RowNumbers[4*m.lo:4*m.hi], sorted)
	default:
		d, dst := o.afterKernels(4*o.out), host.View[uint64](t.result.RowNumbers)[m.lo:m.hi]
		d.downloadInto(sorted, 4*o.out, func(at int, data []byte) func() error {
			return d.workers.BeginWiden(dst[at/4:], host.View[uint32](data))
		})
		m.fail(d.err)
	}
}

// sortedNumbers gathers the row numbers of a range on the device.
func (m *member) sortedNumbers() driver.Ptr {
	o := m.owned
	sorted := m.alloc(4 * o.out)
	if !o.inWindows(4) || !o.gatherWindows(m.inbox.numbers, 4, sorted) {
		m.gatherRows(m.inbox.numbers, 4, o.order, o.out, sorted)
	}
	m.free(m.inbox.numbers)
	return sorted
}

// gatherColumn gathers a column of a range.
func (t *team) gatherColumn(m *member, i int) {
	o, at := m.owned, t.job.Gather[i]
	if o == nil || m.failed() {
		return
	}
	o.retire(1)
	src, dst := &t.job.Columns[at], &t.result.Columns[i]
	if dst.Validity != nil {
		o.gatherBits(m.validity, 0, t.bitmap(m, &dst.Validity), t.ones(m, i))
		m.free(m.validity)
	}
	switch width := src.ValueBytes(); {
	case src.Kind == keyencode.Bool:
		o.gatherBits(m.values, 0, t.bitmap(m, &dst.Values), t.ones(m, len(t.job.Gather)))
	case width > 0:
		o.gatherValues(m.values, width, dst.Values[m.lo*width:m.hi*width])
	}
	m.free(m.values)
}

// ones is a device's counter of the ones of a bitmap of the result. The last counter is for bits that are not counted.
func (t *team) ones(m *member, i int) driver.Ptr {
	if m.counters == 0 {
		m.counters = m.zeros(8 * (len(t.job.Gather) + 1))
	}
	return m.counters + driver.Ptr(8*i)
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
		for _, m := range t.members {
			bitmap, err := t.buffers.Bytes(bitmapBytes(m.hi - m.lo))
			if err != nil {
				return fmt.Errorf("column %d: %w", t.job.Gather[i], err)
			}
			t.bitmaps[target] = append(t.bitmaps[target], host.Bits{Bitmap: bitmap, Rows: m.hi - m.lo})
		}
	}
	return nil
}

// bitmap is what a device writes of a bitmap of the result.
func (t *team) bitmap(m *member, of *[]byte) []byte { return t.bitmaps[of][m.number].Bitmap }

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
