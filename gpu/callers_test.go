//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/keyencode"
)

// TestManyCallers sorts from a hundred goroutines, half of which give up while they wait.
func TestManyCallers(t *testing.T) {
	e := openForTest(t)
	for _, rows := range []int{500, 200_000} {
		job := randomJob(goMemory{}, keyencode.Int64, rows, 1)
		job.RowNumbers = 4
		want, err := e.Sort(t.Context(), job, goMemory{})
		require.NoError(t, err)
		var group sync.WaitGroup
		errs := make([]error, 100)
		for i := range errs {
			group.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if i%2 == 1 {
					go cancel()
				}
				res, err := e.Sort(ctx, job, goMemory{})
				if err == nil && !slices.Equal(res.RowNumbers, want.RowNumbers) {
					err = fmt.Errorf("goroutine %d: another order", i)
				}
				errs[i] = err
			})
		}
		group.Wait()
		for i, err := range errs {
			if i%2 == 0 || !errors.Is(err, context.Canceled) {
				require.NoError(t, err)
			}
		}
	}
}
