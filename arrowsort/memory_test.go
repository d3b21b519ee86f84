package arrowsort_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// The ways in which an allocator fails.
const (
	failNil   = "nil"
	failPanic = "panic"
	failShort = "half of the bytes"
)

// An exhausted allocator fails from call number left on.
type exhausted struct {
	memory.Allocator
	left int
	how  string
}

// granted returns the size to allocate instead of the size asked for, -1 for none.
func (e *exhausted) granted(size int) int {
	e.left--
	switch {
	case e.left >= 0:
		return size
	case e.how == failPanic:
		panic("no memory")
	case e.how == failShort:
		return size / 2
	}
	return -1
}

func (e *exhausted) Allocate(size int) []byte {
	if size = e.granted(size); size < 0 {
		return nil
	}
	return e.Allocator.Allocate(size)
}

func (e *exhausted) Reallocate(size int, b []byte) []byte {
	if size = e.granted(size); size < 0 {
		return nil
	}
	return e.Allocator.Reallocate(size, b)
}

// callsOfAllTypes are calls on a record with a column of every type, all sortable ones keys.
func callsOfAllTypes(t *testing.T, mem memory.Allocator) map[string]call {
	rng := rand.New(rand.NewPCG(1, 8))
	var names []string
	var columns []arrow.Array
	for _, typ := range arrowtest.Types() {
		a := arrowtest.RandomSlice(rng, typ, 60, 7, 0.2, mem)
		t.Cleanup(a.Release)
		names, columns = append(names, typ.String()), append(columns, a)
	}
	rec := record(t, names, columns...)
	var keys []arrowsort.Key
	for i, typ := range arrowtest.Types() {
		for _, s := range sortableTypes() {
			if arrow.TypeEqual(typ, s) {
				keys = append(keys, arrowsort.Key{At: arrowsort.Column(i)})
				break
			}
		}
	}
	rows := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[3, 3, 59, 0]`)
	many := arrowtest.Random(rng, arrow.PrimitiveTypes.Uint16, 40_000, 0.1, mem)
	t.Cleanup(many.Release)
	sorted, err := arrowsort.Sort[arrow.Record](t.Context(), rec, keys, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	t.Cleanup(sorted.Release)
	last := sorted.NewSlice(0, 30)
	t.Cleanup(last.Release)
	var values []arrow.Array
	for _, key := range keys {
		at, _ := key.At.Index()
		values = append(values, last.Column(at))
	}
	wanted := record(t, make([]string, len(values)), values...)
	var stored [2]arrow.Record // the same values, stored in different ways
	for i, types := range [][]storage{
		{{typ: arrow.BinaryTypes.StringView}, {arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8, false},
			{typ: arrow.BinaryTypes.LargeString}},
		{{arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8, true}, {typ: arrow.BinaryTypes.LargeString},
			{typ: arrow.BinaryTypes.StringView}},
	} {
		values := []any{"a", "b", "longer than twelve bytes"}
		stored[i] = record(t, []string{"x", "y", "z"}, types[0].store(t, mem, values), types[1].store(t, mem, values),
			types[2].store(t, mem, values))
	}
	calls := callsOn(rec, sorted, wanted, rows, keys)
	three := []arrowsort.Key{{At: arrowsort.Column(0)}, {At: arrowsort.Column(1)}, {At: arrowsort.Column(2)}}
	calls["SearchSorted in other storage"] = callsOn(stored[0], stored[0], stored[1], rows, three)["SearchSorted"]
	calls["Merge"] = callsOn(last, last, wanted, rows, keys)["Merge"] // of few rows: it allocates the most
	calls["Rank of many rows"] = func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
		return data(arrowsort.Rank(ctx, many, nil, arrowsort.TiesDense, o))
	}
	return calls
}

// TestFailingAllocator lets each allocation of a call fail in turn: an error each time, and no memory is lost.
func TestFailingAllocator(t *testing.T) {
	mem := arrowtest.Checked(t)
	for name, call := range callsOfAllTypes(t, mem) {
		for _, how := range []string{failNil, failPanic, failShort} {
			before := mem.CurrentAlloc()
			failures := 0
			if !testrun.Share(3, name, how) {
				continue
			}
			for n := 0; ; n++ {
				result, err := call(t.Context(), arrowsort.Options{Allocator: &exhausted{mem, n, how}, Threads: 1})
				if err == nil {
					result.Release()
					require.Equal(t, before, mem.CurrentAlloc(), "%s, %d allocations", name, n)
					break
				}
				failures++
				require.ErrorIs(t, err, engine.ErrMemory, "%s, allocation %d returns %s", name, n, how)
				require.Equal(t, before, mem.CurrentAlloc(), "%s, allocation %d returns %s: %v", name, n, how, err)
			}
			require.Positive(t, failures, name)
		}
	}
}

// A cancelling allocator ends the context in call number left, and counts the later calls.
type cancelling struct {
	memory.Allocator
	left   int
	cancel context.CancelFunc
	late   int
}

func (c *cancelling) called() {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	if c.left < 0 {
		c.late++
	}
}

func (c *cancelling) Allocate(size int) []byte {
	c.called()
	return c.Allocator.Allocate(size)
}

func (c *cancelling) Reallocate(size int, b []byte) []byte {
	c.called()
	return c.Allocator.Reallocate(size, b)
}

// TestNoAllocationAfterTheContext ends the context in each allocation of a call in turn.
func TestNoAllocationAfterTheContext(t *testing.T) {
	mem := arrowtest.Checked(t)
	for name, call := range callsOfAllTypes(t, mem) {
		if !testrun.Share(3, name) {
			continue
		}
		before := mem.CurrentAlloc()
		for n := 1; ; n++ {
			ctx, cancel := context.WithCancel(t.Context())
			c := &cancelling{Allocator: mem, left: n, cancel: cancel}
			result, err := call(ctx, arrowsort.Options{Allocator: c, Threads: 1})
			cancel()
			require.Zero(t, c.late, "%s: allocations after the context ended in number %d", name, n)
			if err == nil {
				result.Release()
			}
			require.Equal(t, before, mem.CurrentAlloc(), "%s, allocation %d", name, n)
			if c.left > 0 {
				break
			}
		}
	}
}

// TestResultsOutliveInputs reads a result whose input is gone.
func TestResultsOutliveInputs(t *testing.T) {
	for seed, typ := range arrowtest.Types() {
		mem := arrowtest.Checked(t)
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		a := arrowtest.Random(rng, typ, 50, 0.2, mem)
		key := arrowtest.Random(rng, arrow.PrimitiveTypes.Int16, 50, 0, mem)
		rec := array.NewRecord(
			arrow.NewSchema(
				[]arrow.Field{{Name: "v", Type: typ, Nullable: true}, {Name: "k", Type: key.DataType()}}, nil,
			),
			[]arrow.Array{a, key},
			50,
		)
		want := texts(a)
		order := argsort([][]arrow.Array{{key}}, []arrowsort.Key{{}})
		sorted, err := arrowsort.Sort(
			t.Context(), arrow.Record(rec), []arrowsort.Key{{Path: "k"}}, arrowsort.Options{Allocator: mem},
		)
		require.NoError(t, err)
		a.Release()
		key.Release()
		rec.Release()
		got := texts(sorted.Column(0))
		for i, row := range order {
			require.Equal(t, want[row], got[i], "%s", typ)
		}
		sorted.Release()
	}
}

// TestSortLargeTables sorts tables that the engine partitions, with a column of every type.
func TestSortLargeTables(t *testing.T) {
	const rows = 50_000
	types := append(arrowtest.Types(), sortableTypes()...)
	types = slices.DeleteFunc(types, func(typ arrow.DataType) bool {
		return typ.ID() == arrow.RUN_END_ENCODED // 16-bit run ends hold fewer rows
	})
	for i := range uint64(testrun.Count(20, 2)) {
		seed := testrun.Seed() + i
		mem := arrowtest.Checked(t)
		rng := rand.New(rand.NewPCG(seed, 10))
		var names []string
		var columns [][]arrow.Array
		for len(columns) < 12 {
			typ := types[rng.IntN(len(types))]
			cut := rng.IntN(rows)
			chunks := randomChunks(rng, mem, typ, 0.1, cut, rows-cut)
			defer releaseAll(chunks)
			names, columns = append(names, fmt.Sprint("c", len(columns))), append(columns, chunks)
		}
		var keys []arrowsort.Key
		var by [][]arrow.Array
		for i, c := range columns {
			if !adapter.Sortable(c[0].DataType()) || len(keys) == 3 {
				continue
			}
			keys = append(keys, allKeys(names[i])[rng.IntN(4)])
			by = append(by, c)
		}
		tbl := table(t, names, columns...)
		want := argsort(by, keys)
		require.Equal(t, want, indices(t, mem, tbl, keys), "seed %d, %s, %+v", seed, tbl.Schema(), keys)
		sorted, err := arrowsort.Sort(t.Context(), tbl, keys, arrowsort.Options{Allocator: mem})
		require.NoError(t, err)
		for i, c := range columns {
			all, got := texts(c...), texts(sorted.Column(i).Data().Chunks()...)
			for k, row := range want {
				if all[row] != got[k] {
					t.Fatalf(
						"seed %d, column %d of type %s, row %d: %s, not %s", seed, i, c[0].DataType(), k, got[k],
						all[row],
					)
				}
			}
		}
		sorted.Release()
	}
}
