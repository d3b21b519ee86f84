package arrow18_test

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// Every call does what the core does with the same data of v15, and sorts as the reference model does.
func TestRandomTablesOfEveryType(t *testing.T) {
	for i := range uint64(testrun.Count(4000, 200)) {
		requireSameAsCore(t, testrun.Seed()+i)
	}
}

func FuzzTables(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed * 1001)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { requireSameAsCore(t, seed) })
}

func requireSameAsCore(t *testing.T, seed uint64) {
	mem := arrowtest.Checked(t) // of both versions: their methods are the same
	tbl := newTable(seed, mem)
	defer tbl.release()
	r := rand.New(rand.NewPCG(seed, 19))
	opts := arrow18.Options{Allocator: mem, Limit: []int{0, 0, 1 + r.IntN(40)}[r.IntN(3)], Threads: 1 + r.IntN(2)}
	old := arrowsort.Options{Allocator: mem, Limit: opts.Limit, Threads: opts.Threads}
	ctx := t.Context()

	rows, err := arrow18.SortIndices(ctx, tbl.data, tbl.keys, opts)
	require.NoError(t, err, tbl.text)
	defer rows.Release()
	want := model.Rows(tbl.columns, tbl.rows, tbl.modelKeys)
	if opts.Limit > 0 {
		want = want[:min(opts.Limit, len(want))]
	}
	require.Equal(t, want, append([]uint64{}, rows.Uint64Values()...), tbl.text)
	rows32, err := arrow18.SortIndices32(ctx, tbl.data, tbl.keys, opts)
	require.NoError(t, err, tbl.text)
	defer rows32.Release()
	for i, row := range want {
		require.EqualValues(t, row, rows32.Value(i))
	}

	sorted, err := arrow18.Sort(ctx, tbl.data, tbl.keys, opts)
	require.NoError(t, err, tbl.text)
	defer sorted.Release()
	sortedOld, err := arrowsort.Sort(ctx, tbl.old, tbl.keys, old)
	require.NoError(t, err, tbl.text)
	defer sortedOld.Release()
	requireSameData(t, tbl, sortedOld, sorted)

	taken, err := arrow18.Take(ctx, tbl.data, rows32, opts)
	require.NoError(t, err, tbl.text)
	defer taken.Release()
	requireSameData(t, tbl, sortedOld, taken)

	opts.Limit, old.Limit = 0, 0
	inOrder, at, err := arrow18.IsSorted(ctx, tbl.data, tbl.keys, opts)
	require.NoError(t, err, tbl.text)
	wantInOrder, wantAt, err := arrowsort.IsSorted(ctx, tbl.old, tbl.keys, old)
	require.NoError(t, err, tbl.text)
	require.Equal(t, []any{wantInOrder, wantAt}, []any{inOrder, at}, tbl.text)

	plan, err := arrow18.Explain(ctx, tbl.data, tbl.keys, opts)
	require.NoError(t, err, tbl.text)
	wantPlan, err := arrowsort.Explain(ctx, tbl.old, tbl.keys, old)
	require.NoError(t, err, tbl.text)
	require.Equal(t, lastLine(wantPlan), lastLine(plan), tbl.text)
	requireSameAround(t, r, tbl, sorted, sortedOld, opts, old)
}

// lastLine returns the line of a plan on the whole code, which names no types.
func lastLine(plan arrowsort.Plan) string { return plan.Lines()[len(plan.Lines())-1] }

// requireSameData compares a result with the core's: values, types, how chunks are cut, schema and metadata.
func requireSameData(t *testing.T, tbl *table, want arrowsort.Data, got arrow18.Data) {
	requireSameColumns(t, tbl, want, got)
	switch g := got.(type) {
	case arrow.RecordBatch:
		require.Same(t, tbl.data.(arrow.RecordBatch).Schema(), g.Schema())
		require.Equal(t, "tests", g.(arrow.RecordBatchWithMetadata).Metadata().Values()[0])
	case arrow.Table:
		require.Same(t, tbl.data.(arrow.Table).Schema(), g.Schema())
	}
}

// requireSameColumns compares values, types and how chunks are cut.
func requireSameColumns(t *testing.T, tbl *table, want arrowsort.Data, got arrow18.Data) {
	require.IsType(t, tbl.data, got, tbl.text)
	wanted, columns, in := chunksOf15(want), chunksOf(got), chunksOf(tbl.data)
	require.Len(t, columns, len(wanted), tbl.text)
	for i, chunks := range columns {
		require.Len(t, chunks, len(wanted[i]), tbl.text)
		for k, c := range chunks {
			expected := convert.ToArray(wanted[i][k], in[i][0].DataType())
			require.True(t, array.Equal(expected, c), "%s, column %d:\n%v\n%v", tbl.text, i, expected, c)
			require.Equal(t, expected.NullN(), c.NullN(), tbl.text)
			require.True(t, arrow.TypeEqual(in[i][0].DataType(), c.DataType(), arrow.CheckMetadata()), tbl.text)
			expected.Release()
		}
	}
}
