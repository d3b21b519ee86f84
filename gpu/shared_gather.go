//go:build cuda && linux && amd64

package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
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
			m.free(m.column, m.outbox.bits)
			if m.rows > 0 && isLast {
				m.share.release(at)
			}
			for _, in := range m.inboxes {
				t.gatherColumn(m, in, i)
			}
			if len(rest) > 0 {
				next := t.job.Gather[rest[0]]
				if !m.share.hasArrived(next) {
					m.flushOwned() // before the host waits
				}
				t.send(m, next)
			}
			m.flushOwned()
			m.Wait() // so that others may receive what is sent
		})
	}
	if err != nil {
		return err
	}
	return t.each("download", func(m *member) {
		for _, in := range m.inboxes {
			if in.owned != nil {
				in.owned.settle()
			}
		}
	})
}

// flushOwned queues the downloads of what is gathered.
func (m *member) flushOwned() {
	for _, in := range m.inboxes {
		if in.owned != nil {
			in.owned.flush()
		}
	}
}

// gatherNumbers gathers the row numbers of a range, which flush downloads.
func (t *team) gatherNumbers(m *member, in *inbox) {
	o := in.owned
	if !t.needsNumbers() {
		return
	}
	sorted := m.sortedNumbers(in)
	switch {
	case t.numbers != nil:
		o.deliver(buffers.Bytes(t.numbers[in.lo:in.hi]), sorted)
	case t.job.RowNumbers == 4:
		o.deliver(t.result.RowNumbers[4*in.lo:4*in.hi], sorted)
	default:
		o.downloadWidened(buffers.View[uint64](t.result.RowNumbers)[in.lo:in.hi], sorted)
	}
}

// sortedNumbers gathers the row numbers of a range on the device.
func (m *member) sortedNumbers(in *inbox) driver.Ptr {
	sorted := in.owned.gatherValues(in.numbers, 4)
	m.free(in.numbers)
	return sorted
}

// gatherColumn gathers a column of a range.
func (t *team) gatherColumn(m *member, in *inbox, i int) {
	o, at := in.owned, t.job.Gather[i]
	if o == nil || m.Failed() {
		return
	}
	o.retire(1)
	src, dst, columns := &t.job.Columns[at], &t.result.Columns[i], len(t.job.Gather)
	if dst.Validity != nil {
		o.deliver(t.bitmap(in, &dst.Validity), o.gatherBits(in.validity, 0, o.order, o.out, m.ones(i, columns)))
		m.free(in.validity)
	}
	switch width := src.ValueBytes(); {
	case src.Kind == keyencode.Bool:
		o.deliver(t.bitmap(in, &dst.Values), o.gatherBits(in.values, 0, o.order, o.out, m.ones(columns, columns)))
	case width > 0:
		o.deliver(dst.Values[in.lo*width:in.hi*width], o.gatherValues(in.values, width))
	}
	m.free(in.values)
}
