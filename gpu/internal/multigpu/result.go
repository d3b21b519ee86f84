//go:build cuda && linux && amd64

package multigpu

import (
	"fmt"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/table"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Devices write their ranges of the result to the same buffers. Bitmaps, whose ranges do not begin with whole bytes,
// are joined at the end.

// needsNumbers reports whether the row numbers are part of the result or needed on the host.
func (t *Team) needsNumbers() bool { return t.Job.RowNumbers > 0 || t.GathersOnHost() }

// AllocateResult allocates the buffers that devices write, while keys are sorted. The host gathers all strings.
func (t *Team) AllocateResult() {
	for _, at := range t.Job.Gather {
		t.OnHost[at] = t.IsForHost(at, func(*keyencode.Column) bool { return false })
		if !t.OnHost[at] {
			t.Gathered = append(t.Gathered, at)
		}
	}
	t.Prepare(t.Members[0].Tuning.HelperRows)
}

// awaitResult waits for the buffers of the result, and allocates the row numbers if the host needs them.
func (t *Team) awaitResult() error {
	err := t.Prepared(len(t.Job.Gather))
	if err == nil && t.GathersOnHost() {
		t.Numbers, err = arena.Slice[uint32](t.Buffers, t.Job.Out())
	}
	return err
}

// allocateBitmaps allocates what the devices write of the bitmaps of a column of the result.
func (t *Team) allocateBitmaps(i int) error {
	dst := &t.Result.Columns[i]
	targets := []*[]byte{}
	if dst.Validity != nil {
		targets = append(targets, &dst.Validity)
	}
	if t.Job.Columns[t.Job.Gather[i]].Kind == keyencode.Bool {
		targets = append(targets, &dst.Values)
	}
	for _, target := range targets {
		for _, in := range t.inboxes() {
			bitmap, err := t.Buffers.Bytes(table.BitmapBytes(in.Hi - in.Lo))
			if err != nil {
				return fmt.Errorf("column %d: %w", t.Job.Gather[i], err)
			}
			t.bitmaps[target] = append(t.bitmaps[target], host.Bits{Bitmap: bitmap, Rows: in.Hi - in.Lo})
		}
	}
	return nil
}

// bitmap is what is written of a bitmap of the result for a range.
func (t *Team) bitmap(in *inbox, of *[]byte) []byte { return t.bitmaps[of][in.number].Bitmap }

// complete counts nulls, joins bitmaps, and makes what the host makes of the result.
func (t *Team) complete() (*engine.Result, error) {
	if err := t.countNulls(); err != nil {
		return nil, err
	}
	for target, parts := range t.bitmaps {
		if *target != nil {
			if err := t.Workers.JoinBits(*target, parts); err != nil {
				return nil, err
			}
		}
	}
	if t.Numbers != nil {
		if err := t.WriteNumbers(); err != nil {
			return nil, err
		}
	}
	return t.Output.Complete(t.plan)
}

// countNulls adds up the counters of all devices.
func (t *Team) countNulls() error {
	ones := make([]uint64, len(t.Job.Gather))
	err := t.Each("download", func(m *Member) {
		for i, n := range m.ones.Read() {
			atomic.AddUint64(&ones[i], n) // devices count at the same time
		}
	})
	if err == nil {
		t.SetNulls(ones)
	}
	return err
}
