//go:build cuda && linux && amd64

package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/keyencode"
)

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
