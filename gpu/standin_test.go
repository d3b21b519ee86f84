//go:build cuda && standin && linux && amd64

package gpu_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// These tests need the stand-in for the driver, which fails on request.

// job has two keys, one of them of strings, and gathers everything.
func job(rows int) *engine.Job {
	r := rand.New(rand.NewPCG(1, uint64(rows)))
	number := keyencode.Column{Kind: keyencode.Int64,
		Chunks: []keyencode.Chunk{{Rows: rows, Validity: make([]byte, (rows+7)/8)}}}
	text := keyencode.Column{Kind: keyencode.LargeBinary,
		Chunks: []keyencode.Chunk{{Rows: rows, Values: make([]byte, 8)}}}
	var data strings.Builder
	for i := range rows {
		number.Chunks[0].Values = append(number.Chunks[0].Values, byte(r.Uint32()), 0, 0, 0, 0, 0, 0, byte(r.Uint32()))
		number.Chunks[0].Validity[i/8] |= byte(r.Uint32N(2) << (i % 8))
		fmt.Fprintf(&data, "the same beginning %d", r.IntN(rows))
		end := make([]byte, 8)
		for k := range end {
			end[k] = byte(data.Len() >> (8 * k))
		}
		text.Chunks[0].Values = append(text.Chunks[0].Values, end...)
	}
	text.Chunks[0].Data = [][]byte{[]byte(data.String())}
	return &engine.Job{
		Rows: rows, Columns: []keyencode.Column{number, text}, Gather: []int{0, 1}, RowNumbers: 4,
		Keys: []keyencode.Key{{Column: 0, Name: "number"}, {Column: 1, Name: "text", Order: keyencode.Descending}},
	}
}

// TestDeviceFails makes each launch fail: the error reports it, nothing leaks, and the next sort is correct.
func TestDeviceFails(t *testing.T) {
	e := open(t)
	small := job(kernels.ClusterRows + 1)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	want, err := e.Sort(t.Context(), small, mem)
	require.NoError(t, err)
	defer want.Release(mem)
	held := e.Allocator().Allocate(1 << 20) // outlives the device
	held[0] = 1
	failures := 0
	for launch := 1; ; launch++ {
		require.Less(t, launch, 1000)
		t.Setenv("ARROWSORT_STANDIN_FAIL", fmt.Sprint(launch))
		e := open(t)
		res, err := e.Sort(t.Context(), small, mem)
		t.Setenv("ARROWSORT_STANDIN_FAIL", "")
		if err != nil {
			failures++
			require.ErrorIs(t, err, gpu.ErrDevice, "launch %d", launch)
			require.Contains(t, err.Error(), "illegal memory access")
		}
		got, again := e.Sort(t.Context(), small, mem)
		require.NoError(t, again, "after launch %d failed", launch)
		require.Equal(t, want.RowNumbers, got.RowNumbers)
		require.Equal(t, want.Columns, got.Columns)
		got.Release(mem)
		if err == nil {
			res.Release(mem)
			break
		}
	}
	require.Greater(t, failures, 5)
	e.Allocator().Free(held)
}

// TestDeviceIsFull sorts with less and less memory until it is too little.
func TestDeviceIsFull(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	large, small := job(100_000), job(1000)
	for bytes := 64 << 20; bytes >= 1<<20; bytes /= 2 {
		t.Setenv("ARROWSORT_STANDIN_MEMORY", fmt.Sprint(bytes))
		e, err := gpu.Open(gpu.Options{})
		require.NoError(t, err)
		for range 2 {
			res, err := e.Sort(t.Context(), large, mem)
			switch {
			case err == nil:
				require.Greater(t, bytes, 1<<20)
				res.Release(mem)
			default:
				require.Less(t, bytes, 64<<20)
				require.ErrorIs(t, err, engine.ErrMemory)
				require.NotErrorIs(t, err, gpu.ErrDevice)
				require.Regexp(t, `the sort needs at least \d+ bytes, of which it has \d+: `+
					`stand-in has \d+, of which \d+ are free`, err.Error())
			}
			res, err = e.Sort(t.Context(), small, mem)
			require.NoError(t, err, "a small sort fits into %d bytes", bytes)
			res.Release(mem)
		}
		require.NoError(t, e.Close())
	}
}

// TestDeviceWithoutClusters sorts what a cluster sorts elsewhere.
func TestDeviceWithoutClusters(t *testing.T) {
	number := job(10_000)
	number.Keys, number.Gather = number.Keys[:1], []int{0}
	want, err := open(t).Sort(t.Context(), number, memory.DefaultAllocator)
	require.NoError(t, err)
	t.Setenv("ARROWSORT_STANDIN_CAPABILITY", "8")
	e := open(t)
	require.Equal(t, "8.0", e.Device().Compute)
	got, err := e.Sort(t.Context(), number, memory.DefaultAllocator)
	require.NoError(t, err)
	require.Equal(t, want.RowNumbers, got.RowNumbers)
}

// TestGrid sorts rows by keys that a grid sorts and by some that the stand-in's grid declines, as those with many rows
// of the same value, as a cluster does.
func TestGrid(t *testing.T) {
	clusters := open(t)
	t.Setenv("ARROWSORT_STANDIN_CAPABILITY", "8")
	e := open(t)
	for i, kind := range []keyencode.Kind{keyencode.Uint8, keyencode.Uint32, keyencode.Int32, keyencode.Float32,
		keyencode.Int64, keyencode.Float64} {
		for _, frequent := range []bool{false, true} {
			for _, keys := range []int{1, 2} {
				order, nulls := keyencode.Order(i%2), keyencode.NullPlacement(i/2%2)
				j := &engine.Job{Rows: 13_288 + i, RowNumbers: 4}
				for k := range keys {
					j.Columns = append(j.Columns, numbers(kind, j.Rows, frequent, keys == 1 && i%3 != 0))
					j.Keys = append(j.Keys, keyencode.Key{Column: k, Order: order, Nulls: nulls})
				}
				want, err := clusters.Sort(t.Context(), j, memory.DefaultAllocator)
				require.NoError(t, err)
				for range 2 { // what the first leaves must do for the second
					got, err := e.Sort(t.Context(), j, memory.DefaultAllocator)
					require.NoError(t, err)
					require.Equal(t, want.RowNumbers, got.RowNumbers, "kind %d, frequent %t, %d keys", kind, frequent,
						keys)
				}
			}
		}
	}
}

// numbers is a column of random bytes, with a frequent value where that is wanted, and nulls.
func numbers(kind keyencode.Kind, rows int, frequent, nulls bool) keyencode.Column {
	r := rand.New(rand.NewPCG(uint64(kind), uint64(rows)))
	width := map[keyencode.Kind]int{keyencode.Uint8: 1, keyencode.Uint32: 4, keyencode.Int32: 4, keyencode.Float32: 4,
		keyencode.Int64: 8, keyencode.Float64: 8}[kind]
	chunk := keyencode.Chunk{Rows: rows}
	for range rows {
		value := r.Uint64()
		if frequent && value%3 == 0 {
			value = 77
		}
		for k := range width {
			chunk.Values = append(chunk.Values, byte(value>>(8*k)))
		}
	}
	if nulls {
		chunk.Validity = make([]byte, (rows+7)/8)
		for i := range chunk.Validity {
			chunk.Validity[i] = byte(r.Uint32() | r.Uint32())
		}
	}
	return keyencode.Column{Kind: kind, Chunks: []keyencode.Chunk{chunk}}
}

func TestOpenAndClose(t *testing.T) {
	_, err := gpu.Open(gpu.Options{Device: 7})
	require.ErrorIs(t, err, gpu.ErrNoDevice)
	require.Contains(t, err.Error(), "device 7")
	e, err := gpu.Open(gpu.Options{})
	require.NoError(t, err)
	require.Equal(t, "gpu", e.Name())
	require.Equal(t, "stand-in", e.Device().Name)
	require.NoError(t, e.Close())
	_, err = e.Sort(t.Context(), job(10), memory.DefaultAllocator)
	require.ErrorIs(t, err, gpu.ErrNoDevice)
}
