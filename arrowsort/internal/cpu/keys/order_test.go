package keys

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// TestCheckRun: the row that an error names is counted from the first one of its run.
func TestCheckRun(t *testing.T) {
	numbers := cputest.Drawn(1, 200_000, cputest.Shapes["sorted"])
	numbers[150_000] = 1
	k := measured(t, numbers)
	pool := workers.NewPool(t.Context(), 2, 0, nil)
	require.NoError(t, k.CheckRun(pool, 3, 100_000, 150_000))
	var unsorted *UnsortedError
	require.ErrorAs(t, k.CheckRun(pool, 3, 100_000, 200_000), &unsorted)
	require.Equal(t, UnsortedError{Run: 3, Row: 50_000}, *unsorted)
}

// TestFirstUnsortedIn marks the first row of each group of rows that tie.
func TestFirstUnsortedIn(t *testing.T) {
	numbers := cputest.Drawn(1, 5000, cputest.Shapes["sorted"])
	k := measured(t, numbers)
	starts := make([]uint64, (len(numbers)+63)/64)
	pool := workers.NewPool(t.Context(), 1, 0, nil)
	require.Equal(t, -1, k.FirstUnsortedIn(pool, k.Source(), 0, len(numbers), starts))
	for i := range numbers {
		require.Equal(t, i == 0 || numbers[i] != numbers[i-1], starts[i/64]>>(i%64)&1 == 1, "row %d", i)
	}
}
