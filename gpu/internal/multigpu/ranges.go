//go:build cuda && linux && amd64

package multigpu

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
	Lo, Hi   int   // the range in the result
	words    []driver.Ptr
	Numbers  driver.Ptr // the row numbers, if they are needed
	values   driver.Ptr // of the column that is exchanged
	validity driver.Ptr
	Sorted   *sortedRange
}

// A sortedRange is a range whose row numbers are sorted, and columns of it on their way to the result.
type sortedRange struct {
	*gather.Gatherer
	downloads device.Downloads
}

// Received is the number of rows that arrive.
func (b *inbox) Received() int { return b.from[len(b.from)-1] }

// setRanges sets what each device sends and receives.
func (t *Team) setRanges(c *cuts) {
	out := t.Job.Out()
	inboxes := t.inboxes()
	for d, m := range t.Members {
		m.sent = make([]int, len(inboxes)+1)
		m.sent[len(inboxes)] = m.Rows
		for i, places := range c.places {
			m.sent[i+1] = places[d]
		}
	}
	lo := 0
	for _, in := range inboxes {
		in.from = []int{0}
		for d, sender := range t.Members {
			in.from = append(in.from, in.from[d]+sender.sent[in.number+1]-sender.sent[in.number])
		}
		n := in.Received()
		in.Lo, in.Hi = min(lo, out), min(lo+n, out)
		if lo += n; in.Lo == in.Hi { // a range behind the limit
			clear(in.from)
		}
	}
}

// inboxes are those of all ranges.
func (t *Team) inboxes() (all []*inbox) {
	for _, m := range t.Members {
		all = append(all, m.Inboxes...)
	}
	return all
}

// sort sorts the rows of each range by their codes, and downloads the row numbers of one while it sorts the next. Rows
// that are equal arrive in the order of the input.
func (t *Team) sort() error {
	if err := t.awaitResult(); err != nil {
		return err
	}
	return t.Each("sort", func(m *Member) {
		m.Free(m.outbox.codes)
		if m.Rows > 0 {
			m.Share.ReleaseKeys()
		}
		for _, in := range m.Inboxes {
			if in.Received() == 0 {
				continue
			}
			t.SortRange(m, in)
			t.gatherNumbers(m, in)
			m.flush()
			m.Wait()
		}
	})
}

// SortRange sorts the rows of a range that have arrived, by the words of their codes.
func (t *Team) SortRange(m *Member, in *inbox) {
	n := in.Received()
	job := &engine.Job{Rows: n, Limit: in.Hi - in.Lo}
	words := keys.NewColumns(m.Task, job, nil)
	for i, p := range in.words {
		job.Keys = append(job.Keys, keyencode.Key{Column: i})
		job.Columns = append(job.Columns,
			keyencode.Column{Kind: keyencode.Uint64, Chunks: []keyencode.Chunk{{Rows: n}}})
		words.OnDevice[i] = &keys.Column{Values: p}
	}
	order, _ := argsort.Run(words, &t.Buffers, func() {})
	m.AssertPermutation(order.Rows, job.Out(), n)
	words.ReleaseKeys()
	in.Sorted = &sortedRange{gather.New(m.Task, order.Rows, n, job.Out()), device.Downloads{Task: m.Task}}
	m.OnPressure(func() bool { return in.Sorted.downloads.Retire(0) })
}
