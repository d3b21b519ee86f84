package workers

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOrderedUsesItemsInOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for _, n := range []int{0, 1, 2, 200} {
			var used []int
			var ahead, most atomic.Int64
			err := Ordered(t.Context(), n, workers, func(i int) (int, error) {
				most.Store(max(most.Load(), ahead.Add(1)))
				time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
				return i, nil
			}, func(i int) error {
				ahead.Add(-1)
				used = append(used, i)
				return nil
			})
			require.NoError(t, err)
			require.Len(t, used, n)
			for i := range used {
				require.Equal(t, i, used[i])
			}
			require.LessOrEqual(t, most.Load(), int64(2*workers+1))
		}
	}
}

func TestOrderedStops(t *testing.T) {
	broken := errors.New("broken")
	make1 := func(i int) (int, error) { return i, nil }
	use := func(int) error { return nil }
	require.ErrorIs(t, Ordered(t.Context(), 50, 3, func(i int) (int, error) {
		if i == 20 {
			return 0, broken
		}
		return i, nil
	}, use), broken)
	require.ErrorIs(t, Ordered(t.Context(), 50, 3, make1, func(i int) error {
		if i == 20 {
			return broken
		}
		return nil
	}), broken)
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, Ordered(ctx, 50, 3, make1, func(i int) error {
		if i == 10 {
			cancel()
		}
		return nil
	}), context.Canceled)
}

func TestSparesAreTakenAgain(t *testing.T) {
	var s Spares[[]int]
	require.Nil(t, s.Take())
	s.Give([]int{1})
	s.Give([]int{2})
	require.Equal(t, []int{2}, s.Take())
	require.Equal(t, []int{1}, s.Take())
	require.Nil(t, s.Take())

	s.Give([]int{3})
	var drained [][]int
	s.Drain(func(value []int) { drained = append(drained, value) })
	require.Equal(t, [][]int{{3}}, drained)
	require.Nil(t, s.Take())
}
