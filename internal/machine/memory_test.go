package machine

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryIsPlausible(t *testing.T) {
	n := Memory()
	require.Positive(t, n)
	require.Less(t, n, int64(1)<<50)
}

func TestMemoryFollowsTheLimitOfTheRuntime(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	require.LessOrEqual(t, Memory(), int64(1)<<30)
}

func TestMemoryWithoutLimit(t *testing.T) {
	require.EqualValues(t, math.MaxInt64, noLimit)
}
