//go:build cuda && standin && linux && amd64

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/multigpu"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// devicesForTest has the stand-in make some devices, and returns how many there are.
func devicesForTest(t testing.TB, want int) int {
	t.Setenv("ARROWSORT_STANDIN_DEVICES", fmt.Sprint(want))
	return want
}

// TestDevicesApart holds devices that do not reach each other to a part of the suite.
func TestDevicesApart(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_APART", "1")
	for devices, rows := range map[int]int{3: 2000, 8: 300} {
		if devicesForTest(t, devices); devices == 8 && !testrun.Long() { // TestFewRowsOfDevices has them
			continue
		}
		enginetest.TestEngineBelow(t, rows, func(t testing.TB) engine.Engine { return openSharedForTest(t, devices) })
	}
}

// TestSharedJobs compares jobs that take memory in all ways on 2 to 4 devices with one: windows, text, small batches.
func TestSharedJobs(t *testing.T) {
	devices := devicesForTest(t, 4)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	var engines []*Engine
	for n := min(2, devices); n <= devices; n++ {
		engines = append(engines, openSharedForTest(t, n, useEverything))
	}
	for i, job := range roomJobs(7_003) {
		for _, limit := range []int{0, 3_000, 20} {
			job.Limit = limit
			want := sortWithEverything(t, job, mem, useEverything)
			e := engines[i%len(engines)]
			e.pretendMemory(int64(i%2) << 40) // with little memory strings are shared, too
			got, err := e.Sort(t.Context(), job, mem)
			require.NoError(t, err)
			require.True(t, reflect.DeepEqual(want, got), "keys %v, columns %v, limit %d", job.Keys, job.Gather, limit)
			got.Release(mem)
			want.Release(mem)
		}
	}
}

// TestMemoryOfShares sorts with the memory that the documents state, on two devices.
func TestMemoryOfShares(t *testing.T) {
	text, err := os.ReadFile("../docs/gpu.md")
	require.NoError(t, err)
	require.Contains(t, strings.Join(strings.Fields(string(text)), " "), fmt.Sprintf("larger of %d bytes per word of "+
		"the codes and %d bytes, and of 8 bytes and five times the widest column; 6 MiB besides", multigpu.BytesOfWord,
		multigpu.BytesOfRecords))
	require.Equal(t, 5, multigpu.ColumnsOnWay)
	t.Setenv("ARROWSORT_STANDIN_DEVICES", "2")
	rows := 1_000_000
	if !testrun.Long() {
		rows = 300_000
	}
	r := rand.New(rand.NewPCG(6, 6))
	columns := []keyencode.Column{memoryColumn(r, keyencode.Int64, rows, false),
		memoryColumn(r, keyencode.Int64, rows, true), memoryColumn(r, keyencode.Decimal128, rows, false),
		memoryColumn(r, keyencode.Uint32, rows, false), memoryColumn(r, keyencode.Decimal256, rows, true)}
	for _, c := range []struct{ keys, gather []int }{
		{[]int{0}, nil}, {[]int{0}, []int{0, 1}}, {[]int{2}, []int{2}}, {[]int{0, 1}, []int{2}}, {[]int{3}, []int{4}},
		{[]int{4}, nil}, {[]int{3, 4, 0}, []int{1}},
	} {
		job := roomJob(columns, c.keys, c.gather)
		t.Setenv("ARROWSORT_STANDIN_MEMORY", fmt.Sprint(multigpu.BytesOfRow(job)*rows/2+6<<20))
		e := openShared(t, 2, withoutSmallSorts)
		_, err := e.Sort(t.Context(), job, goMemory{})
		require.NoError(t, err, "keys %v, columns %v", c.keys, c.gather)
		require.NoError(t, e.Close())
	}
}

// TestStandinProtectsMemory: a kernel of a device that writes to memory of another, which it does not reach, ends the
// program. It runs in a separate process.
func TestStandinProtectsMemory(t *testing.T) {
	const variable = "ARROWSORT_TEST_TRESPASS"
	if os.Getenv(variable) == "" {
		for _, apart := range []string{"", "1"} {
			c := exec.Command(os.Args[0], "-test.run", "^TestStandinProtectsMemory$")
			c.Env = append(os.Environ(), variable+"=1", "ARROWSORT_STANDIN_DEVICES=2", "ARROWSORT_STANDIN_APART="+apart)
			output, err := c.CombinedOutput()
			if apart == "" {
				require.NoError(t, err, "devices that reach each other: %s", output)
				continue
			}
			require.ErrorAs(t, err, new(*exec.ExitError))
			require.Contains(t, string(output), "SIGSEGV")
		}
		return
	}
	e := openShared(t, 2)
	s := <-e.turn
	allocate := func(s *device.Session) driver.Ptr {
		leave, err := s.Enter()
		require.NoError(t, err)
		defer leave()
		p, err := s.Alloc(4096)
		require.NoError(t, err)
		return p
	}
	own, foreign := allocate(s), allocate(s.Peers[1])
	leave, err := s.Enter()
	require.NoError(t, err)
	defer leave()
	for _, p := range []driver.Ptr{own, foreign} {
		require.NoError(t, s.Streams[0].Launch(false, strategy.KernelNumbers["iota"], 1, []uint64{uint64(p), 100, 0}))
		require.NoError(t, s.Streams[0].Wait())
	}
}

// TestSharedProgress cancels a sort after each of its stages, with a cause that is not the context's error.
func TestSharedProgress(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_DEVICES", "2")
	e := openSharedForTest(t, 2)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	job := randomJob(goMemory{}, keyencode.Int64, 10_000, 2)
	job.Gather, job.RowNumbers = []int{0, 1}, 8
	for last := 1; last <= multigpu.TeamStages; last++ {
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := 0
		job.Progress = func(done, total int) {
			calls++
			require.Equal(t, calls*job.Rows, done)
			require.Equal(t, multigpu.TeamStages*job.Rows, total)
			if calls == last {
				cancel(errors.New("a cause"))
			}
		}
		res, err := e.Sort(ctx, job, mem)
		require.Equal(t, last, calls)
		if last == multigpu.TeamStages {
			require.NoError(t, err)
			res.Release(mem)
		} else {
			require.ErrorIs(t, err, context.Canceled)
		}
		cancel(nil)
	}
}

func TestOpenDevices(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_DEVICES", "3")
	for _, devices := range [][]int{{0, 3}, {-1}, {1, 1}} {
		_, err := Open(Options{Devices: devices})
		require.ErrorIs(t, err, ErrNoDevice)
	}
	e, err := Open(Options{Devices: []int{2, 0}})
	require.NoError(t, err)
	require.Equal(t, 2, e.Device().Number)
	require.Equal(t, []int{0, 1}, e.Device().Peers)
	require.Len(t, e.Devices(), 2)
	require.NoError(t, e.Close())
	t.Setenv("ARROWSORT_STANDIN_APART", "1")
	all, err := Devices()
	require.NoError(t, err)
	for _, d := range all {
		require.Empty(t, d.Peers)
	}
	t.Setenv("ARROWSORT_STANDIN_REFUSE", "1")
	_, err = Open(Options{Devices: []int{0, 1}})
	require.ErrorIs(t, err, ErrDevice)
	require.NotErrorIs(t, err, errors.ErrUnsupported)
}

// TestStageTimes sorts few rows, strings, and rows for several devices.
func TestStageTimes(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_DEVICES", "2")
	e, err := Open(Options{Devices: []int{0, 1}, ShareRows: 1000})
	require.NoError(t, err)
	defer e.Close()
	stages := func() (names []string) {
		for _, s := range e.StageTimes() {
			require.Positive(t, s.Duration)
			names = append(names, fmt.Sprint(s.Device, " ", s.Stage))
		}
		slices.Sort(names)
		return names
	}
	require.Empty(t, stages())
	sort := func(rows int, kind keyencode.Kind) {
		r := rand.New(rand.NewPCG(6, 7))
		columns := []keyencode.Column{memoryColumn(r, keyencode.Int64, rows, false), texts(r, keyencode.Binary, rows)}
		at := 0
		if kind == keyencode.Binary {
			at = 1
		}
		_, err := e.Sort(t.Context(), roomJob(columns, []int{at}, []int{0}), goMemory{})
		require.NoError(t, err)
	}
	sort(1999, keyencode.Int64)
	sort(5000, keyencode.Binary)
	require.Equal(t, []string{"0 sort"}, stages())
	sort(2000, keyencode.Int64)
	require.Equal(t, []string{"0 download", "0 exchange", "0 gather", "0 measure", "0 partition", "0 sort",
		"1 download", "1 exchange", "1 gather", "1 measure", "1 partition", "1 sort"}, stages())
	require.Less(t, e.Thresholds(1)[0].Rows, math.MaxInt)
}
