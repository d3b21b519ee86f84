//go:build cuda && linux && amd64

package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDevices passes with a device and without: without one the error names what was looked for.
func TestDevices(t *testing.T) {
	devices, err := Devices()
	if err != nil {
		require.ErrorIs(t, err, ErrNoDevice)
		require.Contains(t, err.Error(), "libcuda.so.1")
		return
	}
	require.NotEmpty(t, devices)
	for _, d := range devices {
		require.NotEmpty(t, d.Name)
		require.Positive(t, d.Memory)
		require.Positive(t, d.Multiprocessors)
		require.Positive(t, d.Major)
	}
}
