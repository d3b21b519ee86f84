package testrun

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLong(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true, "yes": true} {
		t.Setenv("ARROWSORT_LONG", value)
		require.Equal(t, want, Long(), "%q", value)
	}
}

func TestSeed(t *testing.T) {
	t.Setenv("ARROWSORT_SEED", "")
	require.Zero(t, Seed())
	t.Setenv("ARROWSORT_SEED", "18446744073709551615")
	require.Equal(t, uint64(1<<64-1), Seed())
	t.Setenv("ARROWSORT_SEED", "-1")
	require.PanicsWithValue(t, `ARROWSORT_SEED is "-1", not a decimal number`, func() { Seed() })
}
