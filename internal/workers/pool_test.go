package workers

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTiles: tiles cover all rows, and are full but for the last.
func TestTiles(t *testing.T) {
	for _, c := range []struct{ n, rows int }{{0, 10}, {1, 10}, {9, 10}, {10, 10}, {11, 10}, {999, 10}, {7, 1}} {
		seen := make([]atomic.Int32, c.n)
		require.NoError(t, NewPool(t.Context(), 3, 0, nil).Tiles(c.n, c.rows, func(_, lo, hi int) {
			if lo%c.rows == 0 && (hi-lo == c.rows || hi == c.n) {
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
			}
		}))
		for i := range seen {
			require.EqualValues(t, 1, seen[i].Load(), "row %d of %d in tiles of %d", i, c.n, c.rows)
		}
	}
}

// TestPoolEnds: a pool adds to one progress, and runs nothing after its context has ended.
func TestPoolEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	last := 0
	p := NewPool(ctx, 3, 5, func(done, _ int) { last = done })
	p.Advance(2)
	p.Advance(2)
	require.Equal(t, 4, last)
	require.False(t, p.Stopped())
	cancel()
	require.True(t, p.Stopped())
	require.ErrorIs(t, p.Run(1, func(int, int) { t.Error("a task of a pool that has ended") }), context.Canceled)
}

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
