//go:build cuda && devices && linux && amd64

package gpu

import (
	"context"
	"flag"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/multigpu"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// The table of sorts on several GPUs: TestDevicesTable proves and times every row of it, with the bandwidths that bound
// it. benchmarks/devices/run.sh runs it.
var (
	tableDevices = flag.Int("gpus", 2, "number of GPUs")
	tableBits    = flag.Int("bits", 28, "2^bits rows, and four times as many")
	tableRuns    = flag.Int("runs", 5, "runs of which the median is taken")
	tableLarge   = flag.Int64("large", 4_000_000, "bytes of the table of TestDevicesLarge")
	tableBytes   = flag.Int("piece", 256<<20, "bytes of each copy by which bandwidths are measured")
)

// A bench is the engines of a table and the bandwidths of their devices, in bytes per nanosecond.
type bench struct {
	*testing.T
	one, all                 *Engine
	up, down, both, exchange float64
	before                   []StageTime // of the engine of all, when a row began
}

// open opens -gpus GPUs.
func (b *bench) open(t *testing.T) {
	devices := devicesForTest(t, *tableDevices)
	require.Equal(t, *tableDevices, devices, "there are fewer GPUs")
	b.T, b.one, b.all = t, openSharedForTest(t, 1), openSharedForTest(t, devices)
	for _, d := range b.all.Devices() {
		fmt.Printf("device %d: %s, %d bytes, reaches %v\n", d.Number, d.Name, d.Memory, d.Peers)
	}
	fmt.Printf("%d processors, medians of %d runs\n", runtime.GOMAXPROCS(0), *tableRuns)
}

// stages prints what the stages of the first device have taken since the last call, for each of some runs.
func (b *bench) stages(runs int) {
	now := b.all.StageTimes()
	for _, s := range now {
		took := s.Duration
		for _, earlier := range b.before {
			if s.Stage == earlier.Stage && s.Device == earlier.Device {
				took -= earlier.Duration
			}
		}
		if took > 0 && s.Device == 0 {
			fmt.Printf("    %-9s %10.3f ms\n", s.Stage, took.Seconds()*1e3/float64(runs))
		}
	}
	b.before = now
}

func TestDevicesTable(t *testing.T) {
	var b bench
	b.open(t)
	b.measureBandwidths()
	few, many := 1<<*tableBits, 4<<*tableBits
	b.sortTable(few)
	b.sortIndices(many)
	b.sortResident(few)
	b.sortResident(many)
}

// median times some runs after one that allocates.
func (b *bench) median(run func()) time.Duration {
	run()
	b.before = b.all.StageTimes()
	var times []time.Duration
	for range *tableRuns {
		start := time.Now()
		run()
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// report prints a row: what was reached of a bound, and what is asked.
func (b *bench) report(job string, rows int, took, bound time.Duration, asked float64, more string) {
	reached := 100 * float64(bound) / float64(took)
	verdict := "met"
	if reached < asked {
		verdict = "missed"
	}
	fmt.Printf("%-22s %d GPUs %11d rows %10.3f ms, bound %10.3f ms: %5.1f %% of %2.0f %%, %s; %s\n", job, *tableDevices,
		rows, took.Seconds()*1e3, bound.Seconds()*1e3, reached, asked, verdict, more)
	b.stages(*tableRuns)
}

// onAll does work on all devices at the same time, as a stage of a sort.
func (b *bench) onAll(e *Engine, work func(t *multigpu.Team, m *multigpu.Member)) {
	s := <-e.turn
	defer func() { e.turn <- s }()
	t := multigpu.NewTeam(b.Context(), s.Peers, &engine.Job{}, goMemory{}, e.options.ShareRows, &e.times)
	defer t.End()
	require.NoError(b, t.Each("copies", func(m *multigpu.Member) { work(t, m) }))
}

// measureBandwidths copies between pinned memory and all devices, and between all devices.
func (b *bench) measureBandwidths() {
	const copies = 8
	p, bytes := *tableDevices, *tableBytes
	mem := b.all.Allocator()
	pinned := make([][]byte, 2*p)
	for i := range pinned {
		pinned[i] = mem.Allocate(bytes)
		fill(pinned[i], uint64(i))
		defer mem.Free(pinned[i])
	}
	buffers := make([][]driver.Ptr, p)
	times := map[string]time.Duration{}
	var start time.Time
	timed := func(name string, work func(t *multigpu.Team, m *multigpu.Member)) {
		start = time.Now()
		b.onAll(b.all, work)
		times[name] = time.Since(start)
	}
	for range 2 { // the first time allocates
		b.onAll(b.all, func(_ *multigpu.Team, m *multigpu.Member) {
			if buffers[m.Number] == nil {
				for range 2 {
					p, err := m.Context.Alloc(bytes + device.Padding)
					m.Fail(err)
					buffers[m.Number] = append(buffers[m.Number], p)
				}
			}
		})
		timed("up", func(_ *multigpu.Team, m *multigpu.Member) {
			for range copies {
				m.Upload(buffers[m.Number][0], pinned[m.Number])
			}
			m.Wait()
		})
		timed("down", func(_ *multigpu.Team, m *multigpu.Member) {
			for range copies {
				m.Download(pinned[m.Number], buffers[m.Number][0])
			}
			m.Wait()
		})
		timed("both", func(_ *multigpu.Team, m *multigpu.Member) {
			for range copies {
				m.Upload(buffers[m.Number][0], pinned[m.Number])
				m.Down.Download(pinned[p+m.Number], buffers[m.Number][1])
			}
			m.Wait()
			m.Fail(m.Down.Wait())
		})
		timed("exchange", func(t *multigpu.Team, m *multigpu.Member) {
			for range copies {
				for i := 1; i < p; i++ {
					sender := t.Members[(m.Number+i)%p]
					m.CopyFrom(sender, buffers[m.Number][1], buffers[sender.Number][0], bytes)
				}
			}
			m.Wait()
		})
	}
	b.onAll(b.all, func(_ *multigpu.Team, m *multigpu.Member) {
		for _, p := range buffers[m.Number] {
			m.Fail(m.Context.Free(p))
		}
	})
	rate := func(name string, parts int) float64 {
		r := float64(copies*parts*bytes) / float64(times[name])
		fmt.Printf("bandwidth %-8s %7.1f GB/s, %d GPUs together\n", name, r, p)
		return r
	}
	b.up, b.down, b.both = rate("up", p), rate("down", p), rate("both", 2*p)
	b.exchange = rate("exchange", p*max(1, p-1))
}

// lasting is how long bytes take at a rate.
func lasting(bytes int, rate float64) time.Duration { return time.Duration(float64(bytes) / rate) }

// keyedTable is a table of random keys, row numbers, and columns that follow from these. All are gathered.
func keyedTable(ctx context.Context, mem engine.Allocator, rows, columns int) *engine.Job {
	job := randomJob(mem, keyencode.Int64, rows, columns)
	job.Gather = []int{0}
	for c := 1; c < columns; c++ {
		values := buffers.View[uint64](job.Columns[c].Chunks[0].Values)
		_ = host.NewWorkers(ctx, 0).Tiles(rows, 1<<16, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				values[i] = payload(c, uint64(i))
			}
		})
		job.Gather = append(job.Gather, c)
	}
	return job
}

// payload is the value of a column in a row: the first has the row numbers.
func payload(column int, row uint64) uint64 {
	if column == 1 {
		return row
	}
	return mix(row + uint64(column))
}

// proveTable proves a sorted table by its second column, the row numbers.
func (b *bench) proveTable(job *engine.Job, sorted *engine.Result) {
	numbers := buffers.View[uint64](job.Columns[0].Chunks[0].Values)
	order := make([]uint32, job.Rows)
	rows := buffers.View[uint64](sorted.Columns[1].Values)
	var wrong atomic.Int64
	err := host.NewWorkers(b.Context(), 0).Tiles(job.Rows, 1<<16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := rows[i]
			order[i] = uint32(row)
			if row >= uint64(len(numbers)) || buffers.View[uint64](sorted.Columns[0].Values)[i] != numbers[row] {
				wrong.Add(1)
				continue
			}
			for c := 2; c < len(job.Columns); c++ {
				if buffers.View[uint64](sorted.Columns[c].Values)[i] != payload(c, row) {
					wrong.Add(1)
				}
			}
		}
	})
	require.NoError(b, err)
	require.Zero(b, wrong.Load()+prove(order, ordered(numbers)), "rows that are wrong")
}

// ordered returns the numbers that order as the signed keys do.
func ordered(keys []uint64) func(row uint32) uint64 {
	return func(row uint32) uint64 { return keys[row] ^ 1<<63 }
}

// sortTable sorts W, a key and two columns of 8 bytes, from and to pinned memory, on one GPU and on all.
func (b *bench) sortTable(rows int) {
	mem := b.all.Allocator()
	job := keyedTable(b.Context(), mem, rows, 3)
	sort := func(e *Engine) func() {
		return func() {
			res, err := e.Sort(b.Context(), job, mem)
			require.NoError(b, err)
			res.Release(mem)
		}
	}
	res, err := b.all.Sort(b.Context(), job, mem)
	require.NoError(b, err)
	b.proveTable(job, res)
	res.Release(mem)
	one, all := b.median(sort(b.one)), b.median(sort(b.all))
	b.report("W, pinned", rows, all, lasting(2*24*rows, b.both), 85,
		fmt.Sprintf("one GPU %.3f ms, %.2f x", one.Seconds()*1e3, float64(one)/float64(all)))
	for _, c := range job.Columns {
		mem.Free(c.Chunks[0].Values)
	}
	mem.Trim()
}

// sortIndices computes the row numbers of a column in pinned memory.
func (b *bench) sortIndices(rows int) {
	mem := b.all.Allocator()
	job := randomJob(mem, keyencode.Int64, rows, 1)
	job.RowNumbers = 4
	res, err := b.all.Sort(b.Context(), job, mem)
	require.NoError(b, err)
	numbers := buffers.View[uint64](job.Columns[0].Chunks[0].Values)
	require.Zero(b, prove(buffers.View[uint32](res.RowNumbers), ordered(numbers)), "rows that are wrong")
	res.Release(mem)
	took := b.median(func() {
		res, err := b.all.Sort(b.Context(), job, mem)
		require.NoError(b, err)
		res.Release(mem)
	})
	b.report("argsort i64, pinned", rows, took, lasting(12*rows, b.both), 85,
		fmt.Sprintf("8 bytes up, then 4 down: %.3f ms", (lasting(8*rows, b.up)+lasting(4*rows, b.down)).Seconds()*1e3))
	mem.Free(job.Columns[0].Chunks[0].Values)
	mem.Trim()
}

// TestDevicesLarge sorts a table of -large bytes in Go's memory, a key and four columns: with 160 GB it is larger than
// the memory of one GPU. It needs 2.2 times as much memory of the host.
func TestDevicesLarge(t *testing.T) {
	const columns = 5
	var b bench
	b.open(t)
	rows := int(min(*tableLarge/(8*columns), math.MaxUint32))
	job := keyedTable(b.Context(), goMemory{}, rows, columns)
	start := time.Now()
	res, err := b.all.Sort(b.Context(), job, goMemory{})
	require.NoError(b, err)
	took := time.Since(start)
	b.proveTable(job, res)
	fmt.Printf("%-22s %d GPUs %11d rows, %d bytes %10.3f ms: sorted by all of them\n", "larger than one GPU",
		*tableDevices, rows, 8*columns*rows, took.Seconds()*1e3)
	b.stages(1)
}
