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

func TestShareAndSample(t *testing.T) {
	cases := make([]int, 1000)
	for i := range cases {
		cases[i] = i
	}
	tried := map[int]bool{}
	for _, seed := range []string{"0", "1", "2", "3", "4", "5"} {
		t.Setenv("ARROWSORT_LONG", "")
		t.Setenv("ARROWSORT_FEW", "")
		t.Setenv("ARROWSORT_SEED", seed)
		shared := 0
		for _, c := range cases {
			if Share(5, "case", c) {
				require.True(t, Share(5, "case", c), "the same seed tries the same cases")
				shared++
			}
		}
		require.InDelta(t, 200, shared, 60)
		sampled := Sample(6, cases)
		require.InDelta(t, 1000./6, len(sampled), 1)
		for _, c := range sampled {
			tried[c] = true
		}
		require.Len(t, Sample(6, cases[:1]), 1)
		require.Empty(t, Sample(6, cases[:0]))

		t.Setenv("ARROWSORT_FEW", "1")
		require.InDelta(t, 1000./36, len(Sample(6, cases)), 1)
		require.Equal(t, 20, Count(1000, 120))
		require.Equal(t, 1, Count(1000, 5))
		t.Setenv("ARROWSORT_FEW", "")
		require.Equal(t, 120, Count(1000, 120))

		t.Setenv("ARROWSORT_LONG", "1")
		require.Equal(t, 1000, Count(1000, 120))
		require.True(t, Share(1000, "case"))
		require.Equal(t, cases, Sample(6, cases))
	}
	require.Len(t, tried, 1000, "seeds one after another sample every case")
}
