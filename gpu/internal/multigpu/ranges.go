//go:build cuda && linux && amd64

package multigpu

import (
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/gather"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/keyencode"
)

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
