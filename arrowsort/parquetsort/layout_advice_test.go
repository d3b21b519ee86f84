package parquetsort

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/zonemap"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// flights is the file of flights of the examples: a million rows.
var flights = filepath.Join("..", "..", "examples", "data", "flights.parquet")

// adviseFlights estimates orders by a sample of some rows.
func adviseFlights(t *testing.T, rows int64, columns ...string) []LayoutAdvice {
	opts, read, err := Options{}.resolveAll(t.Context())
	require.NoError(t, err)
	d, err := dataset.Open(t.Context(), []string{flights}, read, false)
	require.NoError(t, err)
	defer d.Close()
	l := layouter{opts: opts, read: read, sampled: rows}
	var m zonemap.Map
	require.NoError(t, d.EachFile(t.Context(), func(number int, s *tablefile.Scanner) error {
		return m.Add(t.Context(), number, s, zonemap.Options{Allocator: opts.Run.Allocator})
	}))
	advice, err := l.advise(t.Context(), d, &m, columns)
	require.NoError(t, err)
	return advice
}

// TestAdviceIsNearWhatSortsGive: from a sample of a quarter of the rows, the size is within 20 % of that of a real
// sort, and so is what filters read of it.
func TestAdviceIsNearWhatSortsGive(t *testing.T) {
	columns := []string{"origin", "date"}
	if !testrun.Long() {
		columns = columns[:1]
	}
	advice := adviseFlights(t, 1<<18, columns...)
	require.Len(t, advice, map[int]int{1: 2, 2: 7}[len(columns)])
	require.True(t, slices.IsSortedFunc(advice, func(a, b LayoutAdvice) int { return cmp.Compare(a.Read, b.Read) }))
	for _, a := range advice {
		if len(a.Keys) == 0 {
			continue
		}
		curve := map[string]arrowsort.Curve{"hilbert": arrowsort.Hilbert, "zorder": arrowsort.ZOrder}[a.Curve]
		var keys []arrowsort.Key
		for _, text := range a.Keys {
			key, err := flagtext.ParseKey(text, 0)
			require.NoError(t, err)
			keys = append(keys, key)
		}
		out := filepath.Join(t.TempDir(), "sorted.parquet")
		sortFiles(t, []string{flights}, out, Options{Keys: keys, Curve: curve})
		info, err := os.Stat(out)
		require.NoError(t, err)
		require.InEpsilon(t, info.Size(), a.Bytes, 0.2, "%v %s", a.Keys, a.Curve)
		r := layoutOf(t, []string{out}, LayoutOptions{})
		for _, by := range a.By {
			at := slices.IndexFunc(r.Columns, func(c LayoutColumn) bool { return c.Name == by.Column })
			depth := r.Columns[at].PageDepth
			share := depth.Mean / float64(depth.Of)
			require.InDelta(t, share, float64(by.EqualByPages)/float64(a.Bytes), 0.02+0.15*share, "%v %s", a.Keys,
				by.Column)
		}
	}
}

// TestAdviceOfAllRows needs no estimate: the sample is all rows, and the size that of the sort but for its metadata.
func TestAdviceOfAllRows(t *testing.T) {
	path := numbered(t, "x.parquet", "[5, 3, null, 1, 4, 2]")
	r := layoutOf(t, []string{path}, LayoutOptions{Advise: []string{"n"}})
	require.Len(t, r.Advice, 2)
	out := filepath.Join(t.TempDir(), "sorted.parquet")
	sortFiles(t, []string{path}, out, Options{Keys: []arrowsort.Key{{Path: "n"}}})
	info, err := os.Stat(out)
	require.NoError(t, err)
	for _, a := range r.Advice {
		require.InDelta(t, info.Size(), a.Bytes, 100, a.Keys)
		require.Equal(t, "n", a.By[0].Column)
		require.Equal(t, a.Bytes, a.By[0].Equal, "there is one row group")
	}
	r = layoutOf(t, []string{numbered(t, "none.parquet", "[]")}, LayoutOptions{Advise: []string{"n"}})
	require.Zero(t, r.Advice[0].By[0].Equal)
}

// TestSamplesAreSpread over the rows: one of each stretch of rows, the same ones each time.
func TestSamplesAreSpread(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	path := filepath.Join(t.TempDir(), "x.parquet")
	generate(t, path, schema, 4, func(batch int) arrow.Record {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		defer b.Release()
		for i := range 5000 {
			b.Append(int64(batch*5000 + i))
		}
		return array.NewRecord(schema, []arrow.Array{b.NewArray()}, 5000)
	})
	opts, read, err := Options{}.resolveAll(t.Context())
	require.NoError(t, err)
	d, err := dataset.Open(t.Context(), []string{path, path}, read, false)
	require.NoError(t, err)
	defer d.Close()
	var before []int64
	for range 2 {
		s, err := readSample(t.Context(), d, 4000, tablefile.DefaultRowGroupRows, &opts)
		require.NoError(t, err)
		require.Equal(t, int64(40_000), s.all)
		var numbers []int64
		for _, chunk := range s.table.Column(0).Data().Chunks() {
			numbers = append(numbers, chunk.(*array.Int64).Int64Values()...)
		}
		require.Len(t, numbers, 4000)
		for i, n := range numbers {
			require.Equal(t, int64(i%2000), n/10, "row %d", i)
		}
		require.True(t, before == nil || slices.Equal(before, numbers))
		before = numbers
		s.table.Release()
	}
}

// TestAdviceOfTheRowsAsTheyAre is by the row groups and pages of the files, that of orders by those that are asked for.
func TestAdviceOfTheRowsAsTheyAre(t *testing.T) {
	path := sortedBy(t, numbered(t, "x.parquet", "[6, 1, 7, 3, 5, 4, 2, 8]"), arrowsort.Ascending)
	for groupRows, want := range map[int]int64{0: 1, 2: 4, 4: 2} {
		r := layoutOf(t, []string{path}, LayoutOptions{Advise: []string{"n"}, RowGroupRows: groupRows})
		require.Equal(t, cmp.Or(groupRows, tablefile.DefaultRowGroupRows), r.AdviceGroupRows)
		for _, a := range r.Advice {
			groups := want
			if len(a.Keys) == 0 {
				groups = 4
				require.Equal(t, a.Bytes/8, a.By[0].EqualByPages)
			}
			require.Equal(t, a.Bytes/groups, a.By[0].Equal, "%v", a.Keys)
		}
	}
	_, err := Layout(t.Context(), []string{path}, LayoutOptions{RowGroupRows: 2})
	require.ErrorIs(t, err, ErrOption)
	_, err = Layout(t.Context(), []string{path}, LayoutOptions{Advise: []string{"n"}, RowGroupRows: -2})
	require.ErrorIs(t, err, ErrOption)
}

// TestAdviceEndsWithItsContext at whichever time that is.
func TestAdviceEndsWithItsContext(t *testing.T) {
	path := numbered(t, "x.parquet", "[5, 3, null, 1, 4, 2]")
	for checks := int64(1); ; checks++ {
		ctx, cancel := context.WithCancel(t.Context())
		counted := &countedContext{Context: ctx, end: cancel}
		counted.left.Store(checks)
		_, err := Layout(counted, []string{path}, LayoutOptions{Advise: []string{"n"}})
		cancel()
		if err == nil {
			require.Greater(t, checks, int64(10))
			return
		}
		require.ErrorIs(t, err, context.Canceled)
	}
}

// A countedContext ends when it was asked some number of times.
type countedContext struct {
	context.Context
	left atomic.Int64
	end  func()
}

func (c *countedContext) Err() error { c.count(); return c.Context.Err() }

func (c *countedContext) Done() <-chan struct{} { c.count(); return c.Context.Done() }

func (c *countedContext) Value(key any) any { c.count(); return c.Context.Value(key) }

func (c *countedContext) count() {
	if c.left.Add(-1) == 0 {
		c.end()
	}
}

func TestOrdersOfKeys(t *testing.T) {
	keys := []arrowsort.Key{{Path: "a"}, {Path: "b"}, {Path: "c"}, {Path: "d"}}
	for n, want := range []int{0, 1, 4, 15, 40} {
		orders := ordersOf(keys[:n])
		require.Len(t, orders, want)
		seen := map[string]bool{}
		for _, order := range orders {
			text := flagtext.KeyList(order)
			require.False(t, seen[text], text)
			seen[text] = true
		}
	}
	require.Equal(t, 156, len(ordersOf(append(keys, arrowsort.Key{Path: "e"}, arrowsort.Key{Path: "f"}))))
}

// TestAdviceErrors name the columns that cannot be tried, before rows are read.
func TestAdviceErrors(t *testing.T) {
	for want, columns := range map[string][]string{
		`Advise: there is no column "dat"; did you mean "date"?`: {"dat"},
		`Advise: column "date" is named twice`:                   {"date", "delay", "date"},
		"Advise: there are 7 columns, of which there may be 6":   {"a", "b", "c", "d", "e", "f", "g"},
	} {
		_, err := Layout(t.Context(), []string{flights}, LayoutOptions{Advise: columns})
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, want)
	}
	_, err := Layout(t.Context(), []string{numbered(t, "x.parquet", "[1]")}, LayoutOptions{Advise: []string{"n", "l"}})
	require.ErrorIs(t, err, ErrOption)
	require.ErrorContains(t, err, "Advise: unsupported type of sort key: key l of a curve has type list<item: int64, "+
		"nullable>: leave the column out")
}

// TestAdvisedCurvesCanBeSorted, also over large text, which is read as dictionaries of text where it repeats.
func TestAdvisedCurvesCanBeSorted(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.LargeString},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	in, out := filepath.Join(t.TempDir(), "in.parquet"), filepath.Join(t.TempDir(), "out.parquet")
	generate(t, in, schema, 1, func(int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for i := range 3000 {
			b.Field(0).(*array.LargeStringBuilder).Append([]string{"ORD", "LAX", "JFK"}[i%3])
			b.Field(1).(*array.Int64Builder).Append(int64(i * 7919 % 3000))
		}
		return b.NewRecord()
	})
	r := layoutOf(t, []string{in}, LayoutOptions{Advise: []string{"s", "n"}})
	curves := 0
	for _, a := range r.Advice {
		if a.Curve == "" {
			continue
		}
		curves++
		curve := map[string]arrowsort.Curve{"hilbert": arrowsort.Hilbert, "zorder": arrowsort.ZOrder}[a.Curve]
		keys := []arrowsort.Key{{Path: "s"}, {Path: "n"}}
		sortFiles(t, []string{in}, out, Options{Keys: keys, Curve: curve})
		require.Nil(t, checkCurve(t, curve, out))
	}
	require.Equal(t, 2, curves)
}

// TestPagesOfAdvice end with their row groups.
func TestPagesOfAdvice(t *testing.T) {
	for _, c := range []struct {
		rows, groupRows int64
		want            []int64
	}{
		{0, 5, nil}, {12, 5, []int64{5, 5, 2}}, {16_385, 1 << 20, []int64{16_384, 1}},
		{50_000, 20_000, []int64{16_384, 3616, 16_384, 3616, 10_000}},
	} {
		require.Equal(t, c.want, pagesOf(c.rows, c.groupRows))
	}
}
