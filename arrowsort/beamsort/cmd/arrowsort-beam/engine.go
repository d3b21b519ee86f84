package main

import (
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
		return gpu.WithFallback(device, cpu.New(), func(string) {}), nil
	case gpu.Unavailable(err):
		return cpu.New(), nil
	}
	return nil, err
}
