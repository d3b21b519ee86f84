//go:build cuda && linux && amd64

// Package multigpu sorts a table on several devices that share it.
package multigpu

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/gather"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/table"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Team is the devices of one sort. Each has a share of the rows of the input, and a range of the sorted order, or
// several if it is long: it sends the rows of its share to the devices in whose ranges they are, and sorts those of its
// ranges.
type Team struct {
	table.Output
	caller    context.Context
	cancel    context.CancelCauseFunc // with the first error of a device
	Members   []*Member
	times     *device.StageTimes
	shareRows int             // the least rows of a share or range: few rows are not worth several devices
	most      []int           // rows for which each device has memory
	plan      *keyencode.Plan // of all rows
	Gathered  []int           // columns of the job that the devices gather
	bitmaps   map[*[]byte][]host.Bits
}

// A Member is a device of a team.
type Member struct {
	*device.Task
	Number int           // in the team
	Share  *keys.Columns // of its share
	first  int           // row of its share
	Rows   int           // of its share
	outbox
	Inboxes []*inbox // of its ranges
	ones    gather.Ones
}

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

// TeamStages are those of which a sort on several devices reports its progress: complete is the last one.
const TeamStages = 6

// NewTeam returns the devices of a sort, whose stages Sort calls.
func NewTeam(ctx context.Context, sessions []*device.Session, job *engine.Job, mem engine.Allocator, shareRows int,
	times *device.StageTimes) *Team {
	own, cancel := context.WithCancelCause(ctx)
	workers := host.NewWorkers(own, job.Threads)
	t := &Team{
		Output: table.NewOutput(own, job, TeamStages, workers, mem), caller: ctx, cancel: cancel, times: times,
		shareRows: shareRows, bitmaps: map[*[]byte][]host.Bits{},
	}
	for i, s := range sessions {
		task := device.NewTask(own, s, max(1, workers.Threads()/len(sessions)))
		t.Members = append(t.Members,
			&Member{Task: task, Number: i, ones: gather.Ones{Task: task, Columns: len(job.Gather)}})
	}
	return t
}

// Each runs a stage on all devices at the same time, and returns the first error of one. A device that has failed ends
// the work of the others.
func (t *Team) Each(stage string, work func(m *Member)) error {
	var group sync.WaitGroup
	for _, m := range t.Members {
		group.Go(func() {
			start := time.Now()
			m.Fail(m.Do(func() error {
				work(m)
				return nil
			}))
			if m.Failed() {
				t.cancel(fmt.Errorf("device %d: %w", m.Number, m.Err))
			}
			t.times.Add(m.Number, stage, time.Since(start))
		})
	}
	group.Wait()
	if err := context.Cause(t.Ctx); err != context.Cause(t.caller) {
		return err
	}
	return t.caller.Err()
}

// End makes the sessions ready for their next tasks.
func (t *Team) End() {
	var group sync.WaitGroup
	for _, m := range t.Members {
		group.Go(func() {
			if m.Share != nil {
				m.Share.Helpers.Wait()
			}
			_ = m.Do(func() error { // the next sort finds a context that has failed
				m.End()
				return nil
			})
		})
	}
	group.Wait()
	t.cancel(nil)
}

// Measure uploads the keys, and plans their codes from the statistics of all shares.
func (t *Team) Measure() error {
	stats := make([][]keyencode.Statistics, len(t.Members))
	err := t.Each("measure", func(m *Member) {
		if m.Rows > 0 {
			stats[m.Number] = m.Share.MeasureKeys()
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
		t.most = append(t.most, int(m.FreeBytes)/bytes)
	}
	borders := bordersOf(divide(t.Job.Rows, t.most), shareStep)
	for i, m := range t.Members {
		m.first, m.Rows = borders[i], borders[i+1]-borders[i]
		part := &engine.Job{Rows: m.Rows, Keys: t.Job.Keys, Gather: t.Gathered}
		for c := range t.Job.Columns {
			part.Columns = append(part.Columns, rowsOf(&t.Job.Columns[c], m.first, m.first+m.Rows))
		}
		m.Share = keys.NewColumns(m.Task, part, t.Payload())
	}
	return nil
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
