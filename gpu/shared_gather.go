//go:build cuda && linux && amd64

package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/keyencode"
)

// gather gathers all columns and downloads them. While a column is downloaded the next is sent.
func (t *team) gather() error {
	list := slices.DeleteFunc(t.resultColumns(), func(i int) bool { return t.onHost[t.job.Gather[i]] })
	err := t.each("gather", func(m *member) {
		if len(list) > 0 {
			t.send(m, t.job.Gather[list[0]])
		}
		m.wait()
	})
	for k, i := range list {
		at := t.job.Gather[i]
		if err == nil {
			err = t.allocateBitmaps(i)
		}
		if err == nil {
			err = t.eachRange("exchange", func(m *member, in *inbox, rows int) { t.receiveColumn(m, in, rows, at) })
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
			m.wait() // so that others may receive what is sent
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

// resultColumns are the numbers of the columns of the result.
func (t *team) resultColumns() []int {
	list := make([]int, len(t.job.Gather))
	for i := range list {
		list[i] = i
	}
	return list
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
		o.deliver(host.BytesOf(t.numbers[in.lo:in.hi]), sorted)
	case t.job.RowNumbers == 4:
		o.deliver(t.result.RowNumbers[4*in.lo:4*in.hi], sorted)
	default:
		d, dst := o.afterKernels(4*o.out), host.View[uint64](t.result.RowNumbers)[in.lo:in.hi]
		d.downloadInto(sorted, 4*o.out, func(at int, data []byte) func() error {
			return d.workers.BeginWiden(dst[at/4:], host.View[uint32](data))
		})
		m.fail(d.err)
	}
}

// sortedNumbers gathers the row numbers of a range on the device.
func (m *member) sortedNumbers(in *inbox) driver.Ptr {
	o := in.owned
	sorted := m.alloc(4 * o.out)
	if !o.inWindows(4) || !o.gatherWindows(in.numbers, 4, sorted) {
		m.gatherRows(in.numbers, 4, o.order, o.out, sorted)
	}
	m.free(in.numbers)
	return sorted
}

// gatherColumn gathers a column of a range.
func (t *team) gatherColumn(m *member, in *inbox, i int) {
	o, at := in.owned, t.job.Gather[i]
	if o == nil || m.failed() {
		return
	}
	o.retire(1)
	src, dst := &t.job.Columns[at], &t.result.Columns[i]
	if dst.Validity != nil {
		o.gatherBits(in.validity, 0, t.bitmap(in, &dst.Validity), t.ones(m, i))
		m.free(in.validity)
	}
	switch width := src.ValueBytes(); {
	case src.Kind == keyencode.Bool:
		o.gatherBits(in.values, 0, t.bitmap(in, &dst.Values), t.ones(m, len(t.job.Gather)))
	case width > 0:
		o.gatherValues(in.values, width, dst.Values[in.lo*width:in.hi*width])
	}
	m.free(in.values)
}

// ones is a device's counter of the ones of a bitmap of the result. The last counter is for bits that are not counted.
func (t *team) ones(m *member, i int) driver.Ptr {
	if m.counters == 0 {
		m.counters = m.zeros(8 * (len(t.job.Gather) + 1))
	}
	return m.counters + driver.Ptr(8*i)
}
