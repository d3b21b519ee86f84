//go:build cuda && standin && linux && amd64

package gpu

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// These tests need the stand-in for the driver, which has several devices and fails on request.

// withJob calls use in the library's context with a job of one int64 key, which can be sorted.
func (l *library) withJob(t *testing.T, rows int, use func(job *DeviceJob)) {
	t.Helper()
	require.NoError(t, l.Do(func() error {
		defer l.free(t)
		values := l.put(t, randomNumbers(rows), 0)
		use(&DeviceJob{Rows: rows, RowNumbers: 4, Stream: uintptr(l.stream.Handle()),
			Keys:    []keyencode.Key{{Name: "delay"}},
			Columns: []DeviceColumn{{Kind: keyencode.Int64, Values: values}}})
		return l.stream.Wait()
	}))
}

// randomNumbers are values of 8 bytes.
func randomNumbers(rows int) []byte {
	values := make([]byte, 8*rows)
	fill(values, 1)
	return values
}

// TestDeviceArrayErrors refuses what cannot be sorted before any work, by an error that names it. The same job without
// the fault is sorted afterwards.
func TestDeviceArrayErrors(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_DEVICES", "2")
	e, other := openOnDeviceArrays(t), openLibrary(t, 1)
	separate, err := driver.NewContext(0, false)
	require.NoError(t, err)
	defer separate.Close()
	l := e.library
	memoryOf := func(c *driver.Context) (p driver.Ptr, stream *driver.Stream) {
		require.NoError(t, c.Do(func() error {
			p, err = c.Alloc(800)
			require.NoError(t, err)
			stream, err = c.NewStream()
			return err
		}))
		return p, stream
	}
	elsewhere, _ := memoryOf(other.Context)
	foreign, foreignStream := memoryOf(separate)
	host := e.Allocator().Allocate(1 << 20)
	defer e.Allocator().Free(host)
	require.NoError(t, l.Do(func() error { // the pinned memory of the library is memory of the host
		host, err = l.NewPinned(800)
		return err
	}))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	column := func(change func(c *DeviceColumn)) func(*DeviceJob) {
		return func(job *DeviceJob) { change(&job.Columns[0]) }
	}
	for name, c := range map[string]struct {
		spoil func(job *DeviceJob)
		is    error
		text  string
	}{
		"no address": {column(func(c *DeviceColumn) { c.Values = 0 }), ErrDeviceArray,
			`key "delay": gpu: invalid device array: the address of the values is 0`},
		"unknown": {column(func(c *DeviceColumn) { c.Values = 64 }), ErrDeviceArray,
			`key "delay": gpu: invalid device array: the values at 0x40: the driver knows no memory there`},
		"too long": {func(job *DeviceJob) { job.Rows = 1 << 20 }, ErrDeviceArray, "the driver knows no memory there"},
		"an offset beyond": {column(func(c *DeviceColumn) { c.Offset = math.MaxInt32 }), ErrDeviceArray,
			"the driver knows no memory there"},
		"host": {column(func(c *DeviceColumn) { c.Values = addressOf(host) }), ErrDeviceArray,
			"this is memory of the host"},
		"another device": {column(func(c *DeviceColumn) { c.Values = uint64(elsewhere) }), ErrDeviceArray,
			"this is memory of device 1, the engine's is device 0"},
		"another context": {column(func(c *DeviceColumn) { c.Values = uint64(foreign) }), ErrDeviceArray,
			"this is memory of another context than the primary one"},
		"validity": {column(func(c *DeviceColumn) { c.Validity = 8 }), ErrDeviceArray,
			`key "delay": gpu: invalid device array: the validity bitmap at 0x8`},
		"out": {func(job *DeviceJob) { job.Out = uint64(elsewhere) }, ErrDeviceArray, "the result at "},
		"out that is a column": {func(job *DeviceJob) { job.Out = job.Columns[0].Values + 399 }, ErrDeviceArray,
			"the row numbers would overwrite this memory"},
		"the stream of another context": {func(job *DeviceJob) { job.Stream = uintptr(foreignStream.Handle()) },
			ErrDeviceArray, "or the event, is not one of the primary context of device 0"},
		"the stream of the thread": {func(job *DeviceJob) { job.Stream = 2 }, ErrDeviceArray,
			"stream 2 is that of the calling thread"},
		"no event":          {func(job *DeviceJob) { job.Event = 64 }, ErrDeviceArray, "or the event, is not one of"},
		"a negative offset": {column(func(c *DeviceColumn) { c.Offset = -1 }), ErrDeviceArray, "the offset is -1"},
		"a negative limit":  {func(job *DeviceJob) { job.Limit = -1 }, ErrDeviceArray, "the limit is -1"},
		"row numbers":       {func(job *DeviceJob) { job.RowNumbers = 2 }, ErrDeviceArray, "4 and 8 are possible"},
		"rows":              {func(job *DeviceJob) { job.Rows = 1 << 32 }, engine.ErrRows, "at most 4294967295"},
		"no rows":           {func(job *DeviceJob) { job.Rows = -1 }, engine.ErrRows, "-1"},
		"a key": {func(job *DeviceJob) { job.Keys[0].Column = 1 }, keyencode.ErrColumn,
			`key "delay": keyencode: invalid column: column 1 of 1`},
		"a column": {func(job *DeviceJob) { job.Gather = []int{-1} }, keyencode.ErrColumn, "column -1 of 1"},
		"strings that are no key": {func(job *DeviceJob) {
			job.Gather = []int{1}
			job.Columns = append(job.Columns, DeviceColumn{Kind: keyencode.Binary, Values: 64})
		}, engine.ErrKind, "column 1: engine: unsupported kind of column: strings"},
		"a column of the host": {func(job *DeviceJob) {
			job.Gather = []int{1}
			job.Columns = append(job.Columns, DeviceColumn{Kind: keyencode.Int8, Values: addressOf(host)})
		}, ErrDeviceArray, "column 1: gpu: invalid device array: the values at "},
		"nothing wanted": {func(job *DeviceJob) { job.RowNumbers = 0 }, ErrDeviceArray,
			"and 0 if columns are gathered"},
		"no row numbers, but memory": {func(job *DeviceJob) {
			job.Gather, job.RowNumbers, job.Out = []int{0}, 0, job.Columns[0].Values
		}, ErrDeviceArray, "no row numbers, for which memory is given"},
		"strings": {column(func(c *DeviceColumn) { c.Kind = keyencode.Binary }), engine.ErrKind,
			`key "delay": engine: unsupported kind of column: strings; sort from host memory`},
		"wide bytes": {column(func(c *DeviceColumn) { c.Kind, c.Width = keyencode.FixedSizeBinary, 9 }),
			engine.ErrKind, "strings; sort from host memory"},
		"no bytes": {column(func(c *DeviceColumn) { c.Kind = keyencode.FixedSizeBinary }), engine.ErrKind,
			"values of 0 bytes"},
		"a dictionary": {column(func(c *DeviceColumn) { c.Kind = keyencode.Dictionary8 }), engine.ErrKind,
			"a dictionary: its entries are ranked on the host"},
		"a kind": {column(func(c *DeviceColumn) { c.Kind = 99 }), engine.ErrKind, "kind 99"},
	} {
		l.withJob(t, 100, func(job *DeviceJob) {
			c.spoil(job)
			_, err := e.ArgsortDevice(t.Context(), job)
			require.ErrorIs(t, err, c.is, name)
			require.ErrorContains(t, err, c.text, name)
			require.NotErrorIs(t, err, ErrDevice, name)
		})
		l.withJob(t, 100, func(job *DeviceJob) {
			_, err := e.ArgsortDevice(cancelled, job)
			require.ErrorIs(t, err, context.Canceled, name)
			rows, err := e.ArgsortDevice(t.Context(), job)
			require.NoError(t, err, name)
			require.NoError(t, rows.Release())
		})
	}
}

// TestCapturedSorts: a stream that is captured takes a sort of one kernel, into memory of the caller, and refuses
// others before any work. python/tests/gpu launches such a graph, and benchmarks/devicearrays does on a GPU.
func TestCapturedSorts(t *testing.T) {
	e := openOnDeviceArrays(t)
	l := e.library
	for text, spoil := range map[string]func(job *DeviceJob){
		"":                              func(job *DeviceJob) {},
		"sorts by several keys, or of":  func(job *DeviceJob) { job.Keys = append(job.Keys, job.Keys[0]) },
		"a limit, or columns that are ": func(job *DeviceJob) { job.Limit = 3 },
		"or columns that are gathered":  func(job *DeviceJob) { job.Gather = []int{0} },
		"need memory of the caller, at": func(job *DeviceJob) { job.Out = 0 },
		"the caller, at a multiple of ": func(job *DeviceJob) { job.Out += 8 },
		"the event was not recorded in": func(job *DeviceJob) { job.Event = 8 },
		"the key has bits, which are c": func(job *DeviceJob) { job.Columns[0].Kind = keyencode.Bool },
		"the key do not begin at a mul": func(job *DeviceJob) { job.Columns[0].Offset, job.Rows = 1, 99 },
		"rows of the key may be null":   func(job *DeviceJob) { job.Columns[0].Validity = job.Out },
		"needs more than one kernel":    func(job *DeviceJob) { job.Columns[0].Kind = keyencode.Null },
		"values at 0x40":                func(job *DeviceJob) { job.Columns[0].Values = 64 },
	} {
		l.withJob(t, 100, func(job *DeviceJob) {
			job.Stream, job.RowNumbers, job.Out = 0, 8, l.put(t, make([]byte, 800), 0)
			spoil(job)
			require.NoError(t, l.stream.Wait())
			free, err := l.FreeMemory()
			require.NoError(t, err)
			t.Setenv("ARROWSORT_STANDIN_CAPTURE", "default")
			rows, err := e.ArgsortDevice(t.Context(), job)
			t.Setenv("ARROWSORT_STANDIN_CAPTURE", "")
			if text == "" {
				require.NoError(t, err)
				require.NoError(t, rows.Release())
				return
			}
			require.ErrorIs(t, err, ErrDeviceArray)
			require.ErrorContains(t, err, text)
			after, err := l.FreeMemory()
			require.NoError(t, err)
			require.Equal(t, free, after, text)
		})
	}
	require.NoError(t, e.Trim(t.Context()))
}

// TestDeviceRowsReleasedInAGraph releases a result while its stream is captured: the memory is used again afterwards.
func TestDeviceRowsReleasedInAGraph(t *testing.T) {
	e := openOnDeviceArrays(t)
	e.library.withJob(t, 100, func(job *DeviceJob) {
		require.NoError(t, e.library.stream.Wait())
		job.Stream = 0
		rows, err := e.ArgsortDevice(t.Context(), job)
		require.NoError(t, err)
		t.Setenv("ARROWSORT_STANDIN_CAPTURE", "default")
		require.NoError(t, rows.Release())
		require.NoError(t, e.Trim(t.Context()))
		s := <-e.turn
		require.Positive(t, s.Pool.Held, "work of the stream may still read the result")
		e.turn <- s
		t.Setenv("ARROWSORT_STANDIN_CAPTURE", "")
		require.NoError(t, e.Trim(t.Context()))
		s = <-e.turn
		require.Zero(t, s.Pool.Held)
		e.turn <- s
	})
}

// TestDeviceArraysNeedThePrimaryContext refuses engines with a separate context, several devices, and closed engines.
func TestDeviceArraysNeedThePrimaryContext(t *testing.T) {
	t.Setenv("ARROWSORT_STANDIN_DEVICES", "2")
	l := openLibrary(t, 0)
	e, err := Open(Options{})
	require.NoError(t, err)
	for closed, want := range []error{ErrDeviceArray, ErrDeviceArray} {
		l.withJob(t, 10, func(job *DeviceJob) {
			_, err := e.ArgsortDevice(t.Context(), job)
			require.ErrorIs(t, err, want, "closed %d", closed)
			require.ErrorContains(t, err, "open it with Options.PrimaryContext")
		})
		require.NoError(t, e.Close())
	}
	_, err = Open(Options{PrimaryContext: true, Devices: []int{0, 1}})
	require.EqualError(t, err, "gpu: Options.PrimaryContext is for one device, not 2: open an engine for each")
	_, err = Open(Options{MemoryLimit: -1})
	require.EqualError(t, err, "gpu: Options.MemoryLimit is -1")
	primary := openOnDeviceArrays(t)
	var rows *DeviceRows
	l.withJob(t, 10, func(job *DeviceJob) {
		rows, err = primary.ArgsortDevice(t.Context(), job)
		require.NoError(t, err)
	})
	require.NoError(t, primary.Close())
	require.NoError(t, rows.Release(), "after Close")
	require.ErrorIs(t, primary.Trim(t.Context()), ErrNoDevice)
	l.withJob(t, 10, func(job *DeviceJob) {
		_, err = primary.ArgsortDevice(t.Context(), job)
		require.ErrorIs(t, err, ErrNoDevice)
	})
}

// TestDeviceArraysOfADeviceThatFails makes each launch fail. In the primary context nothing works until all have
// released it; then it does again.
func TestDeviceArraysOfADeviceThatFails(t *testing.T) {
	failures := 0
	for launch, failed := 1, true; failed; launch++ {
		t.Setenv("ARROWSORT_STANDIN_FAIL", fmt.Sprint(launch))
		e, err := Open(Options{PrimaryContext: true})
		require.NoError(t, err)
		e.tuning.SmallSortRows = 0
		l, err := driver.NewContext(0, true)
		require.NoError(t, err)
		failed = sortsUntilFailure(t, e, &library{Context: l})
		t.Setenv("ARROWSORT_STANDIN_FAIL", "")
		_ = l.Close() // nothing can be freed in a context that has failed
		if failed {
			failures++
			l, err := driver.NewContext(0, true)
			require.NoError(t, err)
			require.False(t, sortsUntilFailure(t, e, &library{Context: l}), "after launch %d has failed", launch)
			require.NoError(t, l.Close())
		}
		require.NoError(t, e.Close())
	}
	require.Greater(t, failures, 3)
}

// sortsUntilFailure sorts twice, since the last kernels run after the first call, and reports whether that failed.
func sortsUntilFailure(t *testing.T, e *Engine, l *library) (failed bool) {
	require.NoError(t, l.Do(func() (err error) {
		l.stream, err = l.NewStream()
		require.NoError(t, err)
		values := l.put(t, randomNumbers(kernels.ClusterRows+1), 0)
		job := &DeviceJob{Rows: kernels.ClusterRows + 1, RowNumbers: 8, Stream: uintptr(l.stream.Handle()),
			Keys: []keyencode.Key{{}}, Gather: []int{0},
			Columns: []DeviceColumn{{Kind: keyencode.Int64, Values: values}}}
		rows, err := e.ArgsortDevice(t.Context(), job)
		if err == nil {
			require.NoError(t, rows.Release())
			t.Setenv("ARROWSORT_STANDIN_FAIL", "")
			if rows, err = e.ArgsortDevice(t.Context(), job); err == nil {
				require.NoError(t, rows.Release())
			}
		}
		if failed = err != nil; failed {
			require.ErrorIs(t, err, ErrDevice)
			require.ErrorContains(t, err, "illegal memory access")
		}
		_ = l.stream.Wait() // it has failed too
		return nil
	}))
	return failed
}
