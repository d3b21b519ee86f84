//go:build cuda && linux && amd64

package gpu

import (
	"context"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/keyencode"
)

// useSmallSlots has the staging memory come around many times.
func useSmallSlots(t *tuning.Table) {
	t.SlotBytes = 160 << 10 // copies of this size are made in the background
}

// TestStaging sorts columns of many slots, from and to ordinary memory, with row numbers that are widened on their way,
// by all threads and by one, and gives up at any moment.
func TestStaging(t *testing.T) {
	e := openForTest(t, useSmallSlots, useStreams)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	job := randomJob(mem, keyencode.Int64, 300_001, 3)
	defer func() {
		for _, c := range job.Columns {
			mem.Free(c.Chunks[0].Values)
		}
	}()
	job.Gather, job.RowNumbers, job.Threads = []int{2, 0, 1}, 8, 1
	want, err := e.Sort(t.Context(), job, mem)
	require.NoError(t, err)
	defer want.Release(mem)
	for _, threads := range []int{0, 2, 5} {
		job.Threads = threads
		got, err := e.Sort(t.Context(), job, mem)
		require.NoError(t, err)
		require.Equal(t, want, got, "%d threads", threads)
		got.Release(mem)
	}
	for wait := 50 * time.Microsecond; wait < 100*time.Millisecond; wait = wait * 5 / 3 {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		got, err := e.Sort(ctx, job, mem)
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			continue
		}
		require.Equal(t, want, got)
		got.Release(mem)
	}
}
