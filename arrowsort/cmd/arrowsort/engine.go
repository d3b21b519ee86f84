package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/gpu"
)

const engineHelp = "sort with `ENGINE`: cpu, gpu, or auto, a GPU for large tables"

// checkEngine says what is wrong with --engine, before anything is read.
func checkEngine(name string) error {
	switch name {
	case "auto", "cpu":
		return nil
	case "gpu":
		if _, err := gpu.Devices(); err != nil {
			return fmt.Errorf("--engine gpu: %w; use cpu or auto", err)
		}
		return nil
	}
	return usagef("--engine %q: use auto, cpu or gpu", name)
}

// What --engine auto weighs, in nanoseconds: the first sort of a process, by a key and with two more columns of 8 bytes in ordinary memory.
// Measured on an H200 beside 16 cores of a Xeon with 2 to 16 threads (BenchmarkCold in package gpu, 2026-11-21).
const (
	gpuStart     = 260e6 // to open a GPU and to get its memory
	gpuRow       = 1.1   // to move a row there and back, fresh memory
	gpuThreadRow = 8.5   // of one thread's work on a row: copies
	cpuRow       = 2.5   // fresh memory
	cpuThreadRow = 40    // of one thread's work on a row
)

// autoRows is the number of rows from which auto takes a GPU instead of so many threads.
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

// openEngine opens the engine for a sort of so many rows; nil is the processor. close gives it back.
func (j *job) openEngine(rows int64) (e engine.Engine, close func(), err error) {
	none := func() {}
	name := j.flags.engine
	if name == "cpu" || name == "" || name == "auto" && rows < autoRows(j.sortThreads()) {
		return nil, none, nil
	}
	device, err := openGPU()
	switch {
	case err == nil:
	case name == "auto" && isWithoutGPU(err):
		return nil, none, nil
	default:
		return nil, none, fmt.Errorf("--engine %s: %w", name, err)
	}
	j.report.Engine = device.Name()
	e = device
	if name == "auto" {
		e = &fallback{device, cpu.New(), &j.report.Engine}
	}
	return e, func() { device.Close() }, nil
}

// sortThreads is how many threads the CPU engine would have.
func (j *job) sortThreads() int {
	if j.flags.threads > 0 {
		return j.flags.threads
	}
	return runtime.GOMAXPROCS(0)
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
