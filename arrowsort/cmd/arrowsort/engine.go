package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/gpu"
)

// checkGPU returns why --engine gpu cannot be used, before anything is read.
func checkGPU() error {
	if _, err := gpu.Devices(); err != nil {
		return fmt.Errorf("--engine gpu: %w; use cpu or auto", err)
	}
	return nil
}

// What --engine auto weighs, in nanoseconds: the first sort of a process, by a key and with two more columns of 8 bytes
// in ordinary memory. Measured on an H200 beside 16 cores of a Xeon with 2 to 16 threads (BenchmarkCold in package gpu,
// 2026-11-21).
const (
	gpuStart     = 260e6 // to open a GPU and to get its memory
	gpuRow       = 1.1   // to move a row there and back, fresh memory
	gpuThreadRow = 8.5   // of one thread's work on a row: copies
	cpuRow       = 2.5   // fresh memory
	cpuThreadRow = 40    // of one thread's work on a row
)

// autoRows is the number of rows from which auto takes a GPU instead of a number of threads.
func autoRows(threads int) int64 {
	return int64(gpuStart / (cpuRow - gpuRow + (cpuThreadRow-gpuThreadRow)/float64(threads)))
}

// openGPU opens the first GPU. Tests change it.
var openGPU = func() (gpuEngine, error) { return gpu.Open(gpu.Options{}) }

type gpuEngine interface {
	engine.Engine
	Close() error
}

// isWithoutGPU reports whether an error is that there is no GPU, or that it does not work, or that its memory is full.
func isWithoutGPU(err error) bool {
	return errors.Is(err, gpu.ErrNoDevice) || errors.Is(err, gpu.ErrDevice) || errors.Is(err, engine.ErrMemory)
}

// A lazyEngine opens a GPU for the first sort that is to be done on it: all, or with --engine auto one of many rows.
type lazyEngine struct {
	flags  *jobFlags
	used   *string // the name of the engine that sorted last
	device gpuEngine
	none   bool // auto found no GPU that works
}

func (l *lazyEngine) Name() string { return l.flags.engine }

func (l *lazyEngine) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	e, err := l.open(int64(job.Rows))
	if err != nil {
		return nil, err
	}
	return e.Sort(ctx, job, mem)
}

// open returns the engine for a sort of some rows.
func (l *lazyEngine) open(rows int64) (engine.Engine, error) {
	name := l.flags.engine
	if name == "cpu" || name == "auto" && (l.none || rows < autoRows(l.flags.sortThreads())) {
		return cpu.New(), nil
	}
	if l.device == nil {
		device, err := openGPU()
		switch {
		case err == nil:
			l.device = device
		case name == "auto" && isWithoutGPU(err):
			l.none = true
			return cpu.New(), nil
		default:
			return nil, fmt.Errorf("--engine %s: %w", name, err)
		}
	}
	*l.used = l.device.Name()
	if name == "auto" {
		return &fallback{l.device, cpu.New(), l.used}, nil
	}
	return l.device, nil
}

func (l *lazyEngine) close() {
	if l.device != nil {
		l.device.Close()
	}
}

// sortThreads is how many threads the CPU engine would have.
func (f *jobFlags) sortThreads() int {
	return cmp.Or(f.options.Threads, runtime.GOMAXPROCS(0))
}

// A fallback sorts on the second engine what the first one has no memory for, or fails at.
type fallback struct {
	first, second engine.Engine
	used          *string // the name of the engine that did it
}

func (f *fallback) Name() string { return "auto" }

func (f *fallback) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	*f.used = f.first.Name()
	result, err := f.first.Sort(ctx, job, mem)
	if isWithoutGPU(err) {
		*f.used = f.second.Name()
		return f.second.Sort(ctx, job, mem)
	}
	return result, err
}
