//go:build cuda && standin && linux && amd64

package gpu

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// These tests have results on the device live longer than what made them, contexts end at any
// moment of a sort, and other threads capture graphs. They need the stand-in for the driver, which does work late.

// An orderedColumn is a column on the device with its order.
type orderedColumn struct {
	values []uint64
	want   []uint64
	job    DeviceJob
}

// putOrdered puts random numbers on the device.
func (l *library) putOrdered(t *testing.T, rows int, seed uint64) (c orderedColumn) {
	values := make([]byte, 8*rows)
	fill(values, seed)
	c.values = buffers.View[uint64](values)
	for i := range rows {
		c.want = append(c.want, uint64(i))
	}
	slices.SortStableFunc(c.want, func(a, b uint64) int { return cmp.Compare(c.values[a], c.values[b]) })
	c.job = DeviceJob{Rows: rows, RowNumbers: 8, Stream: uintptr(l.stream.Handle()), Keys: []keyencode.Key{{}},
		Columns: []DeviceColumn{{Kind: keyencode.Uint64, Values: l.put(t, values, 0)}}}
	return c
}

// requireRows compares row numbers, which are read in the library's stream.
func (l *library) requireRows(t *testing.T, want []uint64, rows *DeviceRows, what string, arguments ...any) {
	t.Helper()
	if rows.Event != 0 {
		require.NoError(t, l.stream.AfterHandle(rows.Event))
	}
	got := l.get(t, rows.Address, 8*len(want))
	require.NoError(t, l.stream.Wait())
	require.Truef(t, slices.Equal(want, buffers.View[uint64](got)), what, arguments...)
}

// TestDeviceArraysOfContextsThatEnd ends the context at any moment of the call, also after its last check: there is an
// error, or the result is right, and so is that of the next sort, in another stream.
func TestDeviceArraysOfContextsThatEnd(t *testing.T) {
	const rows = 3000
	e, l := openOnDeviceArrays(t), openLibrary(t, 0)
	ended := 0
	require.NoError(t, l.Do(func() error {
		defer l.free(t)
		first, second := l.putOrdered(t, rows, 1), l.putOrdered(t, rows, 2)
		out := l.put(t, make([]byte, 8*rows), 0)
		other, err := l.NewStream()
		require.NoError(t, err)
		second.job.Stream = uintptr(other.Handle())
		for i := range uint64(testrun.Count(1000, 200)) {
			require.NoError(t, l.stream.Wait())
			first.job.Out = out * (i % 2)                         // or memory of the engine
			warm, err := e.ArgsortDevice(t.Context(), &first.job) // so that each call asks as often
			require.NoError(t, err)
			require.NoError(t, warm.Release())
			require.NoError(t, l.stream.Wait())
			ctx := newAskedContext(t.Context(), int(i/2)%20)
			one, err := e.ArgsortDevice(ctx, &first.job)
			if err != nil {
				require.ErrorIs(t, err, context.Canceled)
				continue
			}
			if ctx.left.Load() == 0 {
				ended++
			}
			two, err := e.ArgsortDevice(t.Context(), &second.job)
			require.NoError(t, err)
			require.NoError(t, other.AfterHandle(two.Event))
			require.NoError(t, other.Wait()) // before the library's stream, unless the sort has waited for it
			l.requireRows(t, first.want, one, "sort %d, whose context ends", i)
			l.requireRows(t, second.want, two, "the sort after sort %d", i)
			require.NoError(t, one.Release())
			require.NoError(t, two.Release())
		}
		return l.stream.Wait()
	}))
	require.Positive(t, ended, "sorts whose context ended after the last check")
	require.NoError(t, e.Trim(t.Context()))
	s := <-e.turn
	require.Zero(t, s.Pool.Held, "bytes that the pool holds")
	e.turn <- s
}

// TestDeviceArraysWhileAGraphIsCaptured sorts while another thread captures a graph, which waiting, allocating and
// freeing would spoil.
func TestDeviceArraysWhileAGraphIsCaptured(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_CAPTURE", "elsewhere")
	const rows = kernels.ClusterRows + 1
	for _, primary := range []bool{false, true} {
		e, err := Open(Options{PrimaryContext: primary})
		require.NoError(t, err)
		e.tuning.SmallSortRows = 0
		pinned := e.Allocator().Allocate(8 * rows)
		fill(pinned, 1)
		chunks := []keyencode.Chunk{{Rows: rows, Values: pinned}}
		result, err := e.Sort(t.Context(), &engine.Job{Rows: rows, Keys: []keyencode.Key{{}}, RowNumbers: 4,
			Columns: []keyencode.Column{{Kind: keyencode.Uint64, Chunks: chunks}},
		}, e.Allocator())
		require.NoError(t, err)
		result.Release(e.Allocator())
		e.Allocator().Free(pinned)
		if primary {
			l := openLibrary(t, 0)
			require.NoError(t, l.Do(func() error {
				defer l.free(t)
				c := l.putOrdered(t, rows, 1)
				for range 3 {
					sorted, err := e.ArgsortDevice(t.Context(), &c.job)
					require.NoError(t, err)
					l.requireRows(t, c.want, sorted, "while a graph is captured")
					require.NoError(t, sorted.Release())
				}
				return nil
			}))
			require.NoError(t, e.Trim(t.Context()))
		}
		require.NoError(t, e.Close())
	}
}

// TestDeviceRowsOutliveTheSession holds results while another sort loses the device, and while the engine is closed:
// their memory is freed by Release alone.
func TestDeviceRowsOutliveTheSession(t *testing.T) {
	const rows = 3000
	l := openLibrary(t, 0)
	memory := &countedMemory{Context: l.Context, blocks: map[uint64]int{}, most: 1 << 30, streams: map[uintptr]bool{}}
	for _, options := range []Options{{PrimaryContext: true}, {PrimaryContext: true, Memory: memory}} {
		e, err := Open(options)
		require.NoError(t, err)
		require.NoError(t, l.Do(func() error {
			defer l.free(t)
			c := l.putOrdered(t, rows, 1)
			sort := func() *DeviceRows {
				sorted, err := e.ArgsortDevice(t.Context(), &c.job)
				require.NoError(t, err)
				return sorted
			}
			lost, returned, kept := sort(), sort(), sort()
			require.NoError(t, returned.Release())
			fails := func(*device.Session) error { return ErrDevice }
			require.ErrorIs(t, e.inTurn(t.Context(), fails), ErrDevice)
			l.requireRows(t, c.want, lost, "after another sort has lost the device")
			require.NoError(t, lost.Release())
			again, closed := sort(), sort()
			for _, one := range []*DeviceRows{again, closed, kept} {
				l.requireRows(t, c.want, one, "in a session that was opened again")
			}
			require.NoError(t, again.Release())
			require.NoError(t, e.Close())
			for _, one := range []*DeviceRows{kept, closed} {
				l.requireRows(t, c.want, one, "after Close")
				require.NoError(t, one.Release())
				require.NoError(t, one.Release(), "a second time")
				where, err := l.Where(driver.Ptr(one.Address))
				require.NoError(t, err)
				require.False(t, where.OnDevice, "after Release")
			}
			return nil
		}))
	}
	require.Empty(t, memory.blocks)
	require.Equal(t, memory.given, memory.freed)
}

// TestDeviceRowsReleasedBeforeACapture releases a result that its stream still reads, captures a sort into a graph, and
// sorts in another stream: the memory of the result is not written before it has been read.
func TestDeviceRowsReleasedBeforeACapture(t *testing.T) {
	const rows = 3000
	e, l := openOnDeviceArrays(t), openLibrary(t, 0)
	require.NoError(t, l.Do(func() error {
		defer l.free(t)
		first, second := l.putOrdered(t, rows, 1), l.putOrdered(t, rows, 2)
		captured := first.job
		captured.Stream, captured.RowNumbers, captured.Out = 0, 4, l.put(t, make([]byte, 4*rows), 0)
		other, err := l.NewStream()
		require.NoError(t, err)
		second.job.Stream = uintptr(other.Handle())
		for range 1000 { // the stand-in lets work wait, or not, at random
			sorted, err := e.ArgsortDevice(t.Context(), &first.job)
			require.NoError(t, err)
			got := l.get(t, sorted.Address, 8*rows)
			require.NoError(t, sorted.Release())
			t.Setenv("ARROWSORT_STANDIN_CAPTURE", "default")
			_, err = e.ArgsortDevice(t.Context(), &captured)
			t.Setenv("ARROWSORT_STANDIN_CAPTURE", "")
			require.NoError(t, err)
			sorted, err = e.ArgsortDevice(t.Context(), &second.job)
			require.NoError(t, err)
			require.NoError(t, other.Wait())
			require.NoError(t, l.stream.Wait())
			require.True(t, slices.Equal(first.want, buffers.View[uint64](got)))
			require.NoError(t, sorted.Release())
		}
		return nil
	}))
}
