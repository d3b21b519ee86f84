package cpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A watchedContext never ends; it has the longest time that a worker has worked between two calls of Err.
type watchedContext struct {
	context.Context
	looked  time.Duration
	longest time.Duration
	looks   int
	stopAt  int // the call of Err that returns an error; 0: none
}

func (c *watchedContext) Err() error {
	now := workingTime()
	c.longest, c.looked = max(c.longest, now-c.looked), now
	if c.looks++; c.stopAt > 0 && c.looks >= c.stopAt {
		return context.Canceled
	}
	return nil
}

// A heavyJob is one in which little stands for much work, and the looks at the context that are the least for it.
type heavyJob struct {
	engine.Job
	looks int
}

// heavyJobs have many columns, long strings to copy, or long ties.
func heavyJobs() map[string]heavyJob {
	const n = 100_000
	random := func(seed uint64, n int) keyencode.Column {
		return uint64Column(drawn(seed, n, uniform))
	}
	wide := engine.Job{Rows: n, Keys: []keyencode.Key{{}}}
	for i := range 500 {
		wide.Columns = append(wide.Columns, keyencode.Column{Kind: keyencode.Uint64, Chunks: random(1, n).Chunks})
		wide.Gather = append(wide.Gather, i)
		if i > 0 {
			wide.Columns[i] = wide.Columns[0]
		}
	}
	few := wide
	few.Rows = 20_000
	few.Columns = slices.Repeat([]keyencode.Column{random(2, few.Rows)}, 500)
	top := wide
	top.Limit = n / 5

	texts := engine.Job{Rows: 40_000, Keys: []keyencode.Key{{}}, Gather: []int{1}}
	data := make([]byte, 8000)
	values := numbered(2*texts.Rows, func(i int) uint64 { return uint64(i%2) * 8000 }) // every second row has all bytes
	column := keyencode.Column{Kind: keyencode.LargeBinary}
	for row := range texts.Rows {
		offsets := buffers.Bytes(values[2*row : 2*row+2])
		column.Chunks = append(column.Chunks, keyencode.Chunk{Rows: 1, Values: offsets, Data: [][]byte{data}})
	}
	texts.Columns = []keyencode.Column{random(3, texts.Rows), column}

	ties, _ := longTies(30_000, 2048)
	manyTies, _ := longTies(130_000, 512)
	sorted := engine.Job{Rows: 2_000_000, RowNumbers: 8, Keys: []keyencode.Key{{}, {Column: 1}}, Threads: 1}
	sorted.Columns = []keyencode.Column{
		uint64Column(drawn(1, sorted.Rows, shapes["sorted"])), uint64Column(drawn(1, sorted.Rows, shapes["constant"])),
	}
	return map[string]heavyJob{
		"500 columns":              {wide, 3 * 500}, // allocated; two tiles moved
		"500 columns of few rows":  {few, 2 * 500},
		"the first of 500 columns": {top, 2 * 500},
		"strings of 8000 bytes":    {texts, texts.Rows / blockRows * 3 / 2},
		"few long ties":            {ties, 2048 / 8},
		"long ties":                {manyTies, 512 / 8},
		"in order":                 {sorted, sorted.Rows/smallRows + sorted.Rows/tileRows},
	}
}

// TestLooksAtTheContext: no job works long without asking its context: never more than the 50 ms of the
// contract or, on a slow machine, a quarter of the call. The best of some calls counts: pages may come slowly at first.
func TestLooksAtTheContext(t *testing.T) {
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	for name, job := range heavyJobs() {
		if !testrun.Share(2, name) {
			continue
		}
		job.Threads = 1
		var longest, whole time.Duration
		for range 4 {
			ctx := watch(t, &job.Job)
			require.GreaterOrEqual(t, ctx.looks, job.looks, "%s: looks at the context", name)
			if longest, whole = ctx.longest, ctx.looked; longest <= max(50*time.Millisecond, whole/4) {
				break
			}
		}
		t.Logf("%s: %v, %v between two looks at most", name, whole, longest)
		require.LessOrEqual(
			t, longest, max(50*time.Millisecond, whole/4), "%s: the longest time between calls of Err, of %v",
			name, whole,
		)
	}
}

// watch sorts with a context that counts the calls of Err and measures the time between them, and the call.
func watch(t *testing.T, job *engine.Job) *watchedContext {
	began := workingTime()
	ctx := &watchedContext{Context: t.Context(), looked: began}
	mem := &patient{newMeter(t), ctx}
	res, err := New().Sort(ctx, job, mem)
	require.NoError(t, err)
	require.NoError(t, ctx.Err()) // the time since the last call counts, too
	res.Release(mem)
	ctx.looked -= began
	return ctx
}

// A patient allocator leaves its own time out of the time between two looks.
type patient struct {
	*meter
	ctx *watchedContext
}

func (p *patient) Allocate(n int) []byte {
	began := workingTime()
	defer func() { p.ctx.looked += workingTime() - began }()
	return p.meter.Allocate(n)
}

// TestStopsWhereverItLooks cancels at many looks at the context: the call ends with the context's error, at once, and
// everything is given back.
func TestStopsWhereverItLooks(t *testing.T) {
	before := runtime.NumGoroutine()
	const n = 150_000
	ties, _ := longTies(n, 60)
	text := cputest.AllTexts[11]
	texts, valid := text.Draw(n)
	random, sorted := drawn(1, n, uniform), drawn(1, n, shapes["sorted"])
	columns := []keyencode.Column{
		uint64Column(random), uint64Column(sorted), uint64Column(drawn(1, n, shapes["half"])),
		text.Column(keyencode.Binary, texts, valid), ties.Columns[0],
	}
	for _, job := range testrun.Sample(3, []engine.Job{
		{Keys: []keyencode.Key{{}}, RowNumbers: 8}, {Keys: []keyencode.Key{{Column: 1}}, Gather: []int{0, 3}},
		{Keys: []keyencode.Key{{Column: 2}, {}}, Gather: []int{3, 1, 0}, RowNumbers: 4},
		{Keys: []keyencode.Key{{Column: 4}}, Gather: []int{3}},
		{Keys: []keyencode.Key{{Column: 3}, {Column: 4}}, Gather: []int{0}, Limit: 1000},
	}) {
		job.Rows, job.Columns, job.Threads = n, columns, 1
		for _, e := range ways {
			requireStops(t, e, &job)
		}
	}
	requireGoroutines(t, before)
}

// ways are the engine as it is and one that always moves by lines.
var ways = []engine.Engine{New(), NewEager()}

// requireStops cancels a job at many looks at the context.
func requireStops(t *testing.T, e engine.Engine, job *engine.Job) {
	t.Helper()
	mem := newMeter(t)
	counting := &watchedContext{Context: t.Context()}
	res, err := e.Sort(counting, job, mem)
	require.NoError(t, err)
	res.Release(mem)
	name := fmt.Sprintf("keys %+v, gather %v", job.Keys, job.Gather)
	require.Greater(t, counting.looks, 10, name)
	for stop := 1; stop <= counting.looks; stop += 1 + stop/3 {
		ctx := &watchedContext{Context: t.Context(), stopAt: stop}
		res, err := e.Sort(ctx, job, mem)
		require.ErrorIs(t, err, context.Canceled, "%s: cancelled at call %d of %d", name, stop, counting.looks)
		require.Nil(t, res, name)
		require.Zero(t, mem.CurrentAlloc(), "%s: cancelled at call %d: memory that is not free", name, stop)
		require.Less(
			t, ctx.looks-stop, 200, "%s: calls after it was cancelled at call %d of %d", name, stop, counting.looks,
		)
	}
}

// A cancelling allocator ends the context in its n-th call and counts the calls after that.
type cancelling struct {
	*meter
	n, late int
	cancel  context.CancelFunc
}

func (c *cancelling) called() {
	if c.n--; c.n == 0 {
		c.cancel()
	}
	if c.n < 0 {
		c.late++
	}
}

func (c *cancelling) Allocate(n int) []byte {
	c.called()
	return c.meter.Allocate(n)
}

func (c *cancelling) Reallocate(n int, b []byte) []byte {
	c.called()
	return c.meter.Reallocate(n, b)
}

// TestNoAllocationAfterTheContext ends the context in each allocation of a sort in turn.
func TestNoAllocationAfterTheContext(t *testing.T) {
	const n = 150_000
	text := cputest.AllTexts[11]
	texts, valid := text.Draw(n)
	columns := []keyencode.Column{uint64Column(drawn(1, n, uniform)), uint64Column(drawn(1, n, shapes["half"])),
		text.Column(keyencode.Binary, texts, valid)}
	for _, job := range testrun.Sample(3, []engine.Job{
		{Keys: []keyencode.Key{{}}, RowNumbers: 4}, {Keys: []keyencode.Key{{Column: 2}}, Gather: []int{0, 2}},
		{Keys: []keyencode.Key{{Column: 1}, {Column: 2}}, Gather: []int{1, 2, 0}, RowNumbers: 8},
		{Keys: []keyencode.Key{{}}, Gather: []int{0, 1}, Limit: n / 2},
		{Keys: []keyencode.Key{{}}, Gather: []int{2}, Limit: 1000},
	}) {
		job.Rows, job.Columns, job.Threads = n, columns, 1
		for _, e := range ways {
			requireNoLateAllocation(t, e, &job)
		}
	}
}

func requireNoLateAllocation(t *testing.T, e engine.Engine, job *engine.Job) {
	t.Helper()
	for allocation := 1; ; allocation++ {
		ctx, cancel := context.WithCancel(t.Context())
		mem := &cancelling{meter: newMeter(t), n: allocation, cancel: cancel}
		res, err := e.Sort(ctx, job, mem)
		cancel()
		require.Zero(t, mem.late, "keys %+v: allocations after the context ended in number %d", job.Keys, allocation)
		if err == nil {
			res.Release(mem)
		}
		if mem.n > 0 {
			return
		}
	}
}

// TestCancelledFromOutside cancels calls with several workers at any time: no goroutine and no memory is left.
func TestCancelledFromOutside(t *testing.T) {
	before := runtime.NumGoroutine()
	const n = 300_000
	job := engine.Job{
		Rows: n, Columns: []keyencode.Column{uint64Column(drawn(1, n, uniform))}, Keys: []keyencode.Key{{}},
		RowNumbers: 8, Gather: []int{0}, Threads: 4,
	}
	mem := newMeter(t)
	stopped := 0
	for range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		calls, at := 0, rand.IntN(12)
		job.Progress = func(int, int) {
			if calls++; calls == at {
				cancel()
			}
		}
		res, err := New().Sort(ctx, &job, mem)
		if cancel(); err == nil {
			res.Release(mem)
		} else {
			require.ErrorIs(t, err, context.Canceled)
			stopped++
		}
		require.Zero(t, mem.CurrentAlloc(), "memory that is not back")
	}
	require.Positive(t, stopped, "calls that were cancelled")
	requireGoroutines(t, before)
}
