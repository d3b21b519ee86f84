//go:build cuda && linux && amd64

package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// gather gathers all columns and downloads them. While a column is downloaded the next is sent.
func (t *team) gather() error {
	var list []int // the numbers of the columns of the result that the devices gather
	for i, at := range t.job.Gather {
		if !t.onHost[at] {
			list = append(list, i)
		}
	}
	err := t.each("gather", func(m *member) {
		if len(list) > 0 {
			t.send(m, t.job.Gather[list[0]])
		}
		m.Wait()
	})
	for k, i := range list {
		at := t.job.Gather[i]
		if err == nil {
			err = t.allocateBitmaps(i)
		}
		if err == nil {
			err = t.exchange(func(m *member, in *inbox) { t.receiveColumn(m, in, at) })
		}
		if err != nil {
			return err
		}
		rest := list[k+1:]
		isLast := !slices.ContainsFunc(rest, func(i int) bool { return t.job.Gather[i] == at })
		err = t.each("gather", func(m *member) {
			m.Free(m.column, m.outbox.bits)
			if m.rows > 0 && isLast {
				m.share.Release(at)
			}
			for _, in := range m.inboxes {
				t.gatherColumn(m, in, i)
			}
			if len(rest) > 0 {
				next := t.job.Gather[rest[0]]
				if !m.share.HasArrived(next) {
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
	return t.each("download", func(m *member) {
		for _, in := range m.inboxes {
			if in.sorted != nil {
				in.sorted.downloads.Settle()
			}
		}
	})
}

// flush queues the downloads of what is gathered.
func (m *member) flush() {
	for _, in := range m.inboxes {
		if in.sorted != nil {
			in.sorted.downloads.Flush(in.sorted.downloads.Ready())
		}
	}
}

// gatherNumbers gathers the row numbers of a range, which flush downloads.
func (t *team) gatherNumbers(m *member, in *inbox) {
	if !t.needsNumbers() {
		return
	}
	d := &in.sorted.downloads
	sorted := in.sorted.Values(in.numbers, 4)
	m.Free(in.numbers)
	switch {
	case t.numbers != nil:
		d.Deliver(buffers.Bytes(t.numbers[in.lo:in.hi]), sorted)
	case t.job.RowNumbers == 4:
		d.Deliver(t.result.RowNumbers[4*in.lo:4*in.hi], sorted)
	default:
		d.Widened(buffers.View[uint64](t.result.RowNumbers)[in.lo:in.hi], sorted)
	}
}

// gatherColumn gathers a column of a range.
func (t *team) gatherColumn(m *member, in *inbox, i int) {
	o, at := in.sorted, t.job.Gather[i]
	if o == nil || m.Failed() {
		return
	}
	d := &o.downloads
	d.Retire(1)
	src, dst := &t.job.Columns[at], &t.result.Columns[i]
	if dst.Validity != nil {
		d.Deliver(t.bitmap(in, &dst.Validity), o.Bits(in.validity, 0, m.ones.Of(i)))
		m.Free(in.validity)
	}
	switch width := src.ValueBytes(); {
	case src.Kind == keyencode.Bool:
		d.Deliver(t.bitmap(in, &dst.Values), o.Bits(in.values, 0, m.ones.Uncounted()))
	case width > 0:
		d.Deliver(dst.Values[in.lo*width:in.hi*width], o.Values(in.values, width))
	}
	m.Free(in.values)
}
