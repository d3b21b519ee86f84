//go:build cuda && linux && amd64

package multigpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
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

// End makes the sessions ready for their next tasks. After a lack of memory the next ones divide their rows by what is
// free now: others may have taken some since it was measured.
func (t *Team) End() {
	isFull := errors.Is(context.Cause(t.Ctx), engine.ErrMemory)
	var group sync.WaitGroup
	for _, m := range t.Members {
		group.Go(func() {
			if m.Share != nil {
				m.Share.Helpers.Wait()
			}
			_ = m.Do(func() error { // the next sort finds a context that has failed
				m.End()
				if isFull {
					m.MeasureMemory()
				}
				return nil
			})
		})
	}
	group.Wait()
	t.cancel(nil)
}

// An outbox is the rows of a share in the order in which they are sent: those for the first device, for the second, and
// so on.
type outbox struct {
	codes  driver.Ptr // a word of each row
	rowsTo driver.Ptr // row numbers, of the whole table; after them a tile of numbers that are read but not used
	sent   []int      // where the rows for each device begin, and where the last ones end
	column driver.Ptr // values that are sent
	bits   driver.Ptr // a bitmap that is sent; 0: of ones
	starts [][]uint32 // of the bins of each segment, as scatter returns them
}

// sending is the number of rows that are sent.
func (o *outbox) sending() int { return o.sent[len(o.sent)-1] }

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

// RowsFrom returns where the rows of a device begin, and how many there are.
func (in *inbox) RowsFrom(sender *Member) (at, n int) {
	at = in.from[sender.Number]
	return at, in.from[sender.Number+1] - at
}

// inboxes are those of all ranges.
func (t *Team) inboxes() (all []*inbox) {
	for _, m := range t.Members {
		all = append(all, m.Inboxes...)
	}
	return all
}
