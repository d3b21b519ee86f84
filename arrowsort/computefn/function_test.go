package computefn_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/computefn"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

// calls are options for every function that sort a column named "a", or an array.
var calls = map[string]compute.FunctionOptions{
	"array_sort_indices": computefn.ArraySortOptions{},
	"sort_indices":       computefn.SortOptions{SortKeys: []computefn.SortKey{by("a", asc)}},
	"sort":               computefn.SortOptions{SortKeys: []computefn.SortKey{by("a", asc)}},
	"is_sorted":          computefn.SortOptions{SortKeys: []computefn.SortKey{by("a", asc)}},
	"select_k_unstable":  computefn.SelectKOptions{K: 1, SortKeys: []computefn.SortKey{by("a", asc)}},
}

func TestCancelled(t *testing.T) {
	c := newCaller(t)
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	c.ctx = ctx
	for name, opts := range calls {
		datum := compute.NewDatum(c.array(arrow.PrimitiveTypes.Int8, `[2, 1]`))
		require.ErrorIs(t, c.fail(name, opts, datum), context.Canceled, name)
		datum.Release()
	}
}

// TestCancelledOnTheWay cancels the context when the engine takes its first memory.
func TestCancelledOnTheWay(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.shuffled(1 << 20))
	defer datum.Release()
	for name, opts := range calls {
		if name == "is_sorted" { // done as soon as it finds a row out of place
			continue
		}
		ctx, cancel := context.WithCancel(c.ctx)
		out, err := compute.CallFunction(compute.WithAllocator(ctx, onAllocate{c.mem, cancel}), name, opts, datum)
		require.ErrorIs(t, err, context.Canceled, name)
		require.Nil(t, out, name)
	}
}

// TestOutOfMemory: an allocator that fails is an error.
func TestOutOfMemory(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.shuffled(1 << 12))
	defer datum.Release()
	full := onAllocate{c.mem, func() { panic("no memory left") }}
	for _, name := range []string{"array_sort_indices", "sort_indices", "sort", "select_k_unstable"} {
		out, err := compute.CallFunction(compute.WithAllocator(c.ctx, full), name, calls[name], datum)
		require.ErrorIs(t, err, engine.ErrMemory, name)
		require.Nil(t, out, name)
	}
}

// TestThreadsOfTheContext: every number of threads gives the same rows.
func TestThreadsOfTheContext(t *testing.T) {
	c := newCaller(t)
	data := c.shuffled(1 << 17)
	want := c.rows("sort_indices", nil, data)
	exec := compute.GetExecCtx(c.ctx)
	for _, threads := range []int{-1, 0, 1, 3} {
		exec.NumParallel = threads
		c.ctx = compute.SetExecCtx(c.ctx, exec)
		require.Equal(t, want, c.rows("sort_indices", nil, data), "%d threads", threads)
	}
}

// onAllocate does something whenever memory is asked for.
type onAllocate struct {
	memory.Allocator
	do func()
}

func (a onAllocate) Allocate(size int) []byte {
	a.do()
	return a.Allocator.Allocate(size)
}

// shuffled is an array of pseudo-random integers.
func (c *caller) shuffled(rows int) arrow.Array {
	builder := array.NewInt64Builder(c.mem)
	defer builder.Release()
	random := rand.New(rand.NewPCG(1, 2))
	for range rows {
		builder.Append(random.Int64())
	}
	arr := builder.NewArray()
	c.Cleanup(arr.Release)
	return arr
}

// TestManyErrors: a kernel's error makes the executor of arrow/go v15 panic now and then; these functions do not use
// it.
func TestManyErrors(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.array(arrow.ListOf(arrow.PrimitiveTypes.Int8), `[[2],[1]]`))
	defer datum.Release()
	for range 4000 {
		for name, opts := range calls {
			out, err := compute.CallFunction(c.ctx, name, opts, datum)
			if err == nil || out != nil {
				t.Fatalf("%s returned %v, %v", name, out, err)
			}
		}
	}
}

// TestConcurrentCalls calls every function on the same data from many goroutines, errors between results.
func TestConcurrentCalls(t *testing.T) {
	c := newCaller(t)
	datum := compute.NewDatum(c.chunked(arrow.PrimitiveTypes.Float64, `[3, null, 1]`, `["NaN", 2, 3]`))
	defer datum.Release()
	want := compute.NewDatum(c.array(arrow.PrimitiveTypes.Uint64, `[2, 4, 0, 5, 3, 1]`))
	defer want.Release()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				for name, opts := range calls {
					out, err := compute.CallFunction(c.ctx, name, opts, datum)
					if !assert.NoError(t, err, name) {
						return
					}
					if name == "sort_indices" || name == "array_sort_indices" {
						assert.True(t, want.Equals(out), "%v", out)
					}
					out.Release()
				}
				_, err := compute.CallFunction(c.ctx, "sort", computefn.ArraySortOptions{}, datum)
				assert.ErrorIs(t, err, arrow.ErrInvalid)
			}
		})
	}
	group.Wait()
}

// TestInputStaysTheCallers: a call releases its own references only, and results outlive their input.
func TestInputStaysTheCallers(t *testing.T) {
	c := newCaller(t)
	chunked := c.chunked(arrow.BinaryTypes.String, `["b", "a"]`, `["a"]`)
	datum := compute.NewDatum(chunked)
	var results []compute.Datum
	for range 3 {
		out, err := compute.CallFunction(c.ctx, "sort", nil, datum)
		require.NoError(t, err)
		results = append(results, out)
	}
	datum.Release()
	require.Equal(t, 3, chunked.Len())
	require.Equal(t, `["b" "a"]`, chunked.Chunk(0).String())
	for _, out := range results {
		require.EqualValues(t, 3, out.Len())
		require.Equal(t, `["a" "a" "b"]`, out.(*compute.ChunkedDatum).Value.Chunk(0).String())
		out.Release()
	}
}
