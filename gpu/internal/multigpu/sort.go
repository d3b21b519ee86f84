//go:build cuda && linux && amd64

// Package multigpu sorts a table on several devices that share it.
package multigpu

import (
	"context"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/gather"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/table"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Sort runs a job on the devices of several sessions.
func Sort(ctx context.Context, sessions []*device.Session, job *engine.Job, mem engine.Allocator, shareRows int,
	times *device.StageTimes) (*engine.Result, error) {
	t := NewTeam(ctx, sessions, job, mem, shareRows, times)
	defer t.Buffers.Release()
	defer t.Helpers.Wait()
	defer t.End()
	t.AllocateResult()
	if err := t.Divide(); err != nil {
		return nil, err
	}
	for i, stage := range []func() error{t.Measure, t.Partition, t.ExchangeKeys, t.sort, t.gather} {
		if err := stage(); err != nil {
			return nil, err
		}
		t.Progress(i + 1)
	}
	return t.complete()
}

// Divide gives each device its share of the rows: as many as the others, but fewer where its memory has less.
func (t *Team) Divide() error {
	bytes := BytesOfRow(t.Job)
	share := bytes * (t.Job.Rows/len(t.Members) + 1)
	if slices.ContainsFunc(t.Members, func(m *Member) bool { return m.FreeBytes < int64(share) }) {
		if err := t.Each("measure", func(m *Member) { m.MeasureMemory() }); err != nil {
			return err
		}
	}
	for _, m := range t.Members {
		t.most = append(t.most, int(m.FreeBytes)/bytes*ExactShare/(ExactShare+1)) // its range may be longer
	}
	borders := bordersOf(divide(t.Job.Rows, t.most), shareStep)
	for i, m := range t.Members {
		m.first, m.Rows = borders[i], borders[i+1]-borders[i]
		part := &engine.Job{Rows: m.Rows, Keys: t.Job.Keys, Gather: t.Gathered}
		for c := range t.Job.Columns {
			part.Columns = append(part.Columns, rowsOf(&t.Job.Columns[c], m.first, m.first+m.Rows))
		}
		m.Share = keys.NewColumns(m.Task, part, t.Buffers, t.Payload())
	}
	return nil
}

// Measure uploads the keys, and plans their codes from the statistics of all shares.
func (t *Team) Measure() error {
	stats := make([][]keyencode.Statistics, len(t.Members))
	err := t.Each("measure", func(m *Member) {
		if m.Rows > 0 {
			stats[m.Number] = m.Share.Measure(t.Job.Keys)
		}
	})
	if err != nil {
		return err
	}
	all := make([]keyencode.Statistics, len(t.Job.Keys))
	for i := range all {
		for _, found := range stats {
			if found != nil {
				all[i].Merge(&found[i])
			}
		}
		// Whether the rows of one share are in order says nothing about the first row of the next.
		all[i].Sorted, all[i].Rising, all[i].Reversed = false, false, false
	}
	t.plan, err = keyencode.NewPlan(t.Job.Columns, t.Job.Keys, all)
	return err
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
	words := keys.NewColumns(m.Task, job, t.Buffers, nil)
	for i, p := range in.words {
		job.Keys = append(job.Keys, keyencode.Key{Column: i})
		job.Columns = append(job.Columns,
			keyencode.Column{Kind: keyencode.Uint64, Chunks: []keyencode.Chunk{{Rows: n}}})
		words.OnDevice[i] = &keys.Column{Values: p}
	}
	order, _ := argsort.Run(words, func() {})
	m.AssertPermutation(order, job.Out(), n)
	words.ReleaseKeys()
	in.Sorted = &sortedRange{gather.New(m.Task, order, n, job.Out()), device.Downloads{Task: m.Task}}
	m.OnPressure(func() bool { return in.Sorted.downloads.Retire(0) })
}

// Bytes of a device's memory for each row of its share or range, see docs/gpu.md: for each word of the codes, for what
// is sorted, and the columns of a width that are on their way.
const (
	BytesOfWord    = 8
	BytesOfRecords = 41
	ColumnsOnWay   = 5
)

// BytesOfRow is about the memory that a device needs for each row.
func BytesOfRow(job *engine.Job) int {
	keys, words, widest := 0, 0, 0
	for _, k := range job.Keys {
		width := job.Columns[k.Column].ValueBytes() + 1
		keys += width
		words += (width + 7) / 8
	}
	for _, at := range job.Gather {
		widest = max(widest, job.Columns[at].ValueBytes())
	}
	return keys + max(BytesOfWord*words+BytesOfRecords, 8+ColumnsOnWay*widest)
}

// GathersText reports whether a job gathers strings that one device would gather.
func GathersText(job *engine.Job) bool {
	return job.Out() > job.Rows/table.FewRows && slices.ContainsFunc(job.Gather, func(at int) bool {
		return host.IsText(job.Columns[at].Kind)
	})
}

// CanShare reports whether several devices can share a job: they read all of its keys.
func CanShare(job *engine.Job) bool {
	return !slices.ContainsFunc(job.Keys, func(k keyencode.Key) bool {
		_, ok := keys.LayoutOf(&job.Columns[k.Column])
		return !ok
	})
}
