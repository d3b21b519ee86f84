//go:build cuda && standin && linux && amd64

package gpu

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// pinnedByDevice reports whether the device reads memory by itself.
func pinnedByDevice(t *testing.T, e *Engine, b []byte) bool {
	s := <-e.turn
	defer func() { e.turn <- s }()
	leave, err := s.Enter()
	require.NoError(t, err)
	defer leave()
	return s.Pinned(b)
}

// TestAllocatorOfALostDevice allocates while the device is lost, while it is reopened and while that is refused.
func TestAllocatorOfALostDevice(t *testing.T) {
	e, err := Open(Options{})
	require.NoError(t, err)
	mem := e.Allocator()
	job := randomJob(goMemory{}, keyencode.Int64, 1000, 1)
	kept := mem.Allocate(1 << 20)
	require.True(t, pinnedByDevice(t, e, kept))
	var group sync.WaitGroup
	var stop atomic.Bool
	for range 4 {
		group.Go(func() {
			for i := 0; !stop.Load(); i++ {
				b := mem.Allocate(32 << (10 + i%4))
				b[0], b[len(b)-1] = 1, 2
				mem.Free(b)
				if i%8 == 0 {
					mem.Trim()
				}
			}
		})
	}
	t.Setenv("ARROWSORT_STANDIN_FAIL", "1")
	for range 20 { // every sort has a separate context, and loses it
		_, err := e.Sort(t.Context(), job, goMemory{})
		require.ErrorIs(t, err, ErrDevice)
	}
	t.Setenv("ARROWSORT_STANDIN_FAIL", "")
	t.Setenv("ARROWSORT_STANDIN_REFUSE", "1")
	_, err = e.Sort(t.Context(), job, goMemory{})
	require.ErrorIs(t, err, ErrDevice)
	require.ErrorContains(t, err, "opening it again")
	without := mem.Allocate(1 << 20)
	without[0] = 1
	t.Setenv("ARROWSORT_STANDIN_REFUSE", "")
	_, err = e.Sort(t.Context(), job, goMemory{})
	require.NoError(t, err)
	for _, b := range [][]byte{kept, without} {
		require.True(t, pinnedByDevice(t, e, b))
	}
	require.NoError(t, e.Close())
	after := mem.Allocate(1 << 20)
	after[0] = 1
	stop.Store(true)
	group.Wait()
	require.NoError(t, e.Close(), "a second time")
}

// TestEveryLaunchFails makes each launch of a sort fail, of a plain key and many columns: the error reports it, nothing
// leaks, and the next sort is correct.
func TestEveryLaunchFails(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	jobs := roomJobs(10_000)
	for _, job := range []*engine.Job{jobs[2], jobs[len(jobs)-1]} {
		want := sortWithEverything(t, job, mem, useEverything)
		failures := 0
		for launch, failed := 1, true; failed; launch++ {
			e, err := Open(Options{})
			require.NoError(t, err)
			useEverything(&e.tuning)
			t.Setenv("ARROWSORT_STANDIN_FAIL", fmt.Sprint(launch))
			got, err := e.Sort(t.Context(), job, mem)
			t.Setenv("ARROWSORT_STANDIN_FAIL", "")
			if failed = err != nil; failed {
				failures++
				require.ErrorIs(t, err, ErrDevice, "launch %d", launch)
				got, err = e.Sort(t.Context(), job, mem)
				require.NoError(t, err, "after launch %d failed", launch)
			}
			require.True(t, reflect.DeepEqual(want, got), "launch %d", launch)
			got.Release(mem)
			require.NoError(t, e.Close())
		}
		require.Greater(t, failures, 20)
		want.Release(mem)
	}
}

// TestCrowdedDevice refuses cooperative launches, as where other processes hold a part of the device: rows are sorted
// another way, and such a launch is not tried again.
func TestCrowdedDevice(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_CAPABILITY", "8") // no clusters, which come first
	t.Setenv("ARROWSORT_STANDIN_CROWDED", "1")
	e := openForTest(t)
	launched := launches(e)
	for _, kind := range []keyencode.Kind{keyencode.Int64, keyencode.Uint32, keyencode.Float64} {
		key := numberKey{kind: kind}
		key.value = draws["uniform"].by(3000, key.bytes(), 1)
		checkNumbers(t, e, "crowded", 3000, key.in(0))
	}
	require.Equal(t, 1, launched["cooperative"])
}
