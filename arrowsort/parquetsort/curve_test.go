package parquetsort

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

var bothCurves = []arrowsort.Curve{arrowsort.Hilbert, arrowsort.ZOrder}

// alongCurve returns the rows of a table in the order of arrowsort.CurveIndex.
func alongCurve(t *testing.T, table arrow.Table, keys []arrowsort.Key, c arrowsort.Curve) arrow.Table {
	places, err := arrowsort.CurveIndex(t.Context(), table, keys, c, arrowsort.Options{})
	require.NoError(t, err)
	rows, err := arrowsort.SortIndices(t.Context(), places, nil, arrowsort.Options{})
	require.NoError(t, err)
	sorted, err := extsort.TakeRows(t.Context(), table, rows.Uint64Values(), arrowsort.Options{})
	require.NoError(t, err)
	return sorted
}

// checkCurve checks a file along a curve without keys, and returns the first row that is out of place.
func checkCurve(t *testing.T, c arrowsort.Curve, files ...string) *Violation {
	result := checkFiles(t, files, CheckOptions{Curve: c})
	return result.Violation
}

// TestCurveOverEveryType: over a column of every type that can be a key and the number of the row, in every direction
// and null placement, files are in the order of CurveIndex, whether they are sorted as a table or in runs, and their
// metadata let Check find the same order.
func TestCurveOverEveryType(t *testing.T) {
	folder := t.TempDir()
	schema := everyType()
	var inputs []string
	for file := range 3 {
		inputs = append(inputs, filepath.Join(folder, fmt.Sprintf("in%d.parquet", file)))
		generate(t, inputs[file], schema, 2, func(batch int) arrow.Record {
			return rowsOfEveryType(schema, 2*file+batch)
		})
	}
	whole := filepath.Join(folder, "all.parquet")
	all := rowsWritten(t, inputs, whole).Table
	empty := array.NewTableFromSlice(all.Schema(), make([][]arrow.Array, all.Schema().NumFields()))
	out, tried := filepath.Join(folder, "out.parquet"), 0
	for i, field := range all.Schema().Fields() {
		key := arrowsort.Key{Path: field.Name, Order: arrowsort.Order(i % 2), Nulls: arrowsort.NullPlacement(i / 2 % 2)}
		keys, c := []arrowsort.Key{key, arrowsort.KeyOf("row")}, bothCurves[i%3%2]
		if field.Name == "row" || field.Name == "long" {
			continue
		}
		if _, err := arrowsort.CurveIndex(t.Context(), empty, keys, c, arrowsort.Options{}); err != nil {
			require.ErrorIs(t, err, arrowsort.ErrKeyType, "%s", field)
			continue
		}
		tried++
		want := alongCurve(t, all, keys, c)
		for _, from := range [][]string{{whole}, inputs} {
			_, err := Sort(t.Context(), from, out, Options{Keys: keys, Curve: c, Columns: []string{"row", field.Name}})
			require.NoError(t, err, "%s", field)
			got, err := tablefile.Read(t.Context(), out, tablefile.ReadOptions{})
			require.NoError(t, err)
			for at, name := range []string{"row", field.Name} {
				column := want.Schema().FieldIndices(name)[0]
				require.Equal(t, arrowtest.Values(want.Column(column).Data()),
					arrowtest.Values(got.Table.Column(at).Data()), "%v over %s, column %s", c, field, name)
			}
			require.Nil(t, checkCurve(t, c, out), "%v over %s", c, field)
		}
	}
	require.Greater(t, tried, testrun.Count(40, 10))
}

// TestCurveIsTheSameEverywhere: the bytes of the output do not depend on memory, threads, row groups or number of the
// inputs, their format, or whether they are a pipe.
func TestCurveIsTheSameEverywhere(t *testing.T) {
	folder := t.TempDir()
	whole := manyNumbers(t, folder, "whole.parquet")
	in := readTable(t, whole)
	write := func(name string, first, end int64, groupRows int) string {
		part := arraydata.SliceTable(in.Table, first, end)
		defer part.Release()
		path := filepath.Join(folder, name)
		opts := tablefile.WriteOptions{RowGroupRows: groupRows}
		writeTable(t, path, part, opts)
		return path
	}
	n := in.Table.NumRows()
	parts := []string{write("a.parquet", 0, n/3, 5000), write("b.parquet", n/3, n/2, 0), write("c.parquet", n/2, n, 0)}
	stream := write("all.arrows", 0, n, 0)
	content := readFile(t, stream)
	keys := []arrowsort.Key{{Path: "x", Order: arrowsort.Descending}, {Path: "key", Nulls: arrowsort.NullsAtStart},
		{Path: "row"}}
	out := filepath.Join(folder, "out.parquet")
	for _, c := range bothCurves[:testrun.Count(2, 1)] {
		var want []byte
		for _, run := range []struct {
			name   string
			inputs []string
			budget int64
			run    Run
			format Format
		}{
			{"in memory", []string{whole}, 1 << 30, Run{}, Auto},
			{"spilled", []string{whole}, MinMemory, Run{}, Auto},
			{"spilled, one thread", []string{whole}, MinMemory, Run{Threads: 1}, Auto},
			{"in memory, one thread", []string{whole}, 1 << 30, Run{Threads: 1}, Auto},
			{"another engine", []string{whole}, MinMemory, Run{Engine: anotherEngine{cpu.New()}}, Auto},
			{"several files", parts, 1 << 30, Run{}, Auto},
			{"several files, spilled", parts, 24 << 20, Run{}, Auto},
			{"a stream", []string{stream}, 1 << 30, Run{}, Auto},
			{"a pipe", []string{tablefile.Pipe}, MinMemory, Run{}, ArrowStream},
		} {
			if want != nil && !testrun.Share(3, run.name) {
				continue
			}
			_, err := Sort(t.Context(), run.inputs, out, Options{Keys: keys, Curve: c, Run: run.run,
				Input:  Input{Format: run.format, Stdin: bytes.NewReader(content)},
				Output: Output{RowGroupRows: 20_000, Compression: Zstd},
				Memory: Memory{Budget: run.budget, SpillDir: folder}})
			require.NoError(t, err, run.name)
			got := readFile(t, out)
			if want == nil {
				want = got
				require.Equal(t, digestOf(t, whole), digestOf(t, out), "not a permutation")
				require.Nil(t, checkCurve(t, c, out))
			}
			require.True(t, bytes.Equal(want, got), "%v, %s: other bytes", c, run.name)
		}
	}
}

// TestCurveFromAndToEveryFormat: the rows of every format come in the same order, as a table and in runs, with the
// dictionaries of Arrow and the text of CSV.
func TestCurveFromAndToEveryFormat(t *testing.T) {
	folder := t.TempDir()
	keys := []arrowsort.Key{{Path: "word", Nulls: arrowsort.NullsAtStart}, {Path: "row", Order: arrowsort.Descending}}
	rowsOf := func(path string) []string {
		in := readTable(t, path)
		return arrowtest.Values(in.Table.Column(in.Table.Schema().FieldIndices("row")[0]).Data())
	}
	for _, from := range anyFormat {
		in, _ := mixedFile(t, from, 2000)
		var want [2][]string // of one file, and of the same file twice
		for _, to := range anyFormat {
			for i, inputs := range [][]string{{in}, {in, in}} {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				out := filepath.Join(folder, "out."+to.String())
				_, err := Sort(t.Context(), inputs, out, Options{Keys: keys, Curve: arrowsort.Hilbert,
					Columns: []string{"word", "row"}, Run: Run{Allocator: mem}})
				require.NoError(t, err, "%v to %v", from, to)
				mem.AssertSize(t, 0)
				got := rowsOf(out)
				if want[i] == nil {
					want[i] = got
				}
				require.Equal(t, want[i], got, "%v to %v", from, to)
			}
		}
	}
}

// anotherEngine is an engine that is not the default, as one of a GPU.
type anotherEngine struct{ engine.Engine }

// TestCurveInTheMetadata: an output names its curve and no sort order; what is sorted or merged from it does not name
// the curve any more.
func TestCurveInTheMetadata(t *testing.T) {
	folder := t.TempDir()
	in := filepath.Join(folder, "in.parquet")
	r := rand.New(rand.NewPCG(testrun.Seed(), 4))
	generateNumbers(t, in, r, 0, 1, 3000)
	named := func(path string) *tablefile.CurveOrder {
		s := scanFile(t, path, 1<<20, tablefile.ReadOptions{})
		require.Negative(t, s.Schema.Metadata().FindKey("arrowsort.curve"), "a schema does not carry it on")
		c, err := s.Template.Curve()
		require.NoError(t, err)
		return c
	}
	keys := []arrowsort.Key{{Path: "x", Nulls: arrowsort.NullsAtStart}, {Path: "row", Order: arrowsort.Descending}}
	sorted := func(from string, opts Options) string {
		path := filepath.Join(folder, fmt.Sprintf("out%d.parquet", r.Uint32()))
		sortFiles(t, []string{from}, path, opts)
		return path
	}
	for _, budget := range []int64{MinMemory, 1 << 30} {
		along := sorted(in, Options{Keys: keys, Curve: arrowsort.Hilbert, Memory: Memory{Budget: budget}})
		c := named(along)
		require.Equal(t, "hilbert", c.Curve)
		require.Equal(t, []string{"x:nulls-first", "row:desc"}, c.Keys)
		orders := declaredOrders(t, []string{along})
		require.Empty(t, orders[0].Keys)

		require.Equal(t, "zorder", named(sorted(along, Options{Keys: keys, Curve: arrowsort.ZOrder})).Curve)
		require.Nil(t, named(sorted(along, Options{Keys: keys})))
		byRow := sorted(along, Options{Keys: []arrowsort.Key{{Path: "row"}}, Columns: []string{"row", "x"}})
		require.Nil(t, named(byRow))
		merged := filepath.Join(folder, "merged.parquet")
		mergeFiles(t, []string{byRow}, merged, Options{Keys: []arrowsort.Key{{Path: "row"}}})
		require.Nil(t, named(merged))
	}
	// Without one of the keys nobody could check the order.
	require.Nil(t, named(sorted(in, Options{Keys: keys, Curve: arrowsort.Hilbert, Columns: []string{"row", "key"}})))
	byPosition := sorted(in, Options{Keys: []arrowsort.Key{arrowsort.KeyAt(2), arrowsort.KeyAt(1)},
		Curve: arrowsort.Hilbert, Columns: []string{"key", "x", "row"}})
	require.Equal(t, []string{"row", "x"}, named(byPosition).Keys)
	require.Nil(t, checkCurve(t, arrowsort.Hilbert, byPosition))
}

// TestCheckFindsARowOffTheCurve: in one file, and between the files of one sort.
func TestCheckFindsARowOffTheCurve(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	r := rand.New(rand.NewPCG(testrun.Seed(), 5))
	generateNumbers(t, in, r, 0, 1, 3000)
	keys := []arrowsort.Key{{Path: "x"}, {Path: "key"}}
	sortFiles(t, []string{in}, out, Options{Keys: keys, Curve: arrowsort.Hilbert, Output: Output{RowsPerFile: 1000}})
	part := func(i int) string { return filepath.Join(folder, fmt.Sprintf("out-%05d.parquet", i)) }
	require.Nil(t, checkCurve(t, arrowsort.Hilbert, part(1), part(2), part(3)))
	require.Equal(t, &Violation{File: part(2)}, checkCurve(t, arrowsort.Hilbert, part(1), part(3), part(2)))

	s, err := tablefile.Scan(part(2), 1<<20, tablefile.ReadOptions{})
	require.NoError(t, err)
	named, err := s.Template.Curve()
	require.NoError(t, err)
	s.Close()
	read, err := tablefile.Read(t.Context(), part(2), tablefile.ReadOptions{})
	require.NoError(t, err)
	rows := make([]uint64, 1000)
	for i := range rows {
		rows[i] = uint64(i)
	}
	rows[700] = 5
	broken, err := extsort.TakeRows(t.Context(), read.Table, rows, arrowsort.Options{})
	require.NoError(t, err)
	writeTable(t, part(2), broken, tablefile.WriteOptions{Curve: named})
	require.Equal(t, &Violation{File: part(2), Row: 700}, checkCurve(t, arrowsort.Hilbert, part(2)))
	result := checkFiles(t, []string{part(2)}, CheckOptions{Curve: arrowsort.Hilbert, Limit: 700})
	require.Nil(t, result.Violation)
	require.EqualValues(t, 700, result.Rows)
}

// TestCurveOfNoRows: files without rows have a curve, too.
func TestCurveOfNoRows(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"in.parquet", "in.arrow", "in.csv"} {
		in, out := filepath.Join(folder, name), filepath.Join(folder, "out.parquet")
		none := array.NewTableFromSlice(sorttest.NumbersSchema, make([][]arrow.Array, 3))
		writeTable(t, in, none, tablefile.WriteOptions{})
		for _, budget := range []int64{MinMemory, 1 << 30} {
			sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "x"}, {Path: "key"}},
				Curve: arrowsort.Hilbert, Memory: Memory{Budget: budget}})
			require.Nil(t, checkCurve(t, arrowsort.Hilbert, out))
		}
	}
}

// TestCurveErrors: what cannot go with a curve is an error before any work.
func TestCurveErrors(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	r := rand.New(rand.NewPCG(1, 6))
	generateMixed(t, in, r, 1, 100)
	two := []arrowsort.Key{{Path: "text"}, {Path: "row"}}
	nine := make([]arrowsort.Key, 9)
	sorting := func(o Options) error {
		_, err := Sort(t.Context(), []string{in}, out, o)
		return err
	}
	with := func(c arrowsort.Curve, rows Rows, keys ...arrowsort.Key) error {
		return sorting(Options{Keys: keys, Curve: c, Rows: rows})
	}
	for text, err := range map[string]error{
		"a hilbert curve of 1 keys":          with(arrowsort.Hilbert, Rows{}, two[0]),
		"a zorder curve of 9 keys":           with(arrowsort.ZOrder, Rows{}, nine...),
		"curve 3":                            with(3, Rows{}, two...),
		"key text of a curve is given twice": with(arrowsort.Hilbert, Rows{}, two[0], two[1], two[0]),
		"together with Limit":                with(arrowsort.Hilbert, Rows{Limit: 5}, two...),
		"Tail or Unique":                     with(arrowsort.Hilbert, Rows{Unique: true}, two...),
		"together with PartitionBy": sorting(Options{Keys: two, Curve: arrowsort.Hilbert,
			Output: Output{PartitionBy: []string{"word"}}}),
		"Merge with Curve": func() error {
			_, err := Merge(t.Context(), []string{in}, out, Options{Keys: two, Curve: arrowsort.Hilbert})
			return err
		}(),
		"Argsort with Curve": func() error {
			_, err := Argsort(t.Context(), in, out, Options{Keys: two, Curve: arrowsort.Hilbert})
			return err
		}(),
		"Plan with Curve": func() error {
			_, err := Plan(t.Context(), in, CheckOptions{Keys: two, Curve: arrowsort.Hilbert})
			return err
		}(),
		in + " names no curve": func() error {
			_, err := Check(t.Context(), []string{in}, CheckOptions{Curve: arrowsort.Hilbert})
			return err
		}(),
	} {
		require.ErrorIs(t, err, ErrOption, text)
		require.ErrorContains(t, err, text)
		require.NoFileExists(t, out)
	}
	require.ErrorIs(t, with(arrowsort.Hilbert, Rows{}, arrowsort.KeyOf("list"), two[0]), arrowsort.ErrKeyType)

	require.NoError(t, sorting(Options{Keys: two, Curve: arrowsort.Hilbert}))
	for text, opts := range map[string]CheckOptions{
		"names the curve hilbert over text, row": {Curve: arrowsort.ZOrder},
		"hilbert over text, row":                 {Curve: arrowsort.Hilbert, Keys: two[:1]},
	} {
		_, err := Check(t.Context(), []string{out}, opts)
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, text)
	}
	other := filepath.Join(folder, "other.parquet")
	sortFiles(t, []string{in, in}, other, Options{Keys: two, Curve: arrowsort.Hilbert})
	_, err := Check(t.Context(), []string{out, other}, CheckOptions{Curve: arrowsort.Hilbert})
	require.ErrorContains(t, err, "parts of different sorts")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Sort(ctx, []string{in}, other, Options{Keys: two, Curve: arrowsort.Hilbert})
	require.ErrorIs(t, err, context.Canceled)
}

// TestExplainOfACurve: rows that are in order already are sorted all the same.
func TestExplainOfACurve(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	r := rand.New(rand.NewPCG(1, 7))
	generateNumbers(t, in, r, 0, 1, 100)
	keys := []arrowsort.Key{{Path: "row"}, {Path: "x"}}
	d := explained(t, []string{in}, Options{Keys: keys, Curve: arrowsort.ZOrder})
	require.Equal(t, "zorder", d.Curve)
	require.False(t, d.InOrder)
	require.True(t, d.InMemory)
	_, err := Explain(t.Context(), []string{in}, Options{Keys: keys[:1], Curve: arrowsort.ZOrder})
	require.ErrorIs(t, err, ErrOption)
}
