//go:build cuda && standin && linux && amd64

package gpu

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/multigpu"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A fault is of one device of several: in every step-th call, and in a short run every third of those.
type fault struct{ device, devices, step int }

var faults = []fault{{1, 3, 1}, {0, 8, 4}, {7, 8, 4}}

// TestDeviceOfSeveralFails makes launches of all stages fail on one device of several: the error names it, nothing
// leaks, and the next sort is correct. A device that copies memory of one that has failed fails, too, and may be
// noticed first: seldom.
func TestDeviceOfSeveralFails(t *testing.T) {
	for _, f := range faults {
		failures, named := f.test(t, "ARROWSORT_STANDIN_FAIL", ErrDevice)
		require.Greater(t, named, failures*3/4, "%d of %d errors name the device of %+v", named, failures, f)
	}
}

// TestDeviceOfSeveralIsFull does the same with memory that one device lacks.
func TestDeviceOfSeveralIsFull(t *testing.T) {
	for _, f := range faults {
		failures, named := f.test(t, "ARROWSORT_STANDIN_SHORT", engine.ErrMemory)
		require.Equal(t, failures, named, "errors that name the device of %+v", f)
	}
}

// test returns the number of faults, and of those whose errors name the device.
func (f fault) test(t *testing.T, variable string, want error) (failures, named int) {
	t.Setenv("ARROWSORT_STANDIN_DEVICES", fmt.Sprint(f.devices))
	t.Setenv("ARROWSORT_STANDIN_FAULTY", fmt.Sprint(f.device))
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	jobs := roomJobs(5_000)
	job := jobs[len(jobs)-1]
	right := sortWithEverything(t, job, mem, useEverything)
	defer right.Release(mem)
	step := f.step * testrun.OneIn(3)
	stages, opening := map[string]bool{}, f.callsOfOpen(t, variable)
	const spared = 60 // calls in a row that the fault comes too late for: then a sort has no further call
	for call, good := 1, 0; good*step < spared; call += step {
		require.Less(t, call, 3000)
		e := openShared(t, f.devices, useEverything)
		e.pretendMemory(0) // so that strings are shared
		t.Setenv(variable, fmt.Sprint(call+opening))
		got, err := e.Sort(t.Context(), job, mem)
		t.Setenv(variable, "")
		if good++; err != nil {
			failures, good = failures+1, 0
			require.ErrorIs(t, err, want, "call %d of %+v", call, f)
			if strings.HasPrefix(err.Error(), fmt.Sprintf("device %d: ", f.device)) {
				named++
			}
			require.Regexp(t, fmt.Sprintf("^device [0-%d]: ", f.devices-1), err.Error(), "call %d of %+v", call, f)
			for _, s := range e.StageTimes() {
				stages[s.Stage] = true
			}
			got, err = e.Sort(t.Context(), job, mem)
			require.NoError(t, err, "after call %d failed, %+v", call, f)
		}
		require.True(t, reflect.DeepEqual(right, got), "call %d of %+v", call, f)
		got.Release(mem)
		require.NoError(t, e.Close())
	}
	require.Subset(t, slices.Collect(maps.Keys(stages)), []string{"measure", "partition", "exchange", "sort", "gather"})
	return failures, named
}

// callsOfOpen is the number of calls that a context has made for memory until its device is open.
func (f fault) callsOfOpen(t *testing.T, variable string) int {
	if variable != "ARROWSORT_STANDIN_SHORT" {
		return 0
	}
	calls := 0
	for {
		t.Setenv(variable, fmt.Sprint(calls+1))
		opened, err := Open(Options{Device: f.device})
		t.Setenv(variable, "")
		if err == nil {
			require.NoError(t, opened.Close())
			return calls
		}
		calls++
	}
}

// TestMemoryOfDevices sorts with devices of which some have less memory than an equal share needs, and with less than
// all have together.
func TestMemoryOfDevices(t *testing.T) {
	const rows = 600_000
	r := rand.New(rand.NewPCG(6, 6))
	job := roomJob([]keyencode.Column{memoryColumn(r, keyencode.Int64, rows, false),
		memoryColumn(r, keyencode.Int64, rows, true)}, []int{0}, []int{0, 1})
	want := sortWithEverything(t, job, goMemory{})
	for _, devices := range []int{3, 8} {
		t.Setenv("ARROWSORT_STANDIN_DEVICES", fmt.Sprint(devices))
		last := devices - 1
		for name, part := range map[string]func(device int) float64{ // of the memory of an equal share
			"equal":       except(0, 1, 1),
			"one smaller": except(1, 0.5, 2),
			"one large":   except(last, float64(devices+3)/2, 0.5),
			"rising":      func(device int) float64 { return 2.1 * float64(device+1) / float64(devices+1) },
			"one full":    except(0, 0.05, 1.2),
		} {
			setMemories(t, job, devices, 6<<20, part)
			e := openShared(t, devices, withoutSmallSorts)
			for range 2 {
				got, err := e.Sort(t.Context(), job, goMemory{})
				require.NoError(t, err, "%d devices, %s", devices, name)
				require.True(t, reflect.DeepEqual(want, got), "%d devices, %s", devices, name)
			}
			require.NoError(t, e.Close())
		}
		setMemories(t, job, devices, 6<<20, except(0, 0.33, 0.33))
		e := openShared(t, devices, withoutSmallSorts)
		_, err := e.Sort(t.Context(), job, goMemory{})
		require.ErrorIs(t, err, engine.ErrMemory)
		require.ErrorContains(t, err, "device ")
		require.NoError(t, e.Close())
	}
}

// TestLimitOnDevices sorts with a limit that is less than a share of each device, of which the first has no memory for
// it.
func TestLimitOnDevices(t *testing.T) {
	const rows, devices = 400_000, 8
	t.Setenv("ARROWSORT_STANDIN_DEVICES", fmt.Sprint(devices))
	r := rand.New(rand.NewPCG(6, 7))
	job := roomJob([]keyencode.Column{memoryColumn(r, keyencode.Int64, rows, false)}, []int{0}, []int{0})
	job.Limit = 40_000
	want := sortWithEverything(t, job, goMemory{})
	for one, parts := range map[int][2]float64{0: {0.1, 1.2}, 7: {0.1, 1.2}, 3: {8, 0.2}} {
		setMemories(t, job, devices, 6<<20, except(one, parts[0], parts[1]))
		e := openShared(t, devices, withoutSmallSorts)
		e.options.ShareRows = rows / devices
		got, err := e.Sort(t.Context(), job, goMemory{})
		require.NoError(t, err, "device %d", one)
		require.True(t, reflect.DeepEqual(want, got), "device %d", one)
		require.NoError(t, e.Close())
	}
}

// TestMemoryTakenFromDevices sorts after others have taken memory of some devices: the first sort fails, the next one
// divides its rows by what is free.
func TestMemoryTakenFromDevices(t *testing.T) {
	const rows, devices = 600_000, 8
	t.Setenv("ARROWSORT_STANDIN_DEVICES", fmt.Sprint(devices))
	r := rand.New(rand.NewPCG(6, 8))
	job := roomJob([]keyencode.Column{memoryColumn(r, keyencode.Int64, rows, false)}, []int{0}, []int{0})
	want := sortWithEverything(t, job, goMemory{})
	e := openSharedForTest(t, devices, withoutSmallSorts)
	setMemories(t, job, devices, 6<<20, func(device int) float64 { return []float64{2, 0.1}[device/3%2] })
	_, err := e.Sort(t.Context(), job, goMemory{})
	require.ErrorIs(t, err, engine.ErrMemory)
	got, err := e.Sort(t.Context(), job, goMemory{})
	require.NoError(t, err)
	require.True(t, reflect.DeepEqual(want, got))
}

// TestRangesFitUnequalMemory divides keys of every distribution among devices of unequal memory: no range is too long
// for the memory of its device.
func TestRangesFitUnequalMemory(t *testing.T) {
	const rows, devices = 200_011, 8
	t.Setenv("ARROWSORT_STANDIN_DEVICES", fmt.Sprint(devices))
	for mode, name := range testrun.Sample(2, slices.Sorted(maps.Keys(draws))) {
		job := drawnJob(name, keyencode.Int64, rows, mode)
		setMemories(t, job, devices, 300<<10, func(device int) float64 { return []float64{1.5, 0.2}[device/3%2] })
		e := openShared(t, devices)
		e.options.ShareRows = max(1, mode%2*rows/devices) // cuts may be less exact where ranges are short
		divided(t, e, job, func(team *multigpu.Team) {
			for _, m := range team.Members {
				bytes := 0
				for _, in := range m.Inboxes {
					bytes += in.Received() * multigpu.BytesOfRow(job)
				}
				require.LessOrEqual(t, bytes, int(m.FreeBytes), "%s, device %d", name, m.Number)
			}
		})
		require.NoError(t, e.Close())
	}
}

// setMemories gives each device a part of what an equal share of a job needs, and of some bytes besides.
func setMemories(t *testing.T, job *engine.Job, devices, besides int, part func(device int) float64) {
	var list []string
	for device := range devices {
		share := multigpu.BytesOfRow(job)*job.Rows/devices + besides
		list = append(list, fmt.Sprint(int(part(device)*float64(share))))
	}
	t.Setenv("ARROWSORT_STANDIN_MEMORY", strings.Join(list, ","))
}

// except returns the parts of one device and of all others.
func except(one int, part, others float64) func(device int) float64 {
	return func(device int) float64 {
		if device == one {
			return part
		}
		return others
	}
}
