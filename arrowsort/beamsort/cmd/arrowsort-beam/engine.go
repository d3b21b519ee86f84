package main

import (
	"context"
	"errors"

	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/gpu"
)

func init() {
	beamsort.RegisterEngine("gpu", func() (engine.Engine, error) { return openGPU() })
	beamsort.RegisterEngine("auto", openAuto)
}

// openGPU opens the first GPU of a worker. Tests change it.
var openGPU = func() (engine.Engine, error) {
	e, err := gpu.Open(gpu.Options{})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// openAuto is a GPU, if there is one that works, else the CPU.
func openAuto() (engine.Engine, error) {
	device, err := openGPU()
	switch {
	case err == nil:
		return &fallback{device, cpu.New()}, nil
	case isWithoutGPU(err):
		return cpu.New(), nil
	}
	return nil, err
}

// isWithoutGPU reports whether an error is that there is no GPU, or that it does not work, or that its memory is full.
func isWithoutGPU(err error) bool {
	return errors.Is(err, gpu.ErrNoDevice) || errors.Is(err, gpu.ErrDevice) || errors.Is(err, engine.ErrMemory)
}

// A fallback sorts on the second engine what the first one has no memory for, or fails at.
type fallback struct{ first, second engine.Engine }

func (f *fallback) Name() string { return "auto" }

func (f *fallback) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	result, err := f.first.Sort(ctx, job, mem)
	if isWithoutGPU(err) {
		return f.second.Sort(ctx, job, mem)
	}
	return result, err
}
