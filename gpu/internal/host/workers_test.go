package host

import (
	"bytes"
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/arrowsort/arrowsort/internal/buffers"
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
		err := NewWorkers(ctx, threads).Tiles(10_000, 1, func(int, int) {
			if done.Add(1) == 5 {
				cancel()
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Less(t, done.Load(), int32(10_000))
		require.PanicsWithValue(t, "broken", func() {
			_ = NewWorkers(t.Context(), threads).Tiles(100, 1, func(item, _ int) {
				if item == 7 {
					panic("broken")
				}
			})
		})
	}
}

func TestCopyAndWiden(t *testing.T) {
	w := NewWorkers(t.Context(), 3)
	for _, n := range []int{0, 1, CopyTile/8 - 1, CopyTile/8 + 1, CopyTile} {
		rows := make([]uint32, n)
		for i := range rows {
			rows[i] = uint32(i) * 2654435761
		}
		same, wide := make([]uint32, n), make([]uint64, n)
		require.NoError(t, w.Copy(buffers.Bytes(same), buffers.Bytes(rows)))
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

// TestBegin copies and widens in the background, several at a time.
func TestBegin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	src, rows := make([]byte, 20*CopyTile+5), make([]uint32, 3*CopyTile+1)
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	for i := range rows {
		rows[i] = r.Uint32()
	}
	for _, threads := range []int{1, 2, 3, 16} {
		w := NewWorkers(t.Context(), threads)
		for _, n := range []int{0, 1, CopyTile, CopyTile + 1, len(src)} {
			dst := make([]byte, n)
			require.NoError(t, w.BeginCopy(dst, src[:n])())
			require.True(t, bytes.Equal(src[:n], dst), "%d bytes, %d threads", n, threads)
		}
		wide, parts := make([]uint64, len(rows)), 4
		var ends []func() error
		for p := range parts {
			lo, hi := len(rows)*p/parts, len(rows)*(p+1)/parts
			ends = append(ends, w.BeginWiden(wide[lo:], rows[lo:hi]))
		}
		for _, end := range ends {
			require.NoError(t, end())
		}
		for i, row := range rows {
			if wide[i] != uint64(row) {
				require.Fail(t, "wrong", "row %d, %d threads", i, threads)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, NewWorkers(ctx, 2).BeginCopy(make([]byte, len(src)), src)(), context.Canceled)
}
