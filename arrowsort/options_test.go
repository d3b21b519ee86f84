package arrowsort_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func TestOptionsAreChecked(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[2, 1]`)
	for text, opts := range map[string]arrowsort.Options{
		"arrowsort: invalid argument: Options.Limit is -1; give 0 for all rows":     {Limit: -1},
		"arrowsort: invalid argument: Options.Threads is -2; give 0 for GOMAXPROCS": {Threads: -2},
	} {
		_, err := arrowsort.Sort(t.Context(), a, nil, opts)
		require.EqualError(t, err, text)
		require.ErrorIs(t, err, arrowsort.ErrOption)
		_, err = arrowsort.Take(t.Context(), a, a, opts)
		require.EqualError(t, err, text)
		_, _, err = arrowsort.IsSorted(t.Context(), a, nil, opts)
		require.EqualError(t, err, text)
	}
}

// TestEveryOptionOfEveryFunction: an option is used, or it is an error that names it and the function.
func TestEveryOptionOfEveryFunction(t *testing.T) {
	mem := arrowtest.Checked(t)
	numbers := fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[1, 2, 3]`)
	rec, keys := record(t, []string{"a", "b"}, numbers, numbers), []arrowsort.Key{{Path: "a"}, {Path: "b"}}
	calls := callsOn(rec, rec, rec, fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[2, 0]`), keys)
	calls["MergeReaders"] = func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
		_, err := mergedRows(ctx, rec, keys, o.BatchRows, o)
		return array.NewNull(0), err
	}
	all := map[string]arrowsort.Options{
		"Limit": {Limit: 2}, "Engine": {Engine: &failing{err: engine.ErrMemory}}, "Threads": {Threads: 2},
		"Progress": {Progress: func(int, int) {}}, "OnPlan": {OnPlan: func(arrowsort.Plan) {}},
		"BatchRows": {BatchRows: 2}, "Allocator": {},
	}
	require.Len(t, all, reflect.TypeFor[arrowsort.Options]().NumField())
	const sorts = "Engine Progress OnPlan"
	uses := map[string]string{
		"Sort": sorts + " Limit", "SortIndices": sorts + " Limit", "SortIndices32": sorts + " Limit", "Rank": sorts,
		"RankAverage": sorts, "PartitionNth": sorts, "SelectKPerGroup": sorts, "Merge": "Limit Progress OnPlan",
		"MergeReaders": "Limit OnPlan BatchRows", "Take": "Limit", "SearchSorted": "Limit",
	}
	for name, call := range calls {
		for option, opts := range all {
			opts.Allocator = mem
			err := released(call(t.Context(), opts))
			switch used := slices.Contains(strings.Fields(uses[name]+" Allocator Threads"), option); {
			case !used:
				require.ErrorIs(t, err, arrowsort.ErrOption, "%s, %s", name, option)
				require.EqualError(t, err, "arrowsort: invalid argument: Options."+option+" is set, which "+name+
					" does not use; leave it out")
			case option == "Engine":
				require.ErrorIs(t, err, engine.ErrMemory, "%s asks the engine", name)
			default:
				require.NoError(t, err, "%s, %s", name, option)
			}
		}
	}
}

// failing is an engine that says what it was asked for.
type failing struct {
	err error
	job engine.Job
}

func (f *failing) Name() string { return "failing" }

func (f *failing) Sort(_ context.Context, job *engine.Job, _ engine.Allocator) (*engine.Result, error) {
	f.job = *job
	return nil, f.err
}

func TestEngineGetsTheJob(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"a", "l"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[2, 1]`),
		fromJSON(t, mem, arrow.ListOf(arrow.BinaryTypes.String), `[["x"], null]`))
	for err, want := range map[error]error{
		engine.ErrMemory: engine.ErrMemory, engine.ErrRows: arrowsort.ErrRows,
		engine.ErrOffsets: arrowsort.ErrOffsets,
	} {
		f := &failing{err: err}
		_, got := arrowsort.Sort(
			t.Context(), rec, []arrowsort.Key{{Path: "a"}},
			arrowsort.Options{Allocator: mem, Engine: f, Threads: 3, Limit: 1},
		)
		require.ErrorIs(t, got, err)
		require.ErrorIs(t, got, want)
		require.Equal(t, 3, f.job.Threads)
		require.Equal(t, 1, f.job.Limit)
		require.Equal(t, 4, f.job.RowNumbers, "the list is taken by row numbers")
		require.Equal(t, []int{0}, f.job.Gather, "the key is gathered from its own column")
		require.Len(t, f.job.Columns, 1)
	}
}

// extremes are what every number that a caller gives is tried at.
var extremes = []int{0, 1, -1, math.MaxInt32, math.MaxUint32, math.MaxInt - 1, math.MaxInt, math.MinInt}

// TestNumbersOfCalls tries each number of each function at its extremes: the result has the rows that are wanted, or
// the error is that of an argument.
func TestNumbersOfCalls(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"a"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[3, 1, null, 2, 1]`))
	inOrder := record(t, []string{"a"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[1, 1, 2, 3, null]`))
	rows, keys := rec.NumRows(), []arrowsort.Key{{Path: "a"}}
	ctx := t.Context()
	numbers := func(a *array.Uint64, err error) (int64, error) {
		if err != nil {
			return 0, err
		}
		defer a.Release()
		return int64(a.Len()), nil
	}
	records := func(rec arrow.Record, err error) (int64, error) {
		if err != nil {
			return 0, err
		}
		defer rec.Release()
		return rec.NumRows(), nil
	}
	any := func(n int64) bool { return n <= rows }
	all := func(n int64) bool { return n == rows }
	for _, n := range extremes {
		limited := func(got int64) bool { return n == 0 && got == rows || got == min(int64(n), rows) }
		limit, threads := arrowsort.Options{Limit: n, Allocator: mem}, arrowsort.Options{Threads: n, Allocator: mem}
		plain := arrowsort.Options{Allocator: mem}
		for name, c := range map[string]struct {
			wanted func(int64) bool
			call   func() (int64, error)
		}{
			"Limit of Sort": {limited, func() (int64, error) {
				return records(arrowsort.Sort(ctx, rec, keys, limit))
			}},
			"Threads of Sort": {all, func() (int64, error) {
				return records(arrowsort.Sort(ctx, rec, keys, threads))
			}},
			"Limit of Indices": {limited, func() (int64, error) {
				return numbers(arrowsort.SortIndices(ctx, rec, keys, limit))
			}},
			"Limit of Merge": {limited, func() (int64, error) {
				return records(arrowsort.Merge(ctx, []arrow.Record{inOrder}, keys, limit))
			}},
			"Threads of Rank": {all, func() (int64, error) {
				return numbers(arrowsort.Rank(ctx, rec, keys, arrowsort.TiesMin, threads))
			}},
			"ties": {all, func() (int64, error) {
				return numbers(arrowsort.Rank(ctx, rec, keys, arrowsort.TieBreaker(n), plain))
			}},
			"side": {all, func() (int64, error) {
				return numbers(arrowsort.SearchSorted(ctx, inOrder, rec, keys, arrowsort.Side(n), plain))
			}},
			"Threads of Groups": {any, func() (int64, error) {
				return numbers(arrowsort.Groups(ctx, inOrder, keys, threads))
			}},
			"nth": {all, func() (int64, error) {
				return numbers(arrowsort.PartitionNth(ctx, rec, keys, n, plain))
			}},
			"k": {any, func() (int64, error) {
				return numbers(arrowsort.SelectKPerGroup(ctx, rec, keys, nil, n, plain))
			}},
			"Index": {all, func() (int64, error) {
				return records(arrowsort.Sort(ctx, rec, []arrowsort.Key{{At: arrowsort.Column(n)}}, plain))
			}},
			"Order": {all, func() (int64, error) {
				return records(arrowsort.Sort(ctx, rec, []arrowsort.Key{{Order: arrowsort.Order(n)}}, plain))
			}},
			"Nulls": {all, func() (int64, error) {
				return records(arrowsort.Sort(ctx, rec, []arrowsort.Key{{Nulls: arrowsort.NullPlacement(n)}}, plain))
			}},
			"BatchRows": {limited, func() (int64, error) { return mergedRows(ctx, inOrder, keys, n, limit) }},
		} {
			got, err := c.call()
			if err == nil {
				require.True(t, c.wanted(got), "%s %d: %d rows", name, n, got)
				continue
			}
			ofArgument := errors.Is(err, arrowsort.ErrOption) || errors.Is(err, arrowsort.ErrColumn) ||
				errors.Is(err, arrowsort.ErrIndex)
			require.True(t, ofArgument, "%s %d: %v", name, n, err)
		}
	}
}

// mergedRows returns the number of rows that MergeReaders returns of a record.
func mergedRows(ctx context.Context, rec arrow.Record, keys []arrowsort.Key, batchRows int,
	opts arrowsort.Options) (rows int64, err error) {
	in, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		return 0, err
	}
	defer in.Release()
	opts.BatchRows = batchRows
	merged, err := arrowsort.MergeReaders(ctx, []array.RecordReader{in}, keys, opts)
	if err != nil {
		return 0, err
	}
	defer merged.Release()
	for merged.Next() {
		rows += merged.Record().NumRows()
	}
	return rows, merged.Err()
}

// TestPlanIsTheSameWhereverItComesFrom: in words and as JSON, of Explain and of a sort.
func TestPlanIsTheSameWhereverItComesFrom(t *testing.T) {
	mem := arrowtest.Checked(t)
	rec := record(t, []string{"a", "b"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int32, `[3, null, 1]`),
		fromJSON(t, mem, arrow.PrimitiveTypes.Float64, `[1.5, 2.5, 2.5]`))
	keys := []arrowsort.Key{{Path: "a", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart}, {Path: "b"}}
	plan, err := arrowsort.Explain(t.Context(), rec, keys, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	require.Equal(t, strings.Join(plan.Lines(), "; "), plan.String())
	require.Len(t, plan.Lines(), 3)
	text, err := json.Marshal(plan)
	require.NoError(t, err)
	require.Equal(t, `{"keys":[`+
		`{"column":"a","type":"int32","bits":2,"descending":true,"nulls_first":true,"nulls":1,"nans":0},`+
		`{"column":"b","type":"float64","bits":2,"descending":false,"nulls_first":false,"nulls":0,"nans":0}],`+
		`"words":1,"sorted":false,"reversed":false}`, string(text))
	var ofSort arrowsort.Plan
	sorted, err := arrowsort.Sort(t.Context(), rec, keys,
		arrowsort.Options{Allocator: mem, OnPlan: func(p arrowsort.Plan) { ofSort = p }})
	require.NoError(t, err)
	sorted.Release()
	require.Equal(t, plan.String(), ofSort.String())
}

func TestNoPlan(t *testing.T) {
	var none arrowsort.Plan
	require.Empty(t, none.String())
	require.Empty(t, none.Lines())
	text, err := json.Marshal(none)
	require.NoError(t, err)
	require.Equal(t, "null", string(text))
}
