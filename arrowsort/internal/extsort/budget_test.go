package extsort

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The arrays of a batch of every run that is merged take at most a sixteenth of the budget, or two runs are merged.
func TestFanInOfManyColumns(t *testing.T) {
	for _, total := range []int64{MinMemory, 64 << 20, 1 << 30, maxMemory} {
		b := Budget{Total: total, All: total}
		last := math.MaxInt
		for _, columns := range []int{0, 1, 16, 100, 300, 20_000, math.MaxInt32} {
			fan := b.FanIn(columns)
			require.LessOrEqual(t, fan, last, "%d columns", columns)
			require.GreaterOrEqual(t, fan, 2)
			require.True(t, fan == 2 || int64(fan)*int64(columns)*2*batchColumn <= total/16, "%d columns", columns)
			last = fan
		}
		require.Equal(t, 64, b.FanIn(1))
	}
}
