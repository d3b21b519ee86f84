//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Devices write their ranges of the result to the same buffers. Bitmaps, whose ranges do not begin with whole bytes,
// are joined at the end.

// needsNumbers reports whether the row numbers are part of the result or needed on the host.
func (t *team) needsNumbers() bool { return t.job.RowNumbers > 0 || t.gathersOnHost() }

// allocateResult allocates the buffers that devices write, while keys are sorted. The host gathers all strings.
func (t *team) allocateResult() {
	for _, at := range t.job.Gather {
		t.onHost[at] = t.isForHost(at, func(*keyencode.Column) bool { return false })
		if !t.onHost[at] {
			t.gathered = append(t.gathered, at)
		}
	}
	t.prepare(t.members[0].Tuning.HelperRows)
}

// awaitResult waits for the buffers of the result, and allocates the row numbers if the host needs them.
func (t *team) awaitResult() error {
	err := t.prepared(len(t.job.Gather))
	if err == nil && t.gathersOnHost() {
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

// complete counts nulls, joins bitmaps, and makes what the host makes of the result.
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
	if t.numbers != nil {
		if err := t.writeNumbers(); err != nil {
			return nil, err
		}
	}
	return t.output.complete(t.plan)
}

// countNulls adds up the counters of all devices.
func (t *team) countNulls() error {
	ones := make([]uint64, len(t.job.Gather))
	err := t.each("download", func(m *member) {
		for i, n := range m.ones.Read() {
			atomic.AddUint64(&ones[i], n) // devices count at the same time
		}
	})
	if err == nil {
		t.setNulls(ones)
	}
	return err
}
