package arrowsort_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// pairs returns a record of a key and the number of the input, released with the test.
func pairs(t *testing.T, mem memory.Allocator, keys, numbers string) arrow.Record {
	return record(t, []string{"key", "from"}, fromJSON(t, mem, arrow.BinaryTypes.String, keys),
		fromJSON(t, mem, arrow.PrimitiveTypes.Int8, numbers))
}

// TestMergeIsStable has ties within inputs and between them, and an input without rows.
func TestMergeIsStable(t *testing.T) {
	mem := arrowtest.Checked(t)
	got, err := arrowsort.Merge(t.Context(), []arrow.Record{
		pairs(t, mem, `["a", "c", "c", null]`, `[10, 11, 12, 13]`), pairs(t, mem, `[]`, `[]`),
		pairs(t, mem, `["b", "c", null]`, `[20, 21, 22]`), pairs(t, mem, `["a"]`, `[30]`),
	}, []arrowsort.Key{{Path: "key"}}, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer got.Release()
	require.Equal(t, `["a" "a" "b" "c" "c" "c" (null) (null)]`, got.Column(0).String())
	require.Equal(t, `[10 30 20 11 12 21 13 22]`, got.Column(1).String())
}

// bigRuns are sorted records of all kinds of payload: together more rows than are sorted at once.
func bigRuns(t *testing.T, mem memory.Allocator, runs, rows, spread int) []arrow.Record {
	r := rand.New(rand.NewPCG(uint64(runs), uint64(rows)))
	var all []arrow.Record
	for i := range runs {
		k, s := array.NewInt64Builder(mem), array.NewStringBuilder(mem)
		f := array.NewBooleanBuilder(mem)
		for row := range rows {
			k.Append(int64(r.IntN(spread)))
			s.Append(fmt.Sprintf("row %d of run %d", row, i))
			f.Append(row%3 == 0)
			if row%5 == 0 {
				f.AppendNull()
				k.AppendNull()
				s.AppendNull()
			}
		}
		columns := []arrow.Array{k.NewArray(), s.NewArray(), f.NewArray()}
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{
			{Name: "k", Type: columns[0].DataType(), Nullable: true},
			{Name: "s", Type: columns[1].DataType(), Nullable: true},
			{Name: "f", Type: columns[2].DataType(), Nullable: true},
		}, nil), columns, int64(columns[0].Len()))
		sorted, err := arrowsort.Sort[arrow.Record](t.Context(), rec, []arrowsort.Key{{Path: "k"}},
			arrowsort.Options{Allocator: mem})
		require.NoError(t, err)
		rec.Release()
		releaseAll(columns)
		for _, b := range []array.Builder{k, s, f} {
			b.Release()
		}
		t.Cleanup(sorted.Release)
		all = append(all, sorted)
	}
	return all
}

// TestMergeOfManyRows compares merges by tiles, from 1 to 100 inputs, with and without a limit, with the sort.
func TestMergeOfManyRows(t *testing.T) {
	mem := arrowtest.Checked(t)
	keys := []arrowsort.Key{{Path: "k"}}
	for _, runs := range []int{1, 2, 8, 20, 64, 100} {
		for _, spread := range []int{1, 3, 1 << 40} {
			if !testrun.Share(3, runs, spread) {
				continue
			}
			inputs := bigRuns(t, mem, runs, 70_000/runs, spread)
			all := array.NewTableFromRecords(inputs[0].Schema(), inputs)
			for _, limit := range []int{0, 1, 40_001} {
				opts := arrowsort.Options{Allocator: mem, Limit: limit, Threads: 3}
				want, err := arrowsort.Sort[arrow.Table](t.Context(), all, keys, opts)
				require.NoError(t, err)
				got, err := arrowsort.Merge(t.Context(), inputs, keys, opts)
				require.NoError(t, err)
				text := fmt.Sprintf("%d inputs, spread %d, limit %d", runs, spread, limit)
				require.Equal(t, want.NumRows(), got.NumRows(), text)
				for c := range 3 {
					require.True(t, array.Equal(want.Column(c).Data().Chunk(0), got.Column(c)), text)
				}
				want.Release()
				got.Release()
			}
			all.Release()
		}
	}
}

// TestMergeReadsOnlyTheRowsOfATable: chunks may hold more rows than their table.
func TestMergeReadsOnlyTheRowsOfATable(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[1, 4, 0]`)
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: a.DataType()}}, nil)
	column := arrow.NewColumnFromArr(schema.Field(0), a)
	defer column.Release()
	short := array.NewTable(schema, []arrow.Column{column}, 2)
	defer short.Release()
	got, err := arrowsort.Merge(t.Context(), []arrow.Table{short, short}, []arrowsort.Key{{Path: "a"}},
		arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer got.Release()
	require.Equal(t, []string{"01", "01", "04", "04"}, texts(got.Column(0).Data().Chunks()...))
}

func TestMergeReportsPlanAndProgress(t *testing.T) {
	mem := arrowtest.Checked(t)
	for _, runs := range []int{4, 70} {
		inputs := bigRuns(t, mem, runs, 80_000/runs, 1000)
		last, plans := 0, 0
		got, err := arrowsort.Merge(t.Context(), inputs, []arrowsort.Key{{Path: "k"}}, arrowsort.Options{
			Allocator: mem, OnPlan: func(arrowsort.Plan) { plans++ },
			Progress: func(done, total int) {
				require.LessOrEqual(t, last, done)
				require.LessOrEqual(t, done, total)
				last = done
			}})
		require.NoError(t, err)
		got.Release()
		require.Equal(t, 1, plans)
		require.Positive(t, last)
	}
}

func TestMergeErrors(t *testing.T) {
	mem := arrowtest.Checked(t)
	keys := []arrowsort.Key{{Path: "key"}}
	good := pairs(t, mem, `["a", "b"]`, `[1, 2]`)
	field := record(t, []string{"key", "of"}, good.Column(0), good.Column(1))
	typ := record(t, []string{"key", "from"}, good.Column(0), good.Column(0))
	unsorted := pairs(t, mem, `["a", "c", "b"]`, `[1, 2, 3]`)
	for _, c := range []struct {
		inputs []arrow.Record
		keys   []arrowsort.Key
		opts   arrowsort.Options
		err    error
		says   string
	}{
		{nil, keys, arrowsort.Options{}, arrowsort.ErrOption, "no input"},
		{[]arrow.Record{good, unsorted}, keys, arrowsort.Options{}, arrowsort.ErrUnsorted,
			"input 1: row 2 sorts before row 1"},
		{[]arrow.Record{good, good, field}, keys, arrowsort.Options{}, arrowsort.ErrSchema, "input 2: "},
		{[]arrow.Record{good, typ}, keys, arrowsort.Options{}, arrowsort.ErrSchema, "field 1 is {from: type=utf8"},
		{[]arrow.Record{good, record(t, []string{"key"}, good.Column(0))}, keys, arrowsort.Options{},
			arrowsort.ErrSchema, "1 columns"},
		{[]arrow.Record{good}, nil, arrowsort.Options{}, arrowsort.ErrNoKeys, ""},
		{[]arrow.Record{good}, []arrowsort.Key{{Path: "x"}}, arrowsort.Options{}, arrowsort.ErrColumn, `"x"`},
		{[]arrow.Record{good}, keys, arrowsort.Options{Threads: -1}, arrowsort.ErrOption, "Threads"},
	} {
		c.opts.Allocator = mem
		_, err := arrowsort.Merge(t.Context(), c.inputs, c.keys, c.opts)
		require.ErrorIs(t, err, c.err)
		require.ErrorContains(t, err, c.says)
	}
	_, err := arrowsort.Merge(t.Context(), []arrowsort.Data{good, good.Column(0)}, keys,
		arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = arrowsort.Merge(t.Context(), []arrow.Array{good.Column(0), good.Column(1)}, nil,
		arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrSchema)
}

// TestMergeOfManyRowsFailsCleanly lets each allocation of a merge by tiles and of a search fail, and ends the context
// in each.
func TestMergeOfManyRowsFailsCleanly(t *testing.T) {
	mem := arrowtest.Checked(t)
	keys := []arrowsort.Key{{Path: "k"}}
	inputs := bigRuns(t, mem, 3, 15_000, 1<<40)
	few := []arrow.Record{inputs[0].NewSlice(0, 30), inputs[1].NewSlice(0, 30)}
	for _, rec := range few {
		defer rec.Release()
	}
	calls := map[string]call{
		"MergeReaders": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return array.NewNull(0), readAll(ctx, few, keys, o)
		},
		"Merge": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.Merge(ctx, inputs, keys, o))
		},
		"SearchSorted": func(ctx context.Context, o arrowsort.Options) (arrowsort.Data, error) {
			return data(arrowsort.SearchSorted(ctx, inputs[0].Column(0), inputs[1].Column(0), nil, arrowsort.Right, o))
		},
	}
	for name, call := range calls {
		before := mem.CurrentAlloc()
		failures := 0
		for n := 0; ; n++ {
			opts := arrowsort.Options{Allocator: &exhausted{mem, n, failNil}, Threads: 2}
			result, err := call(t.Context(), opts)
			if err == nil {
				result.Release()
				break
			}
			failures++
			require.ErrorIs(t, err, engine.ErrMemory, name)
			require.Equal(t, before, mem.CurrentAlloc(), "%s, allocation %d", name, n)

			ctx, cancel := context.WithCancel(t.Context())
			c := &cancelling{Allocator: mem, left: n + 1, cancel: cancel}
			_, err = call(ctx, arrowsort.Options{Allocator: c, Threads: 2})
			cancel()
			require.ErrorIs(t, err, context.Canceled, name)
			require.Zero(t, c.late, name)
			require.Equal(t, before, mem.CurrentAlloc(), "%s, allocation %d", name, n)
		}
		require.Positive(t, failures, name)
	}
}
