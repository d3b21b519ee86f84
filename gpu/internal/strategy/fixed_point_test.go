package strategy

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFixedPointCodes: the sampled integers have codes, as do those below them by their range, and 16 times as far
// above; two codes remain for NaN and null.
func TestFixedPointCodes(t *testing.T) {
	const origin = 1 << 51 // integers are sampled plus this
	for _, of := range []struct {
		name            string
		least, greatest int64
		bits            int
	}{
		{"one price", 999, 999, 16},
		{"readings", -400, 400, 16},
		{"prices below 100", 0, 9_999, 24},
		{"prices", 20, 250_000, 24},
		{"both signs", -1 << 19, 1 << 19, 32},
		{"as many as may be", -1 << 26, 1<<26 - 1, 32},
	} {
		least, greatest := uint64(origin+of.least), uint64(origin+of.greatest)
		p := NewFixedPoint(2, least, greatest)
		require.Equal(t, 100.0, math.Float64frombits(p.Power), of.name)
		require.Equal(t, of.bits, p.Width, of.name)
		require.Equal(t, uint64(1)<<p.Width-3, p.Last, of.name)
		span := greatest - least
		require.Less(t, p.First, least-span, of.name)
		require.Greater(t, p.First+p.Last, greatest+16*span, of.name)
	}
}
