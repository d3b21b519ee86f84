//go:build cuda && linux && amd64

package multigpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/gather"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// receive copies what the other devices send of a range, in the order of the devices: memory of the given bytes for a
// row. Every device begins with another one, so that no two receive from the same at a time.
func (t *Team) receive(m *Member, in *inbox, bytes int, from func(sender *Member) driver.Ptr) (dst driver.Ptr) {
	dst = m.Alloc(bytes * in.Received())
	for i := range t.Members {
		sender := t.Members[(m.Number+i)%len(t.Members)]
		if at, n := in.RowsFrom(sender); n > 0 {
			src := from(sender) + driver.Ptr(bytes*sender.sent[in.number])
			m.CopyFrom(sender, dst+driver.Ptr(bytes*at), src, bytes*n)
		}
	}
	return dst
}

// CopyFrom copies memory of another device, or of the same. It counts as over the bus: some copies go through the host.
func (m *Member) CopyFrom(sender *Member, dst, src driver.Ptr, bytes int) {
	m.InSteps(bytes, func(at, n int) error {
		to, from := dst+driver.Ptr(at), src+driver.Ptr(at)
		if sender == m {
			return m.Stream.Copy(to, from, n)
		}
		return m.Stream.CopyFrom(to, sender.Context, from, n)
	})
}

// receiveBits does the same with bitmaps, of which whole bytes are copied. They are then shifted side by side.
func (t *Team) receiveBits(m *Member, in *inbox, from func(sender *Member) driver.Ptr) (dst driver.Ptr) {
	dst = m.Zeros(in.Received()/8 + 8)
	for _, sender := range t.Members {
		at, n := in.RowsFrom(sender)
		if n == 0 {
			continue
		}
		var bits driver.Ptr
		first := sender.sent[in.number]
		if src := from(sender); src != 0 {
			bytes := (first+n+7)/8 - first/8
			bits = m.Alloc(bytes)
			m.Clear(bits+driver.Ptr(bytes&^7), 8) // kernels read whole words
			m.CopyFrom(sender, bits, src+driver.Ptr(first/8), bytes)
		}
		m.Launch("copy_bits", m.Blocks(n/32), uint64(bits), uint64(first%8), uint64(n), uint64(dst), uint64(at))
		m.Free(bits)
	}
	return dst
}

// ExchangeKeys sends the words of the codes, and the row numbers.
func (t *Team) ExchangeKeys() (err error) {
	if t.needsNumbers() {
		err = t.exchange(func(m *Member, in *inbox) {
			in.Numbers = t.receive(m, in, 4, func(sender *Member) driver.Ptr { return sender.rowsTo })
		})
	}
	for word := 0; word < t.plan.Words() && err == nil; word++ {
		if t.plan.Words() > 1 { // else partition has left the only word
			err = t.Each("partition", func(m *Member) {
				if n := m.sending(); n > 0 {
					m.encodeSent(t.plan, word, m.rowsTo, n, m.outbox.codes)
					m.Wait()
				}
			})
		}
		if err == nil {
			err = t.exchange(func(m *Member, in *inbox) {
				codes := t.receive(m, in, 8, func(sender *Member) driver.Ptr { return sender.outbox.codes })
				in.words = append(in.words, codes)
			})
		}
	}
	return err
}

// exchange receives rows of all ranges, and waits for them.
func (t *Team) exchange(receive func(m *Member, in *inbox)) error {
	return t.Each("exchange", func(m *Member) {
		for _, in := range m.Inboxes {
			if in.Received() > 0 {
				receive(m, in)
			}
		}
		m.Wait()
	})
}

// send gathers the values and the bitmaps of a column of the job in the order in which the rows are sent.
func (t *Team) send(m *Member, at int) {
	n := m.sending()
	m.column, m.outbox.bits = 0, 0
	if m.Rows == 0 || n == 0 {
		return
	}
	src := &m.Share.Job.Columns[at]
	c := m.Share.Column(at)
	sendBits := func(bits driver.Ptr, bit uint64) driver.Ptr {
		return gather.Bits(m.Task, bits-driver.Ptr(m.first/8), bit, m.rowsTo, n, m.ones.Uncounted())
	}
	if c.Validity != 0 {
		m.outbox.bits = sendBits(c.Validity, c.Bit)
	}
	switch width := src.ValueBytes(); {
	case src.Kind == keyencode.Bool:
		m.column = sendBits(c.Values, c.ValueBit)
	case width > 0:
		padded := (n + kernels.GatherTile - 1) / kernels.GatherTile * kernels.GatherTile
		m.column = m.Alloc(padded * width)
		gather.Rows(m.Task, c.Values-driver.Ptr(m.first*width), width, m.rowsTo, padded, m.column)
	}
}

// receiveColumn receives the values of a column of the job and its bitmap.
func (t *Team) receiveColumn(m *Member, in *inbox, at int) {
	src := &t.Job.Columns[at]
	in.values, in.validity = 0, 0
	column := func(sender *Member) driver.Ptr { return sender.column }
	switch width := src.ValueBytes(); {
	case src.Kind == keyencode.Bool:
		in.values = t.receiveBits(m, in, column)
	case width > 0:
		in.values = t.receive(m, in, width, column)
	}
	if host.Nullable(src) {
		in.validity = t.receiveBits(m, in, func(sender *Member) driver.Ptr { return sender.outbox.bits })
	}
}
