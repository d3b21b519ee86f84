package command

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu"
)

// told is an engine that answers as it is told.
type told struct {
	name   string
	err    error
	calls  int
	closed chan struct{}
}

func (e *told) Name() string { return e.name }

func (e *told) Sort(context.Context, *engine.Job, engine.Allocator) (*engine.Result, error) {
	e.calls++
	return &engine.Result{}, e.err
}

func TestFallback(t *testing.T) {
	other := errors.New("other")
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "first"}, {other, "first"},
		{fmt.Errorf("a full device: %w", engine.ErrMemory), "second"},
		{fmt.Errorf("it broke: %w", gpu.ErrDevice), "second"},
	} {
		var used string
		first, second := &told{name: "first", err: c.err}, &told{name: "second"}
		f := gpu.WithFallback(first, second, func(engine string) { used = engine })
		_, err := f.Sort(t.Context(), &engine.Job{}, memory.DefaultAllocator)
		require.Equal(t, c.want, used, "%v", c.err)
		require.Equal(t, c.err == other, err != nil)
		require.Equal(t, 1, first.calls)
	}
}

func (e *told) Close() error {
	close(e.closed)
	return nil
}

func (e *told) StageTimes() []gpu.StageTime {
	return []gpu.StageTime{{Device: 0, Stage: "sort"}, {Device: 1, Stage: "sort", Duration: time.Second},
		{Device: 1, Stage: "gather", Duration: 2 * time.Second}}
}

// TestOpenEngine opens a GPU that answers as it is told.
func TestOpenEngine(t *testing.T) {
	before := openGPU
	defer func() { openGPU = before }()
	large := autoRows(1)
	for _, c := range []struct {
		err    error
		goesOn bool
	}{
		{nil, false}, {errors.New("other"), false},
		{fmt.Errorf("none here: %w", gpu.ErrNoDevice), true},
		{fmt.Errorf("an old driver: %w", gpu.ErrDevice), true},
		{fmt.Errorf("others have its memory: %w", engine.ErrMemory), true},
	} {
		openGPU = func(gpu.Options) (gpuEngine, error) { return &told{name: "gpu"}, c.err }
		for _, name := range []string{"auto", "gpu"} {
			used := "cpu"
			l := &gpuOnDemand{engineChoice: engineChoice{name: name}, threads: 1, used: &used}
			e, err := l.open(t.Context(), large)
			switch {
			case c.err == nil:
				require.NoError(t, err)
				require.NotEqual(t, "cpu", e.Name())
				require.Equal(t, "gpu", used)
			case name == "auto" && c.goesOn:
				require.NoError(t, err, "%v", c.err)
				require.Equal(t, "cpu", e.Name())
				require.Equal(t, "cpu", used)
			default:
				require.ErrorIs(t, err, c.err)
				require.ErrorContains(t, err, "--engine "+name)
			}
		}
	}
	openGPU = func(gpu.Options) (gpuEngine, error) { panic("few rows") }
	e, err := (&gpuOnDemand{engineChoice: engineChoice{name: "auto"}, threads: 1}).open(t.Context(), large-1)
	require.NoError(t, err)
	require.Equal(t, "cpu", e.Name())
}

// TestGPUOpensWhileFilesAreRead: Start opens the GPU once, for as many rows as a sort would open it, and does not wait.
func TestGPUOpensWhileFilesAreRead(t *testing.T) {
	before := openGPU
	defer func() { openGPU = before }()
	opens, closed := make(chan struct{}), make(chan struct{})
	openGPU = func(gpu.Options) (gpuEngine, error) {
		opens <- struct{}{}
		return &told{name: "gpu", closed: closed}, nil
	}
	used := "cpu"
	l := &gpuOnDemand{engineChoice: engineChoice{name: "auto"}, threads: 1, used: &used}
	l.Start(-1)
	l.Start(autoRows(1) - 1)
	l.Start(autoRows(1))
	l.Start(autoRows(1))
	require.Nil(t, l.reports(), "no sort has used it")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.open(cancelled, autoRows(1))
	require.ErrorIs(t, err, context.Canceled)
	<-opens
	e, err := l.open(t.Context(), autoRows(1))
	require.NoError(t, err)
	require.Equal(t, "auto", e.Name())
	require.Equal(t, "gpu", used)
	require.NotEmpty(t, l.reports())
	l.Stop()
	<-closed
}

func TestInfoTellsAboutGPUs(t *testing.T) {
	r := cli(t, nil, "info")
	devices, err := gpu.Devices()
	if err != nil {
		require.Contains(t, r.out, "gpu:      none: "+err.Error())
	}
	for _, d := range devices {
		require.Contains(t, r.out, "gpu:      "+d.Name)
	}
}

func TestAutoRows(t *testing.T) {
	for threads := 1; threads < 100; threads++ {
		require.GreaterOrEqual(t, autoRows(threads+1), autoRows(threads), "%d threads", threads)
	}
	for threads, rows := range map[int]float64{2: 14e6, 4: 27e6, 8: 49e6, 16: 86e6} {
		require.InDelta(t, rows, autoRows(threads), rows/50, "%d threads", threads)
	}
}

func TestGPUOptions(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "4": 4, "all": allGPUs} {
		n, err := parseGPUs(text)
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	for _, text := range []string{"0", "-1", "none", ""} {
		_, err := parseGPUs(text)
		require.Error(t, err, text)
	}
	options, err := engineChoice{gpus: 3}.gpuOptions()
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2}, options.Devices)
	options, err = engineChoice{}.gpuOptions()
	require.NoError(t, err)
	require.Empty(t, options.Devices)
}

func TestGPUsNeedAGPU(t *testing.T) {
	err := engineChoice{name: "cpu", gpus: 2}.check()
	require.ErrorContains(t, err, "--gpus")
	require.NoError(t, engineChoice{name: "cpu"}.check())
	require.NoError(t, engineChoice{name: "auto"}.check())
	for _, engine := range []string{"gpu", "auto"} {
		err := engineChoice{name: engine, gpus: 1 << 20}.check()
		require.ErrorIs(t, err, gpu.ErrNoDevice)
	}
}

func TestGPUReports(t *testing.T) {
	require.Nil(t, (&gpuOnDemand{}).reports())
	require.Equal(t, []gpuReport{{0, map[string]float64{"sort": 0}}, {1, map[string]float64{"sort": 1, "gather": 2}}},
		(&gpuOnDemand{device: &told{}}).reports())
}

func TestGPUText(t *testing.T) {
	d := gpu.Device{Number: 1, Name: "H", Compute: "9.0", Memory: 2e9}
	require.Equal(t, "H, compute capability 9.0, 2.0 GB", gpuText(d, 1))
	require.Equal(t, "H, compute capability 9.0, 2.0 GB, number 1, reaches no other", gpuText(d, 2))
	d.Peers = []int{0, 2}
	require.Equal(t, "H, compute capability 9.0, 2.0 GB, number 1, reaches 0, 2", gpuText(d, 3))
}
