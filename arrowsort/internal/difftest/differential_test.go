package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// onCPU is the engine that sorts by default.
var onCPU = subject{threads: []int{0, 1, 2, 3}, most: 100_000, large: 1}

// TestRandomTables compares 2,000 random tables with the model: every type of key in every order and null placement.
func TestRandomTables(t *testing.T) {
	onCPU.compareRandom(t, 0, testrun.Count(2000, 300))
}

// TestEveryKey compares a table for every type of key, order, null placement and shape with the model, in one chunk and
// in several.
func TestEveryKey(t *testing.T) {
	few := onCPU
	few.most = 2000
	few.compareKeys(t, sample(everyKey(), testrun.OneIn(12)))
}

func (t *table) check(tt *testing.T, r *rand.Rand, opts arrowsort.Options) error {
	order := model.NewOrder(t.columns, t.modelKeys)
	want, err := t.sortedRows(tt, order, opts)
	if err != nil {
		return err
	}
	if err := t.checkIndices(tt, order, want, opts); err != nil { // also that a second sort returns the same
		return err
	}
	if err := t.checkSort(tt, want, opts); err != nil || t.rows == 0 {
		return err
	}
	opts.Limit = 1 + r.IntN([]int{t.rows + 3, t.rows/6 + 1, t.rows/256 + 1}[r.IntN(3)])
	kept := want[:min(opts.Limit, t.rows)]
	if err := t.checkIndices(tt, order, kept, opts); err != nil {
		return err
	}
	return t.checkSort(tt, kept, opts)
}

// sortedRows are the row numbers that SortIndices returns, proved to be the one stable order: every row is there once,
// and each belongs before the next.
func (t *table) sortedRows(tt *testing.T, order model.Order, opts arrowsort.Options) ([]uint64, error) {
	got, err := arrowsort.SortIndices(tt.Context(), t.data, t.keys, opts)
	if err != nil {
		return nil, fmt.Errorf("SortIndices: %w", err)
	}
	defer got.Release()
	rows := slices.Clone(got.Uint64Values())
	return rows, prove(order, rows, t.rows)
}

// prove returns what is wrong with the sorted row numbers of n rows.
func prove(order model.Order, rows []uint64, n int) error {
	if len(rows) != n {
		return fmt.Errorf("%d row numbers, want %d", len(rows), n)
	}
	seen := make([]bool, n)
	for i, row := range rows {
		if row >= uint64(n) || seen[row] {
			return fmt.Errorf("place %d: row %d is there twice or does not exist", i, row)
		}
		seen[row] = true
	}
	for i := 1; i < n; i++ {
		a, b := rows[i-1], rows[i]
		if c := order.Compare(a, b); c > 0 || c == 0 && a > b {
			return fmt.Errorf("row %d of the result: row %d with %s precedes row %d with %s",
				i, a, order.Show(a), b, order.Show(b))
		}
	}
	return nil
}

func (t *table) checkIndices(tt *testing.T, order model.Order, want []uint64, opts arrowsort.Options) error {
	got, err := arrowsort.SortIndices(tt.Context(), t.data, t.keys, opts)
	if err != nil {
		return fmt.Errorf("SortIndices: %w", err)
	}
	defer got.Release()
	narrow, err := arrowsort.SortIndices32(tt.Context(), t.data, t.keys, opts)
	if err != nil {
		return fmt.Errorf("SortIndices32: %w", err)
	}
	defer narrow.Release()
	if got.NullN() > 0 || got.Len() != len(want) || narrow.Len() != len(want) {
		return fmt.Errorf("limit %d: %d and %d row numbers, want %d", opts.Limit, got.Len(), narrow.Len(), len(want))
	}
	for i, row := range got.Uint64Values() {
		if row != want[i] || uint64(narrow.Value(i)) != row {
			return fmt.Errorf(
				"limit %d, threads %d, place %d: row %d with %s and in 32 bits row %d, want row %d with %s", opts.Limit,
				opts.Threads, i, row, order.Show(row), narrow.Value(i), want[i], order.Show(want[i]),
			)
		}
	}
	return nil
}

func (t *table) checkSort(tt *testing.T, want []uint64, opts arrowsort.Options) error {
	got, err := arrowsort.Sort(tt.Context(), t.data, t.keys, opts)
	if err != nil {
		return fmt.Errorf("Sort: %w", err)
	}
	defer got.Release()
	if err := t.sameRows(got, want); err != nil {
		return fmt.Errorf("Sort, limit %d: %w", opts.Limit, err)
	}
	opts.Limit, opts.Engine = 0, nil
	if sorted, row, err := arrowsort.IsSorted(tt.Context(), got, t.keys, opts); err != nil || !sorted || row != -1 {
		return fmt.Errorf("IsSorted of the sorted data: %v, row %d, error %v", sorted, row, err)
	}
	return nil
}

func (t *table) checkSorted(tt *testing.T, order model.Order, opts arrowsort.Options) error {
	want := -1
	for i := 1; i < t.rows && want < 0; i++ {
		if order.Compare(uint64(i-1), uint64(i)) > 0 {
			want = i
		}
	}
	opts.Engine = nil
	sorted, row, err := arrowsort.IsSorted(tt.Context(), t.data, t.keys, opts)
	if err != nil || sorted != (want < 0) || row != want {
		return fmt.Errorf("IsSorted: %v, row %d, want row %d, error %v", sorted, row, want, err)
	}
	return nil
}

// checkTake takes random rows, some of them often.
func (t *table) checkTake(tt *testing.T, r *rand.Rand, opts arrowsort.Options) error {
	b := array.NewInt32Builder(opts.Allocator)
	defer b.Release()
	var rows []uint64
	for range min(t.rows, 500) {
		row := r.IntN(t.rows)
		rows = append(rows, uint64(row))
		b.Append(int32(row))
	}
	numbers := b.NewArray()
	defer numbers.Release()
	opts.Engine = nil
	got, err := arrowsort.Take(tt.Context(), t.data, numbers, opts)
	if err != nil {
		return fmt.Errorf("Take: %w", err)
	}
	defer got.Release()
	if err := t.sameRows(got, rows); err != nil {
		return fmt.Errorf("Take: %w", err)
	}
	return nil
}

// sameRows compares data with rows of the table, value for value, and its form and schema.
func (t *table) sameRows(got arrowsort.Data, rows []uint64) error {
	if a, b := fmt.Sprintf("%T", got), fmt.Sprintf("%T", t.data); a != b {
		return fmt.Errorf("the result is a %s, want a %s", a, b)
	}
	if s, ok := got.(interface{ Schema() *arrow.Schema }); ok {
		if want := t.data.(interface{ Schema() *arrow.Schema }).Schema(); !s.Schema().Equal(want) {
			return fmt.Errorf("the schema is %s, want %s", s.Schema(), want)
		}
	}
	columns := chunksOf(got)
	if len(columns) != len(t.columns) {
		return fmt.Errorf("%d columns, want %d", len(columns), len(t.columns))
	}
	for k, c := range t.columns {
		in, out := newLookup(c.Chunks), newLookup(columns[k])
		if out.rows != len(rows) {
			return fmt.Errorf("column %d has %d rows, want %d", k, out.rows, len(rows))
		}
		for i, row := range rows {
			if a, b := out.value(i), in.value(int(row)); a != b {
				return fmt.Errorf("column %d (%s), place %d: %s, want %s of row %d", k, c.Type, i, a, b, row)
			}
		}
	}
	return nil
}

// A lookup finds rows of a chunked column.
type lookup struct {
	chunks []arrow.Array
	starts []int
	rows   int
}

func newLookup(chunks []arrow.Array) *lookup {
	l := &lookup{chunks: chunks}
	for _, chunk := range chunks {
		l.starts = append(l.starts, l.rows)
		l.rows += chunk.Len()
	}
	return l
}

func (l *lookup) value(row int) string {
	at, exact := slices.BinarySearch(l.starts, row)
	if !exact {
		at--
	}
	for exact && at+1 < len(l.starts) && l.starts[at+1] == row {
		at++ // behind empty chunks
	}
	return arrowtest.Value(l.chunks[at], row-l.starts[at])
}

// TestDifferSeesFaults holds the checks themselves: wrong rows have to be found.
func TestDifferSeesFaults(t *testing.T) {
	mem := arrowtest.Checked(t)
	tab := newTable(5, 300, mem)
	defer tab.release()
	order, want := model.NewOrder(tab.columns, tab.modelKeys), model.Rows(tab.columns, 300, tab.modelKeys)
	opts := arrowsort.Options{Allocator: mem}
	require.NoError(t, prove(order, want, 300), tab.text)
	require.Error(t, prove(order, want[1:], 300))
	require.Error(t, prove(order, append(slices.Clone(want[1:]), want[1]), 300))
	require.Error(t, prove(order, append(slices.Clone(want[1:]), 300), 300))
	require.NoError(t, tab.checkIndices(t, order, want, opts), tab.text)
	require.NoError(t, tab.checkSort(t, want, opts), tab.text)
	require.Error(t, tab.checkSort(t, want[1:], opts))
	for i := range 299 {
		want[i], want[i+1] = want[i+1], want[i]
		require.Error(t, prove(order, want, 300), "places %d and %d", i, i+1)
		require.Error(t, tab.checkIndices(t, order, want, opts), "places %d and %d", i, i+1)
		want[i], want[i+1] = want[i+1], want[i]
	}
	slices.Reverse(want)
	require.Error(t, tab.checkSort(t, want, opts))
}

func TestLookupPassesEmptyChunks(t *testing.T) {
	mem := memory.NewGoAllocator()
	r := rand.New(rand.NewPCG(1, 1))
	var chunks []arrow.Array
	var all []string
	for _, n := range []int{0, 2, 0, 0, 3, 1, 0} {
		chunk := arrowtest.Random(r, arrow.PrimitiveTypes.Int32, n, 0, mem)
		chunks = append(chunks, chunk)
		for i := range n {
			all = append(all, arrowtest.Value(chunk, i))
		}
	}
	l := newLookup(chunks)
	for i, want := range all {
		require.Equal(t, want, l.value(i))
	}
}
