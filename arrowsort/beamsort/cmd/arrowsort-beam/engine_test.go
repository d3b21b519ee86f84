package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/gpu"
)

// A failing engine returns an error.
type failing struct{ err error }

func (failing) Name() string { return "failing" }

func (f failing) Sort(context.Context, *engine.Job, engine.Allocator) (*engine.Result, error) {
	return nil, f.err
}

// TestAutoIsTheCPUWithoutAGPU, be it that there is none or that it fails at a sort; other errors are errors.
func TestAutoIsTheCPUWithoutAGPU(t *testing.T) {
	before := openGPU
	defer func() { openGPU = before }()
	other := errors.New("other")
	for err, want := range map[error]error{
		gpu.ErrNoDevice: nil, gpu.ErrDevice: nil, engine.ErrMemory: nil, other: other,
	} {
		openGPU = func() (engine.Engine, error) { return nil, err }
		e, got := openAuto()
		require.ErrorIs(t, got, want)
		if want == nil {
			require.Equal(t, cpu.New(), e)
		}
		openGPU = func() (engine.Engine, error) { return failing{err}, nil }
		e, got = openAuto()
		require.NoError(t, got)
		_, got = e.Sort(t.Context(), &engine.Job{}, nil)
		require.ErrorIs(t, got, want)
	}
}
