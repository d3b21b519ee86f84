//go:build cuda && standin && linux && amd64

package gpu_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu"
)

// openDevices opens some of the stand-in's devices, which share tables of two rows and more.
func openDevices(t testing.TB, devices int) *gpu.Engine {
	options := gpu.Options{ShareRows: 1}
	for i := range devices {
		options.Devices = append(options.Devices, i)
	}
	e, err := gpu.Open(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// TestEngineOfDevices holds sorts on 2 to 4 devices to the suite that every engine passes: devices that reach each
// other, and devices that do not.
func TestEngineOfDevices(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_DEVICES", "4")
	for devices := 2; devices <= 4; devices++ {
		t.Run(fmt.Sprint(devices), func(t *testing.T) {
			if devices%2 == 1 {
				t.Setenv("ARROWSORT_STANDIN_APART", "1")
			}
			rows := 200_000
			if testing.Short() {
				rows = 20_000
			}
			enginetest.TestEngineBelow(t, rows, func(t testing.TB) engine.Engine { return openDevices(t, devices) })
		})
	}
}
