//go:build cuda && !standin && linux && amd64

package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// devicesForTest returns how many devices there are, up to a number.
func devicesForTest(t testing.TB, want int) int {
	all, err := Devices()
	require.NoError(t, err, "this test needs a GPU")
	return min(want, len(all))
}
