//go:build cuda && linux && amd64

package gpu

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
	"github.com/arrowsort/arrowsort/keyencode"
)

// A team is the devices of one sort. Each has a share of the rows of the input, and a range of the sorted order, or
// several if it is long: it sends the rows of its share to the devices in whose ranges they are, and sorts those of its
// ranges.
type team struct {
	output
	caller    context.Context
	cancel    context.CancelCauseFunc // with the first error of a device
	members   []*member
	times     *device.StageTimes
	shareRows int             // the least rows of a share or range: few rows are not worth several devices
	most      []int           // rows for which each device has memory
	plan      *keyencode.Plan // of all rows
	gathered  []int           // columns of the job that the devices gather
	bitmaps   map[*[]byte][]host.Bits
}

// A member is a device of a team.
type member struct {
	*device.Task
	number int           // in the team
	share  *keys.Columns // of its share
	first  int           // row of its share
	rows   int           // of its share
	outbox
	inboxes []*inbox // of its ranges
	ones    gather.Ones
}

// sortShared runs a job on the devices of several sessions.
func sortShared(ctx context.Context, sessions []*device.Session, job *engine.Job, mem engine.Allocator, shareRows int,
	times *device.StageTimes) (*engine.Result, error) {
	t := newTeam(ctx, sessions, job, mem, shareRows, times)
	defer t.buffers.Release()
	defer t.helpers.Wait()
	defer t.end()
	t.allocateResult()
	if err := t.divide(); err != nil {
		return nil, err
	}
	for i, stage := range []func() error{t.measure, t.partition, t.exchangeKeys, t.sort, t.gather} {
		if err := stage(); err != nil {
			return nil, err
		}
		t.progress(i + 1)
	}
	return t.complete()
}

// teamStages are those of which a sort on several devices reports its progress: complete is the last one.
const teamStages = 6

func newTeam(ctx context.Context, sessions []*device.Session, job *engine.Job, mem engine.Allocator, shareRows int,
	times *device.StageTimes) *team {
	own, cancel := context.WithCancelCause(ctx)
	workers := host.NewWorkers(own, job.Threads)
	t := &team{
		output: newOutput(own, job, teamStages, workers, mem), caller: ctx, cancel: cancel, times: times,
		shareRows: shareRows, bitmaps: map[*[]byte][]host.Bits{},
	}
	for i, s := range sessions {
		task := device.NewTask(own, s, max(1, workers.Threads()/len(sessions)))
		t.members = append(t.members,
			&member{Task: task, number: i, ones: gather.Ones{Task: task, Columns: len(job.Gather)}})
	}
	return t
}

// each runs a stage on all devices at the same time, and returns the first error of one. A device that has failed ends
// the work of the others.
func (t *team) each(stage string, work func(m *member)) error {
	var group sync.WaitGroup
	for _, m := range t.members {
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
	if err := context.Cause(t.ctx); err != context.Cause(t.caller) {
		return err
	}
	return t.caller.Err()
}

// end makes the sessions ready for their next tasks.
func (t *team) end() {
	var group sync.WaitGroup
	for _, m := range t.members {
		group.Go(func() {
			if m.share != nil {
				m.share.Helpers.Wait()
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

// measure uploads the keys, and plans their codes from the statistics of all shares.
func (t *team) measure() error {
	stats := make([][]keyencode.Statistics, len(t.members))
	err := t.each("measure", func(m *member) {
		if m.rows > 0 {
			stats[m.number] = m.share.MeasureKeys()
		}
	})
	if err != nil {
		return err
	}
	all := make([]keyencode.Statistics, len(t.job.Keys))
	for i := range all {
		for _, found := range stats {
			if found != nil {
				all[i].Merge(&found[i])
			}
		}
		// Whether the rows of one share are in order says nothing about the first row of the next.
		all[i].Sorted, all[i].Rising, all[i].Reversed = false, false, false
	}
	t.plan, err = keyencode.NewPlan(t.job.Columns, t.job.Keys, all)
	return err
}

// divide gives each device its share of the rows: as many as the others, but fewer where its memory has less.
func (t *team) divide() error {
	bytes := bytesOfRow(t.job)
	share := bytes * (t.job.Rows/len(t.members) + 1)
	if slices.ContainsFunc(t.members, func(m *member) bool { return m.FreeBytes < int64(share) }) {
		if err := t.each("measure", func(m *member) { m.MeasureMemory() }); err != nil {
			return err
		}
	}
	for _, m := range t.members {
		t.most = append(t.most, int(m.FreeBytes)/bytes)
	}
	borders := bordersOf(divide(t.job.Rows, t.most), shareStep)
	for i, m := range t.members {
		m.first, m.rows = borders[i], borders[i+1]-borders[i]
		part := &engine.Job{Rows: m.rows, Keys: t.job.Keys, Gather: t.gathered}
		for c := range t.job.Columns {
			part.Columns = append(part.Columns, rowsOf(&t.job.Columns[c], m.first, m.first+m.rows))
		}
		m.share = keys.NewColumns(m.Task, part, t.payload())
	}
	return nil
}

// Bytes of a device's memory for each row of its share or range, see docs/gpu.md: for each word of the codes, for what
// is sorted, and the columns of a width that are on their way.
const (
	bytesOfWord    = 8
	bytesOfRecords = 41
	columnsOnWay   = 5
)

// bytesOfRow is about the memory that a device needs for each row.
func bytesOfRow(job *engine.Job) int {
	keys, words, widest := 0, 0, 0
	for _, k := range job.Keys {
		width := job.Columns[k.Column].ValueBytes() + 1
		keys += width
		words += (width + 7) / 8
	}
	for _, at := range job.Gather {
		widest = max(widest, job.Columns[at].ValueBytes())
	}
	return keys + max(bytesOfWord*words+bytesOfRecords, 8+columnsOnWay*widest)
}

// gathersText reports whether a job gathers strings that one device would gather.
func gathersText(job *engine.Job) bool {
	return job.Out() > job.Rows/fewRows && slices.ContainsFunc(job.Gather, func(at int) bool {
		return host.IsText(job.Columns[at].Kind)
	})
}

// canShare reports whether several devices can share a job: they read all of its keys.
func canShare(job *engine.Job) bool {
	return !slices.ContainsFunc(job.Keys, func(k keyencode.Key) bool {
		_, ok := keys.LayoutOf(&job.Columns[k.Column])
		return !ok
	})
}
