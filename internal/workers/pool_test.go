package workers

import (
	"context"
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

// TestPoolWith: another number of workers adds to the same steps, and ends with the same context.
func TestPoolWith(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	last := 0
	p := NewPool(ctx, 1, 5, func(done, _ int) { last = done })
	q := p.With(3)
	require.Equal(t, []int{1, 3}, []int{p.Threads, q.Threads})
	p.Advance(2)
	q.Advance(2)
	require.Equal(t, 4, last)
	cancel()
	require.True(t, p.Stopped() && q.Stopped())
	require.ErrorIs(t, q.Run(1, func(int, int) { t.Error("a task of a pool that has ended") }), context.Canceled)
}
