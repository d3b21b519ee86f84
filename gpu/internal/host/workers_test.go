package host

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTilesCoverEverythingOnce(t *testing.T) {
	for _, threads := range []int{0, 1, 3, 50} {
		for _, n := range []int{0, 1, 9, 10, 11, 1000} {
			seen := make([]atomic.Int32, n)
			err := NewWorkers(t.Context(), threads).Tiles(n, 10, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
			})
			require.NoError(t, err)
			for i := range seen {
				require.EqualValues(t, 1, seen[i].Load(), "%d threads, %d items, item %d", threads, n, i)
			}
		}
	}
}

func TestRunStops(t *testing.T) {
	for _, threads := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var done atomic.Int32
		err := NewWorkers(ctx, threads).Run(10_000, func(int) {
			if done.Add(1) == 5 {
				cancel()
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Less(t, done.Load(), int32(10_000))
		require.PanicsWithValue(t, "as told", func() {
			_ = NewWorkers(t.Context(), threads).Run(100, func(item int) {
				if item == 7 {
					panic("as told")
				}
			})
		})
	}
}

func TestCopyAndWiden(t *testing.T) {
	w := NewWorkers(t.Context(), 3)
	for _, n := range []int{0, 1, copyTile/8 - 1, copyTile/8 + 1, copyTile} {
		rows := make([]uint32, n)
		for i := range rows {
			rows[i] = uint32(i) * 2654435761
		}
		same, wide := make([]uint32, n), make([]uint64, n)
		require.NoError(t, w.Copy(BytesOf(same), BytesOf(rows)))
		require.NoError(t, w.Widen(wide, rows))
		require.Equal(t, rows, same)
		for i := range wide {
			require.EqualValues(t, rows[i], wide[i])
		}
	}
}

func TestTouch(t *testing.T) {
	fresh := make([]byte, 3*touchTile+5)
	require.NoError(t, NewWorkers(t.Context(), 2).Touch(fresh))
	require.NoError(t, NewWorkers(t.Context(), 2).Touch(nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, NewWorkers(ctx, 2).Touch(fresh), context.Canceled)
}
