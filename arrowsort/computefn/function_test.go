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

// shuffled returns an array of pseudo-random integers.
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
	datum := compute.NewDatum(c.array(arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval), `[[],[]]`))
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

func TestUnsupportedDatums(t *testing.T) {
	c := newCaller(t)
	record := compute.NewDatum(c.record(schema("a", arrow.PrimitiveTypes.Int8), `[{"a":1}]`))
	require.ErrorIs(t, c.fail("array_sort_indices", nil, record), arrow.ErrInvalid)
	record.Release()
	for name, opts := range calls {
		require.ErrorIs(t, c.fail(name, opts, compute.NewDatum(int32(1))), arrow.ErrNotImplemented, name)
		require.ErrorIs(t, c.fail(name, opts, compute.EmptyDatum{}), arrow.ErrNotImplemented, name)
		require.ErrorIs(t, c.fail(name, opts, nil), arrow.ErrInvalid, name)
		require.ErrorIs(t, c.fail(name, opts, &compute.ArrayDatum{}), arrow.ErrInvalid, name)
		require.ErrorIs(t, c.fail(name, opts, &compute.ChunkedDatum{}), arrow.ErrInvalid, name)
		if name != "array_sort_indices" {
			require.ErrorIs(t, c.fail(name, opts, &compute.RecordDatum{}), arrow.ErrInvalid, name)
			require.ErrorIs(t, c.fail(name, opts, record), arrow.ErrInvalid, "%s of a released record", name)
		}
		_, err := compute.CallFunction(c.ctx, name, opts)
		require.ErrorIs(t, err, arrow.ErrInvalid, "%s without arguments", name)
	}
}

// TestNilArguments calls every function with each nil that an argument can be.
func TestNilArguments(t *testing.T) {
	registry := compute.NewRegistry()
	require.NoError(t, computefn.Register(registry))
	good := compute.NewDatumWithoutOwning(array.NewNull(1))
	options := map[string]compute.FunctionOptions{"partition_nth_indices": computefn.PartitionNthOptions{},
		"select_k_unstable": computefn.SelectKOptions{SortKeys: []computefn.SortKey{{}}}}
	var noContext context.Context
	for _, name := range names {
		fn, _ := registry.GetFunction(name)
		for _, none := range []compute.Datum{nil, (*compute.ArrayDatum)(nil), (*compute.ChunkedDatum)(nil),
			(*compute.RecordDatum)(nil), (*compute.TableDatum)(nil), (*compute.ScalarDatum)(nil), &compute.ArrayDatum{},
			&compute.ChunkedDatum{}} {
			args := []compute.Datum{none, good}[:fn.Arity().NArgs]
			_, err := fn.Execute(t.Context(), options[name], args...)
			require.ErrorIs(t, err, arrow.ErrInvalid, "%s of %T", name, none)
		}
		_, err := fn.Execute(noContext, options[name], []compute.Datum{good, good}[:fn.Arity().NArgs]...)
		require.ErrorIs(t, err, arrow.ErrInvalid, name)
	}
}
