//go:build cuda && devices && linux && amd64

package gpu

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/multigpu"
)

// A bench is the engine of all devices and their bandwidths, in bytes per nanosecond: of the bus in one direction and
// in both, of copies between devices, and of the host's memory, whose bytes count when they are read and when written.
type bench struct {
	*testing.T
	all                            *Engine
	up, down, both, exchange, host float64
	before                         []StageTime // of the engine, when a row began
}

// open opens -gpus GPUs.
func (b *bench) open(t *testing.T) {
	devices := devicesForTest(t, *tableDevices)
	require.Equal(t, *tableDevices, devices, "there are fewer GPUs")
	b.T, b.all = t, openSharedForTest(t, devices)
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

// onEach times a job on 1, 2, 4 GPUs and so on, at last on all, and prints how these compare.
func (b *bench) onEach(job string, rows int, run func(e *Engine) time.Duration) (all time.Duration) {
	const noise = 1.02 // of medians that are equal
	var times []time.Duration
	for n := 1; ; n = min(2*n, *tableDevices) {
		e := b.all
		if n < *tableDevices {
			e = openShared(b, n)
		}
		took, more := run(e), ""
		if len(times) > 0 {
			best := slices.Min(times)
			more = fmt.Sprintf(", %.2f x one GPU, not slower than fewer: %s", float64(times[0])/float64(took),
				verdict(float64(took) <= noise*float64(best)))
		}
		fmt.Printf("%-22s %d GPUs %11d rows %10.3f ms%s\n", job, n, rows, took.Seconds()*1e3, more)
		if times = append(times, took); n == *tableDevices {
			fastest := slices.Index(times, slices.Min(times))
			fmt.Printf("%-22s fastest on %d GPUs\n", job, min(1<<fastest, n))
			return took
		}
		require.NoError(b, e.Close())
	}
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}

// report prints a row: what was reached of a bound, and what is asked.
func (b *bench) report(job string, rows int, took, bound time.Duration, asked float64, more string) {
	reached := 100 * float64(bound) / float64(took)
	fmt.Printf("%-22s %d GPUs %11d rows %10.3f ms, bound %10.3f ms: %5.1f %% of %2.0f %%, %s; %s\n", job, *tableDevices,
		rows, took.Seconds()*1e3, bound.Seconds()*1e3, reached, asked, verdict(reached >= asked), more)
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

// measureBandwidths copies between pinned memory and all devices, between all devices, and in pinned memory.
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
	workers := host.NewWorkers(b.Context(), 0)
	start = time.Now()
	for range copies {
		for i := range p {
			require.NoError(b, workers.Stream(pinned[i], pinned[p+i]))
		}
	}
	times["host"] = time.Since(start)
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
	b.exchange, b.host = rate("exchange", p*max(1, p-1)), rate("host", 2*p)
}

// through is how long the bus takes for bytes up and as many down, or the host's memory, whichever takes longer.
func (b *bench) through(bytes int) time.Duration {
	return max(lasting(2*bytes, b.both), lasting(2*bytes, b.host))
}

// lasting is how long bytes take at a rate.
func lasting(bytes int, rate float64) time.Duration { return time.Duration(float64(bytes) / rate) }
