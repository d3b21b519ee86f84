package arrow18_test

import (
	"context"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/scalar"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

var functions = []string{"arrowsort.array_sort_indices", "arrowsort.hilbert_index", "arrowsort.is_sorted",
	"arrowsort.partition_nth_indices",
	"arrowsort.rank", "arrowsort.rank_normal", "arrowsort.rank_quantile", "arrowsort.search_sorted",
	"arrowsort.select_k_unstable", "arrowsort.sort", "arrowsort.sort_indices", "arrowsort.zorder_index"}

// otherOptions are those that are not SortOptions; without defaults a call needs some.
var otherOptions = map[string]struct {
	typ      string
	defaults compute.FunctionOptions
}{
	"arrowsort.select_k_unstable":     {"arrowsort.SelectKOptions", nil},
	"arrowsort.partition_nth_indices": {"arrowsort.PartitionNthOptions", nil},
	"arrowsort.rank":                  {"arrowsort.RankOptions", arrow18.RankOptions{}},
	"arrowsort.search_sorted":         {"arrowsort.SearchSortedOptions", arrow18.SearchSortedOptions{}},
}

func TestRegister(t *testing.T) {
	registry := compute.NewRegistry()
	require.NoError(t, arrow18.Register(registry))
	require.Equal(t, functions, registry.GetFunctionNames())
	for _, name := range functions {
		fn, ok := registry.GetFunction(name)
		require.True(t, ok, name)
		require.Equal(t, name, fn.Name())
		require.NoError(t, fn.Validate(), name)
		require.Equal(t, compute.FuncMeta, fn.Kind(), name)
		arity := compute.Unary()
		if name == "arrowsort.search_sorted" {
			arity = compute.Binary()
		}
		require.Equal(t, arity, fn.Arity(), name)
		if other, ok := otherOptions[name]; ok {
			require.Equal(t, other.defaults == nil, fn.Doc().OptionsRequired)
			require.Equal(t, other.defaults, fn.DefaultOptions())
			require.Equal(t, other.typ, fn.Doc().OptionsType)
		} else {
			require.Equal(t, arrow18.SortOptions{}, fn.DefaultOptions())
			require.Equal(t, "arrowsort.SortOptions", fn.Doc().OptionsType)
		}
	}
}

// The names do not collide with those of v18, which has sort_indices and sort.
func TestRegisterBesideTheFunctionsOfV18(t *testing.T) {
	before := compute.GetFunctionRegistry().GetFunctionNames()
	require.Contains(t, before, "sort")
	registry := compute.NewChildRegistry(compute.GetFunctionRegistry())
	require.NoError(t, arrow18.Register(registry))
	require.Equal(t, len(before)+len(functions), registry.NumFunctions())
}

func TestRegisterNamesClashes(t *testing.T) {
	registry := compute.NewRegistry()
	require.NoError(t, arrow18.Register(registry))
	for _, again := range []compute.FunctionRegistry{registry, compute.NewChildRegistry(registry), hasty{registry}} {
		err := arrow18.Register(again)
		require.ErrorIs(t, err, arrow.ErrKey)
		for _, name := range functions {
			require.ErrorContains(t, err, name)
		}
	}
	require.ErrorIs(t, arrow18.Register(nil), arrow.ErrInvalid)

	registry = compute.NewRegistry()
	taken := compute.NewScalarFunction("arrowsort.sort", compute.Unary(), compute.EmptyFuncDoc)
	require.True(t, registry.AddFunction(taken, false))
	require.ErrorContains(t, arrow18.Register(registry), "named arrowsort.sort")
	require.Equal(t, 1, registry.NumFunctions(), "all functions are added, or none")
}

// After Replace the helpers of v18 and calls by its names sort with this package: rows of decimal32, that v18 cannot
// move, and keys by name.
func TestReplace(t *testing.T) {
	registry := compute.NewChildRegistry(compute.GetFunctionRegistry())
	require.NoError(t, arrow18.Replace(registry))
	require.NoError(t, arrow18.Replace(registry), "again")
	require.Equal(t, compute.GetFunctionRegistry().NumFunctions()+2, registry.NumFunctions())
	exec := compute.DefaultExecCtx()
	exec.Registry = registry
	mem := arrowtest.Checked(t)
	ctx := compute.WithAllocator(compute.SetExecCtx(t.Context(), exec), mem)
	rec := record(t, []string{"d"}, fromJSON(t, mem, &arrow.Decimal32Type{Precision: 3}, `["3", null, "1"]`))
	input := compute.NewDatum(rec)
	defer input.Release()
	rows, err := compute.SortIndices(ctx, input, compute.SortOptions{{NullPlacement: compute.SortNullsAtStart}})
	require.NoError(t, err)
	defer rows.Release()
	indices := rows.(*compute.ArrayDatum).MakeArray()
	defer indices.Release()
	require.Equal(t, "[1 2 0]", indices.String())
	sorted, err := compute.Sort(ctx, input, compute.SortOptions{{}})
	require.NoError(t, err)
	defer sorted.Release()
	require.Equal(t, "[1 3 (null)]", sorted.(*compute.RecordDatum).Value.Column(0).String())
	named, err := compute.CallFunction(ctx, "sort", arrow18.SortOptions{Keys: by("d")}, input)
	require.NoError(t, err)
	defer named.Release()
	require.Equal(t, "[1 3 (null)]", named.(*compute.RecordDatum).Value.Column(0).String())
}

func TestReplaceChangesAllOrNothing(t *testing.T) {
	require.ErrorIs(t, arrow18.Replace(nil), arrow.ErrInvalid)
	registry := compute.NewRegistry()
	err := arrow18.Replace(guarded{registry})
	require.ErrorIs(t, err, arrow.ErrKey)
	require.ErrorContains(t, err, "function sort be replaced")
	require.Zero(t, registry.NumFunctions())
}

// guarded lets the function sort not be replaced.
type guarded struct{ compute.FunctionRegistry }

func (guarded) CanAddFunction(fn compute.Function, _ bool) bool { return fn.Name() != "sort" }

// hasty reports that there is room, as a registry does to two callers at once.
type hasty struct{ compute.FunctionRegistry }

func (hasty) CanAddFunction(compute.Function, bool) bool { return true }

// withFunctions returns a context whose calls find the functions and allocate from mem.
func withFunctions(t testing.TB, mem memory.Allocator) context.Context {
	registry := compute.NewChildRegistry(compute.GetFunctionRegistry())
	require.NoError(t, arrow18.Register(registry))
	exec := compute.DefaultExecCtx()
	exec.Registry = registry
	return compute.WithAllocator(compute.SetExecCtx(t.Context(), exec), mem)
}

// datums returns one column of every kind of data.
func datums(t *testing.T, mem memory.Allocator) map[string]compute.Datum {
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int16, `[3, null, 1, 3, 2]`)
	rec := record(t, []string{"a"}, a)
	tbl := array.NewTableFromRecords(rec.Schema(), []arrow.RecordBatch{rec})
	chunked := arrow.NewChunked(a.DataType(), []arrow.Array{a})
	all := map[string]compute.Datum{
		"array": compute.NewDatum(a), "chunked": compute.NewDatum(chunked), "record": compute.NewDatum(rec),
		"table": compute.NewDatum(tbl),
	}
	t.Cleanup(func() {
		tbl.Release()
		chunked.Release()
		for _, d := range all {
			d.Release()
		}
	})
	return all
}

func TestCalls(t *testing.T) {
	mem := arrowtest.Checked(t)
	ctx := withFunctions(t, mem)
	down := arrowsort.Key{Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}
	own := arrow18.SortOptions{Keys: []arrowsort.Key{down}}
	arrows := compute.SortOptions{{Order: compute.SortOrderDescending, NullPlacement: compute.SortNullsAtStart}}
	want := []uint64{1, 0, 3, 4, 2}
	for kind, datum := range datums(t, mem) {
		for _, opts := range []compute.FunctionOptions{own, &own, arrows} {
			require.Equal(t, want, rowsOf(t, ctx, "arrowsort.sort_indices", opts, datum), kind)
			sorted, err := compute.CallFunction(ctx, "arrowsort.sort", opts, datum)
			require.NoError(t, err)
			require.Equal(t, datum.Kind(), sorted.Kind())
			require.True(t, is(t, ctx, opts, sorted), kind)
			require.False(t, is(t, ctx, opts, datum), kind)
			sorted.Release()
			if kind == "array" || kind == "chunked" {
				require.Equal(t, want, rowsOf(t, ctx, "arrowsort.array_sort_indices", opts, datum), kind)
			} else {
				_, err := compute.CallFunction(ctx, "arrowsort.array_sort_indices", opts, datum)
				require.ErrorIs(t, err, arrow.ErrInvalid)
			}
		}
		for _, k := range []int64{0, 1, 3, 5, 9, math.MaxInt64} {
			opts := arrow18.SelectKOptions{K: k, Keys: own.Keys}
			require.Equal(t, want[:min(k, 5)], rowsOf(t, ctx, "arrowsort.select_k_unstable", opts, datum), kind)
		}
		first := []arrowsort.Key{{}}
		require.Equal(t, []uint64{3, 5, 1, 3, 2}, rowsOf(t, ctx, "arrowsort.rank",
			arrow18.RankOptions{Keys: first, Ties: arrowsort.TiesMin}, datum), kind)
		byFirst, doubles := arrow18.SortOptions{Keys: first}, (*array.Float64).Float64Values
		require.Equal(t, []float64{0.6, 0.9, 0.1, 0.6, 0.3},
			numbersOf(t, ctx, "arrowsort.rank_quantile", byFirst, datum, doubles), kind)
		normal := numbersOf(t, ctx, "arrowsort.rank_normal", byFirst, datum, doubles)
		require.InDelta(t, 1.2815515655446004, normal[1], 1e-12, kind)
		require.Equal(t, []uint64{2, 4, 0, 3, 1}, rowsOf(t, ctx, "arrowsort.partition_nth_indices",
			arrow18.PartitionNthOptions{Pivot: 4, Keys: first}, datum), kind)
		for _, none := range []compute.FunctionOptions{nil, (*arrow18.SortOptions)(nil), arrow18.SortOptions{}} {
			if kind == "array" || kind == "chunked" {
				require.Equal(t, []uint64{2, 4, 0, 3, 1}, rowsOf(t, ctx, "arrowsort.sort_indices", none, datum))
			} else {
				_, err := compute.CallFunction(ctx, "arrowsort.sort_indices", none, datum)
				require.ErrorIs(t, err, arrowsort.ErrNoKeys)
			}
		}
	}
}

func rowsOf(
	t *testing.T, ctx context.Context, name string, opts compute.FunctionOptions, datum compute.Datum,
) []uint64 {
	return numbersOf(t, ctx, name, opts, datum, (*array.Uint64).Uint64Values)
}

// numbersOf returns a copy of the values that a function returns.
func numbersOf[A arrow.Array, V any](t *testing.T, ctx context.Context, name string, opts compute.FunctionOptions,
	datum compute.Datum, values func(A) []V) []V {
	out, err := compute.CallFunction(ctx, name, opts, datum)
	require.NoError(t, err, name)
	defer out.Release()
	a := out.(*compute.ArrayDatum).MakeArray()
	defer a.Release()
	return append([]V{}, values(a.(A))...)
}

func is(t *testing.T, ctx context.Context, opts compute.FunctionOptions, datum compute.Datum) bool {
	out, err := compute.CallFunction(ctx, "arrowsort.is_sorted", opts, datum)
	require.NoError(t, err)
	return out.(*compute.ScalarDatum).Value.(*scalar.Boolean).Value
}

// Only the first sort key of v18 counts for an array, whatever its column, as in v18.
func TestSortKeysOfV18OfAnArray(t *testing.T) {
	mem := arrowtest.Checked(t)
	opts := compute.SortOptions{{ColumnIndex: 7, Order: compute.SortOrderDescending}, {ColumnIndex: -1}}
	for _, kind := range []string{"array", "chunked"} {
		rows := rowsOf(t, withFunctions(t, mem), "arrowsort.sort_indices", opts, datums(t, mem)[kind])
		require.Equal(t, []uint64{0, 3, 4, 2, 1}, rows)
	}
}

func TestCallsThatFail(t *testing.T) {
	mem := arrowtest.Checked(t)
	ctx := withFunctions(t, mem)
	datum := datums(t, mem)["record"]
	keys := []arrowsort.Key{{Path: "a"}}
	for _, test := range []struct {
		name string
		opts compute.FunctionOptions
		in   compute.Datum
		is   error
		text string
	}{
		{"sort", arrow18.SelectKOptions{}, datum, arrow.ErrInvalid, "SortOptions, not arrow18.SelectKOptions"},
		{"sort", compute.SortOptions{{ColumnIndex: 1}}, datum, arrow.ErrKey, "position 1"},
		{"sort", compute.SortOptions{{Order: -1}}, datum, arrow.ErrInvalid, "order 255"},
		{"sort_indices", arrow18.SortOptions{Keys: []arrowsort.Key{{Path: "b"}}}, datum, arrow.ErrKey, `"b"`},
		{"is_sorted", arrow18.SortOptions{}, datum, arrow.ErrInvalid, "sort keys"},
		{"sort", nil, compute.NewDatum(1), arrow.ErrNotImplemented, "kind"},
		{"sort", nil, nil, arrow.ErrInvalid, "nil"},
		{"sort", nil, &compute.ArrayDatum{}, arrow.ErrInvalid, "released"},
		{"sort", nil, &compute.ChunkedDatum{}, arrow.ErrInvalid, "released"},
		{"sort", nil, &compute.RecordDatum{}, arrow.ErrInvalid, "released"},
		{"sort", nil, &compute.TableDatum{}, arrow.ErrInvalid, "released"},
		{"select_k_unstable", nil, datum, arrow.ErrInvalid, "without options"},
		{"select_k_unstable", (*arrow18.SelectKOptions)(nil), datum, arrow.ErrInvalid, "without options"},
		{"select_k_unstable", arrow18.SelectKOptions{K: 1}, datum, arrow.ErrInvalid, "keys"},
		{"select_k_unstable", arrow18.SelectKOptions{K: -1, Keys: keys}, datum, arrow.ErrInvalid, "got -1"},
		{"select_k_unstable", arrow18.SelectKOptions{Keys: []arrowsort.Key{{Path: "b"}}}, datum, arrow.ErrKey, `"b"`},
		{"partition_nth_indices", nil, datum, arrow.ErrInvalid, "without options"},
		{"partition_nth_indices", arrow18.PartitionNthOptions{Pivot: 6, Keys: keys}, datum, arrow.ErrIndex, "nth is 6"},
		{"partition_nth_indices", arrow18.PartitionNthOptions{Pivot: -1, Keys: keys}, datum, arrow.ErrIndex, "-1"},
		{"rank", arrow18.RankOptions{Keys: keys, Ties: 9}, datum, arrow.ErrInvalid, "tie breaker 9"},
		{"rank", arrow18.RankOptions{}, datum, arrow.ErrInvalid, "sort keys"},
		{"rank_normal", arrow18.RankOptions{}, datum, arrow.ErrInvalid, "SortOptions, not arrow18.RankOptions"},
	} {
		_, err := compute.CallFunction(ctx, "arrowsort."+test.name, test.opts, test.in)
		require.ErrorIs(t, err, test.is, "%+v", test)
		require.ErrorContains(t, err, test.text)
		require.ErrorContains(t, err, "arrowsort."+test.name)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := compute.CallFunction(cancelled, "arrowsort.sort", arrow18.SortOptions{Keys: keys}, datum)
	require.ErrorIs(t, err, context.Canceled)
}
