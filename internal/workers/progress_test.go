package workers

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProgress: sums rise, come from one goroutine at a time, do not pass the total, and the last one is reported.
func TestProgress(t *testing.T) {
	const n = 10_000
	var busy atomic.Bool
	last := 0
	add := Progress(func(done, total int) {
		if busy.Swap(true) || total != n || done < last || done > total {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		runtime.Gosched()
		last = done
		busy.Store(false)
	}, n)
	require.NoError(t, Each(t.Context(), n, 4, func(int) error { add(1); return nil }))
	require.Equal(t, n, last)
	add(5)
	require.Equal(t, n, last)
	Progress(nil, n)(1)
}
