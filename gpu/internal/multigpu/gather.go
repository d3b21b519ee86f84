//go:build cuda && linux && amd64

package multigpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// gather gathers all columns and downloads them. While a column is downloaded the next is sent.
func (t *Team) gather() error {
	var list []int // the numbers of the columns of the result that the devices gather
	for i, at := range t.Job.Gather {
		if !t.OnHost[at] {
			list = append(list, i)
		}
	}
	err := t.Each("gather", func(m *Member) {
		if len(list) > 0 {
			t.send(m, t.Job.Gather[list[0]])
		}
		m.Wait()
	})
	for k, i := range list {
		at := t.Job.Gather[i]
		if err == nil {
			err = t.allocateBitmaps(i)
		}
		if err == nil {
			err = t.exchange(func(m *Member, in *inbox) { t.receiveColumn(m, in, at) })
		}
		if err != nil {
			return err
		}
		rest := list[k+1:]
		isLast := !slices.ContainsFunc(rest, func(i int) bool { return t.Job.Gather[i] == at })
		err = t.Each("gather", func(m *Member) {
			m.Free(m.column, m.outbox.bits)
			if m.Rows > 0 && isLast {
				m.Share.Release(at)
			}
			for _, in := range m.Inboxes {
				t.gatherColumn(m, in, i)
			}
			if len(rest) > 0 {
				next := t.Job.Gather[rest[0]]
				if !m.Share.HasArrived(next) {
					m.flush() // before the host waits
				}
				t.send(m, next)
			}
			m.flush()
			m.Wait() // so that others may receive what is sent
		})
	}
	if err != nil {
		return err
	}
	return t.Each("download", func(m *Member) {
		for _, in := range m.Inboxes {
			if in.Sorted != nil {
				in.Sorted.downloads.Settle()
			}
		}
	})
}

// flush queues the downloads of what is gathered.
func (m *Member) flush() {
	for _, in := range m.Inboxes {
		if in.Sorted != nil {
			in.Sorted.downloads.Flush(in.Sorted.downloads.Ready())
		}
	}
}

// gatherNumbers gathers the row numbers of a range, which flush downloads.
func (t *Team) gatherNumbers(m *Member, in *inbox) {
	if !t.needsNumbers() {
		return
	}
	d := &in.Sorted.downloads
	sorted := in.Sorted.Values(in.Numbers, 4)
	m.Free(in.Numbers)
	switch {
	case t.Numbers != nil:
		d.Deliver(buffers.Bytes(t.Numbers[in.Lo:in.Hi]), sorted)
	case t.Job.RowNumbers == 4:
		d.Deliver(t.Result.RowNumbers[4*in.Lo:4*in.Hi], sorted)
	default:
		d.Widened(buffers.View[uint64](t.Result.RowNumbers)[in.Lo:in.Hi], sorted)
	}
}

// gatherColumn gathers a column of a range.
func (t *Team) gatherColumn(m *Member, in *inbox, i int) {
	o, at := in.Sorted, t.Job.Gather[i]
	if o == nil || m.Failed() {
		return
	}
	d := &o.downloads
	d.Retire(1)
	src, dst := &t.Job.Columns[at], &t.Result.Columns[i]
	if dst.Validity != nil {
		d.Deliver(t.bitmap(in, &dst.Validity), o.Bits(in.validity, 0, m.ones.Of(i)))
		m.Free(in.validity)
	}
	switch width := src.ValueBytes(); {
	case src.Kind == keyencode.Bool:
		d.Deliver(t.bitmap(in, &dst.Values), o.Bits(in.values, 0, m.ones.Uncounted()))
	case width > 0:
		d.Deliver(dst.Values[in.Lo*width:in.Hi*width], o.Values(in.values, width))
	}
	m.Free(in.values)
}
