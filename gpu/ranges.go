//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An inbox is the rows of a range as they arrive, those of the first device first, and what they become.
type inbox struct {
	from     []int // where the rows of each device begin in the inbox, and where the last ones end
	lo, hi   int   // the range in the result
	words    []driver.Ptr
	numbers  driver.Ptr // the row numbers, if they are needed
	values   driver.Ptr // of the column that is exchanged
	validity driver.Ptr
	owned    *sorter // of the range
	counters driver.Ptr
}

// received is the number of rows that arrive.
func (b *inbox) received() int { return b.from[len(b.from)-1] }

// setRanges sets what each device sends and receives.
func (t *team) setRanges(c *cuts) {
	out, p := t.job.Out(), len(t.members)
	for d, m := range t.members {
		m.sent = make([]int, p+1)
		m.sent[p] = m.rows
		for i, places := range c.places {
			m.sent[i+1] = places[d]
		}
	}
	lo := 0
	for j, m := range t.members {
		m.from = make([]int, p+1)
		for d, sender := range t.members {
			m.from[d+1] = m.from[d] + sender.sent[j+1] - sender.sent[j]
		}
		m.lo, m.hi = min(lo, out), min(lo+m.from[p], out)
		if lo += m.from[p]; m.lo == m.hi { // a range behind the limit
			clear(m.from)
		}
	}
}

// sort sorts the rows of each range by their codes. Rows that are equal arrive in the order of the input.
func (t *team) sort() error {
	return t.each("sort", func(m *member) {
		m.free(m.outbox.codes)
		if m.rows > 0 {
			m.share.releaseKeys()
		}
		n := m.received()
		if n == 0 {
			return
		}
		part := &engine.Job{Rows: n, Limit: m.hi - m.lo, Threads: m.threads}
		for i := range m.words {
			part.Keys = append(part.Keys, keyencode.Key{Column: i})
			part.Columns = append(part.Columns,
				keyencode.Column{Kind: keyencode.Uint64, Chunks: []keyencode.Chunk{{Rows: n}}})
		}
		m.owned = newSorter(m.task, part, t.buffers.Mem)
		m.giveBack = func() bool { return m.owned.giveBack() || m.share.giveBack() }
		for i, p := range m.words {
			m.owned.columns[i] = &column{values: p}
		}
		m.fail(m.owned.argsort())
		m.owned.assertPermutation(m.owned.order, m.owned.out, n)
		m.owned.releaseKeys()
		m.wait()
	})
}
