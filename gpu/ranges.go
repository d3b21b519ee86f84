//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/gather"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An inbox is the rows of a range as they arrive, those of the first device first, and what they become.
type inbox struct {
	number   int   // of the range
	from     []int // where the rows of each device begin in the inbox, and where the last ones end
	lo, hi   int   // the range in the result
	words    []driver.Ptr
	numbers  driver.Ptr // the row numbers, if they are needed
	values   driver.Ptr // of the column that is exchanged
	validity driver.Ptr
	sorted   *sortedRange
}

// A sortedRange is a range whose row numbers are sorted, and columns of it on their way to the result.
type sortedRange struct {
	*gather.Gatherer
	downloads device.Downloads
}

// received is the number of rows that arrive.
func (b *inbox) received() int { return b.from[len(b.from)-1] }

// setRanges sets what each device sends and receives.
func (t *team) setRanges(c *cuts) {
	out := t.job.Out()
	inboxes := t.inboxes()
	for d, m := range t.members {
		m.sent = make([]int, len(inboxes)+1)
		m.sent[len(inboxes)] = m.rows
		for i, places := range c.places {
			m.sent[i+1] = places[d]
		}
	}
	lo := 0
	for _, in := range inboxes {
		in.from = []int{0}
		for d, sender := range t.members {
			in.from = append(in.from, in.from[d]+sender.sent[in.number+1]-sender.sent[in.number])
		}
		n := in.received()
		in.lo, in.hi = min(lo, out), min(lo+n, out)
		if lo += n; in.lo == in.hi { // a range behind the limit
			clear(in.from)
		}
	}
}

// inboxes are those of all ranges.
func (t *team) inboxes() (all []*inbox) {
	for _, m := range t.members {
		all = append(all, m.inboxes...)
	}
	return all
}

// sort sorts the rows of each range by their codes, and downloads the row numbers of one while it sorts the next. Rows
// that are equal arrive in the order of the input.
func (t *team) sort() error {
	if err := t.awaitResult(); err != nil {
		return err
	}
	return t.each("sort", func(m *member) {
		m.Free(m.outbox.codes)
		if m.rows > 0 {
			m.share.ReleaseKeys()
		}
		for _, in := range m.inboxes {
			if in.received() == 0 {
				continue
			}
			t.sortRange(m, in)
			t.gatherNumbers(m, in)
			m.flush()
			m.Wait()
		}
	})
}

func (t *team) sortRange(m *member, in *inbox) {
	n := in.received()
	job := &engine.Job{Rows: n, Limit: in.hi - in.lo}
	words := keys.NewColumns(m.Task, job, nil)
	for i, p := range in.words {
		job.Keys = append(job.Keys, keyencode.Key{Column: i})
		job.Columns = append(job.Columns,
			keyencode.Column{Kind: keyencode.Uint64, Chunks: []keyencode.Chunk{{Rows: n}}})
		words.OnDevice[i] = &keys.Column{Values: p}
	}
	order, _ := argsort.Run(words, &t.buffers, func() {})
	m.AssertPermutation(order.Rows, job.Out(), n)
	words.ReleaseKeys()
	in.sorted = &sortedRange{gather.New(m.Task, order.Rows, n, job.Out()), device.Downloads{Task: m.Task}}
	m.OnPressure(func() bool { return in.sorted.downloads.Retire(0) })
}
