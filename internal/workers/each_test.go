package workers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachRunsEveryTaskOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 2, 100} {
			runs := make([]atomic.Int64, n)
			require.NoError(t, Each(t.Context(), n, workers, func(i int) error { runs[i].Add(1); return nil }))
			for i := range runs {
				require.EqualValues(t, 1, runs[i].Load(), "task %d of %d on %d workers", i, n, workers)
			}
		}
	}
}

func TestEachStopsAtAnError(t *testing.T) {
	broken := errors.New("broken")
	for _, workers := range []int{1, 3} {
		var ran atomic.Int64
		err := Each(t.Context(), 1000, workers, func(i int) error {
			if ran.Add(1) == 5 {
				return broken
			}
			return nil
		})
		require.ErrorIs(t, err, broken)
		require.Less(t, ran.Load(), int64(1000))
	}
}

func TestEachStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var ran atomic.Int64
	err := Each(ctx, 1000, 2, func(int) error {
		if ran.Add(1) == 10 {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, ran.Load(), int64(1000))
}
