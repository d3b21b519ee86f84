//go:build cuda && linux && amd64

package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu"
)

// open opens the first device. A build with the tag cuda is tested with a device: none fails the test.
func open(t testing.TB) *gpu.Engine {
	e, err := gpu.Open(gpu.Options{})
	require.NoError(t, err, "this test needs a GPU")
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// TestEngine holds the GPU engine to the suite that every engine passes.
func TestEngine(t *testing.T) {
	enginetest.TestEngine(t, func(t testing.TB) engine.Engine { return open(t) })
}
