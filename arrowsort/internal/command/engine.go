package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/gpu"
)

// An engineChoice is what --engine and --gpus ask for.
type engineChoice struct {
	name string // auto, cpu or gpu; empty where nothing is sorted
	gpus int    // that share a sort; 0: one, or allGPUs
}

// check returns why --engine gpu or --gpus cannot be used, before anything is read.
func (e engineChoice) check() error {
	if e.name == "cpu" && e.gpus != 0 {
		return usagef("--gpus goes with --engine gpu and auto, not with cpu")
	}
	if e.name != "gpu" && e.gpus == 0 {
		return nil
	}
	devices, err := gpu.Devices()
	switch {
	case err != nil && e.name == "gpu":
		return fmt.Errorf("--engine gpu: %w; use cpu or auto", err)
	case err != nil:
		return fmt.Errorf("--gpus %s: %w", e.gpusText(), err)
	case e.gpus > len(devices):
		return fmt.Errorf("--gpus %d: %w: there are %d", e.gpus, gpu.ErrNoDevice, len(devices))
	}
	return nil
}

// gpusText is the value of --gpus.
func (e engineChoice) gpusText() string {
	if e.gpus == allGPUs {
		return "all"
	}
	return strconv.Itoa(e.gpus)
}

// gpuOptions returns the options for the GPUs of --gpus; without it the first GPU.
func (e engineChoice) gpuOptions() (options gpu.Options, err error) {
	n := e.gpus
	if n == allGPUs {
		devices, err := gpu.Devices()
		if err != nil {
			return options, err
		}
		n = len(devices)
	}
	for i := range n {
		options.Devices = append(options.Devices, i)
	}
	return options, nil
}

// What --engine auto weighs, in nanoseconds: a process that sorts a Parquet file by one key, from start to exit.
// Measured on an H100 beside 16 cores of a Xeon (benchmarks/devices/command.py, 2026-11-27): 2 and 16 threads, 15M to
// 200M rows.
const (
	gpuStart     = 400e6 // to open a GPU, to get its memory, and to close it
	gpuRow       = 1.2   // that a row gains on the GPU, whose start overlaps with reading
	gpuThreadRow = 55    // the same, of one thread's work
)

// autoRows returns the number of rows from which auto prefers a GPU to a number of threads.
func autoRows(threads int) int64 {
	return int64(gpuStart / (gpuRow + gpuThreadRow/float64(threads)))
}

// openGPU opens GPUs. Tests change it.
var openGPU = func(options gpu.Options) (gpuEngine, error) { return gpu.Open(options) }

type gpuEngine interface {
	engine.Engine
	StageTimes() []gpu.StageTime
	Close() error
}

// A gpuOnDemand opens a GPU for the first sort that needs it: any sort, or with --engine auto one of many rows. It is
// open until no sort follows, at the latest until the process ends.
type gpuOnDemand struct {
	engineChoice
	threads int     // of the CPU engine
	used    *string // the name of the engine that sorted last
	opening sync.Once
	opened  chan struct{} // closed when the GPU, or the error, is known
	gpu     gpuEngine
	err     error
	device  gpuEngine // the GPU, if it has sorted
}

func (l *gpuOnDemand) Name() string { return l.name }

// Start opens the GPU while rows are read, if they are to be sorted by it.
func (l *gpuOnDemand) Start(rows int64) {
	if !l.wanted(rows) {
		return
	}
	l.opening.Do(func() {
		l.opened = make(chan struct{})
		go func() {
			defer close(l.opened)
			var options gpu.Options
			if options, l.err = l.gpuOptions(); l.err == nil {
				l.gpu, l.err = openGPU(options)
			}
		}()
	})
}

// Stop closes the GPU while the result is written: it takes about 0.1 s, which the end of the process would wait for.
func (l *gpuOnDemand) Stop() {
	if l.device != nil {
		go l.device.Close()
	}
}

// wanted reports whether a GPU is to sort some rows, if there is one.
func (l *gpuOnDemand) wanted(rows int64) bool {
	return l.name == "gpu" || l.name == "auto" && rows >= autoRows(l.threads)
}

func (l *gpuOnDemand) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	e, err := l.open(ctx, int64(job.Rows))
	if err != nil {
		return nil, err
	}
	return e.Sort(ctx, job, mem)
}

// open returns the engine for a sort of some rows.
func (l *gpuOnDemand) open(ctx context.Context, rows int64) (engine.Engine, error) {
	if !l.wanted(rows) {
		return cpu.New(), nil
	}
	l.Start(rows)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.opened:
	}
	switch {
	case l.err == nil:
	case l.name == "auto" && gpu.Unavailable(l.err):
		return cpu.New(), nil
	default:
		return nil, fmt.Errorf("--engine %s: %w", l.name, l.err)
	}
	l.device = l.gpu
	*l.used = l.device.Name()
	if l.name == "auto" {
		return gpu.WithFallback(l.device, cpu.New(), func(engine string) { *l.used = engine }), nil
	}
	return l.device, nil
}

// reports returns the times of the GPUs that have sorted; none for the CPU.
func (l *gpuOnDemand) reports() (all []gpuReport) {
	if l.device == nil {
		return nil
	}
	for _, t := range l.device.StageTimes() {
		i := slices.IndexFunc(all, func(r gpuReport) bool { return r.Device == t.Device })
		if i < 0 {
			i = len(all)
			all = append(all, gpuReport{Device: t.Device, Seconds: map[string]float64{}})
		}
		all[i].Seconds[t.Stage] = t.Duration.Seconds()
	}
	return all
}
