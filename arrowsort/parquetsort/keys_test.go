package parquetsort

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestShuffleFiles: random keys go by the numbers of rows over all inputs, so that a shuffle is the same in memory, in
// runs, from one file or several, and of rows that a Sorter gets in batches; alone, and within other keys. The column
// of its values is not written, and metadata do not name it.
func TestShuffleFiles(t *testing.T) {
	folder, r := t.TempDir(), rand.New(rand.NewPCG(testrun.Seed(), 17))
	var inputs []string
	for file := range 3 {
		inputs = append(inputs, filepath.Join(folder, fmt.Sprintf("in%d.parquet", file)))
		generate(t, inputs[file], textOrderSchema, 4, func(batch int) arrow.Record {
			return textOrderRows(r, (4*file+batch)*5000, 5000)
		})
	}
	one := filepath.Join(folder, "all.parquet")
	all := rowsWritten(t, inputs, one).Table
	defer all.Release()
	random := arrowsort.Key{Function: arrowsort.Random(7)}
	for _, keys := range testrun.Sample(2, [][]arrowsort.Key{{random},
		{{Path: "row", Function: arrowsort.Modulo(5)}, random},
		{random, {Path: "name"}, {Function: arrowsort.Random(8), Order: arrowsort.Descending}}}) {
		want := rowsSortedBy(t, all, keys)
		for _, files := range [][]string{inputs, {one}} {
			for _, opts := range testrun.Sample(2, []Options{{Memory: Memory{Budget: 1 << 30}},
				{Memory: Memory{Budget: MinMemory, SpillDir: folder}},
				{Memory: Memory{Budget: MinMemory, SpillDir: folder}, Rows: Rows{Limit: 1 << 40}},
				{Memory: Memory{Budget: 1 << 30}, Columns: []string{"row", "name"}}}) {
				out := filepath.Join(folder, "out.parquet")
				opts.Keys = keys
				result := sortFiles(t, files, out, opts)
				require.Equal(t, opts.Memory.Budget == MinMemory, result.Runs > 1)
				requireRows(t, want, out, []arrowsort.Key{{Path: "row"}, {Path: "name"}})
				got, err := tablefile.Scan(out, 1<<20, tablefile.ReadOptions{})
				require.NoError(t, err)
				require.Equal(t, cmp.Or(len(opts.Columns), textOrderSchema.NumFields()), got.Schema.NumFields())
				got.Close()
				declared := declaredOrders(t, []string{out})
				require.Equal(t, keys[0].Function != random.Function, len(declared[0].Keys) == 1)
			}
		}
		requireShuffledBatches(t, all, want, keys)
		want.Release()
	}
	first, last := filepath.Join(folder, "first.parquet"), filepath.Join(folder, "last.parquet")
	keys := []arrowsort.Key{{Path: "row"}, random} // row groups would be left out by their bounds
	for path, rows := range map[string]Rows{first: {Limit: 10}, last: {Tail: 10}} {
		result := sortFiles(t, inputs, path, Options{Keys: keys, Rows: rows})
		require.Equal(t, int64(10), result.Rows)
		require.Zero(t, result.RowGroups)
	}
	for name, err := range map[string]error{
		"Merge": func() error { _, err := Merge(t.Context(), inputs, first, Options{Keys: keys}); return err }(),
		"Check": func() error { _, err := Check(t.Context(), inputs, CheckOptions{Keys: keys}); return err }(),
		"Divide": func() error {
			_, err := Divide(t.Context(), inputs, 1<<20, DivideOptions{Keys: keys})
			return err
		}(),
	} {
		require.ErrorIs(t, err, arrowsort.ErrOption)
		require.ErrorContains(t, err, name+" by random(7), which goes by the numbers of rows")
	}
	described := explained(t, inputs, Options{Keys: keys})
	require.False(t, described.InOrder)
}

// requireShuffledBatches sorts the rows of a table in batches.
func requireShuffledBatches(t *testing.T, all, want arrow.Table, keys []arrowsort.Key) {
	s, err := NewSorter(t.Context(), all.Schema(), keys, SorterOptions{Memory: Memory{Budget: MinMemory,
		SpillDir: t.TempDir()}})
	require.NoError(t, err)
	defer s.Close()
	batches := array.NewTableReader(all, 777)
	defer batches.Release()
	for batches.Next() {
		require.NoError(t, s.Write(batches.Record()))
	}
	sorted, err := s.Sorted()
	require.NoError(t, err)
	defer sorted.Release()
	var rows []arrow.Array
	for sorted.Next() {
		require.True(t, s.Schema().Equal(sorted.Record().Schema()))
		rows = append(rows, sorted.Record().Column(3))
		rows[len(rows)-1].Retain()
	}
	require.NoError(t, sorted.Err())
	got, err := array.Concatenate(rows, memory.DefaultAllocator)
	require.NoError(t, err)
	expected, err := array.Concatenate(want.Column(3).Data().Chunks(), memory.DefaultAllocator)
	require.NoError(t, err)
	require.True(t, array.Equal(expected, got))
}

// TestKeysNamedAsFunctions: a column whose name is a function wins, and the function of the other column is then named
// by its position.
func TestKeysNamedAsFunctions(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	schema := arrow.NewSchema([]arrow.Field{{Name: "lower(a)", Type: arrow.PrimitiveTypes.Int64},
		{Name: "a", Type: arrow.BinaryTypes.String}}, nil)
	generate(t, in, schema, 1, func(int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
		b.Field(1).(*array.StringBuilder).AppendValues([]string{"b", "A", "c"}, nil)
		return b.NewRecord()
	})
	for _, key := range []arrowsort.Key{{Path: "lower(a)"}, {Path: "a", Function: arrowsort.Lower}} {
		sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{key}})
		declared := declaredOrders(t, []string{out})
		if key.Function != "" {
			key = arrowsort.Key{At: arrowsort.Column(1), Function: arrowsort.Lower}
		}
		require.Equal(t, []arrowsort.Key{key}, declared[0].Keys)
	}
}

// TestNaNAfterAFunction: sorting columns end before a key by a function; a float key with NaN after it does not count.
func TestNaNAfterAFunction(t *testing.T) {
	in := writeTexts(t, "x,f\na,1.5\nB,NaN\n")
	for _, first := range []arrowsort.Key{{Path: "x", Function: arrowsort.Lower},
		{Path: "x", Collation: arrowsort.FoldCase}, {Function: arrowsort.Random(1)}} {
		for _, format := range []string{".parquet", ".arrow", ".csv"} {
			out := filepath.Join(t.TempDir(), "out"+format)
			sortFiles(t, in, out, Options{Keys: []arrowsort.Key{first, {Path: "f"}}})
		}
	}
}

// TestLayoutOfAFunction: bounds are those of a column, which say nothing of an order by a function of it.
func TestLayoutOfAFunction(t *testing.T) {
	in, out := writeTexts(t, "n\n-9\n-8\n1\n2\n3\n-4\n"), filepath.Join(t.TempDir(), "out.parquet")
	sortFiles(t, in, out, Options{Keys: []arrowsort.Key{{Path: "n", Function: arrowsort.Abs}},
		Output: Output{RowGroupRows: 2}})
	layout := layoutOf(t, []string{out}, LayoutOptions{})
	require.Equal(t, []string{"abs(n)"}, layout.Keys)
	require.Nil(t, layout.Agrees)
}

// TestNamesOfFunctionsAreReadAgain: a key whose text would be read as another one is written by its position.
func TestNamesOfFunctionsAreReadAgain(t *testing.T) {
	for _, text := range []string{"id, name \n1,b\n2,A\n", "x,name\n2,b\n1,A\n", "lower(name):desc,name\n1,b\n2,A\n"} {
		in, out := writeTexts(t, text), filepath.Join(t.TempDir(), "out.parquet")
		key := arrowsort.Key{At: arrowsort.Column(1), Function: arrowsort.Lower, Order: arrowsort.Descending}
		sortFiles(t, in, out, Options{Keys: []arrowsort.Key{key}})
		declared, err := DeclaredOrders(t.Context(), []string{out}, FooterOptions{})
		require.NoError(t, err, text)
		require.Len(t, declared[0].Keys, 1)
		check, err := Check(t.Context(), []string{out}, CheckOptions{Keys: declared[0].Keys})
		require.NoError(t, err, text)
		require.Nil(t, check.Violation)
	}
}

// rowsSortedBy returns the rows of a table in the order of arrowsort.SortIndices, which is that of the reference model.
func rowsSortedBy(t *testing.T, table arrow.Table, keys []arrowsort.Key) arrow.Table {
	rows, err := arrowsort.SortIndices(t.Context(), table, keys, arrowsort.Options{})
	require.NoError(t, err)
	defer rows.Release()
	sorted, err := extsort.TakeRows(t.Context(), table, rows.Uint64Values(), arrowsort.Options{})
	require.NoError(t, err)
	return sorted
}

// TestSortByListsOfEveryType: files are sorted by lists and maps of every type, in memory and in runs that are spilled,
// from and to every format; sorted files are merged; Check finds the order and the first row that is out of it. The
// metadata name the order.
func TestSortByListsOfEveryType(t *testing.T) {
	folder := t.TempDir()
	schema := everyType()
	for _, format := range testrun.Sample(2, []string{".parquet", ".arrow"}) {
		var inputs []string
		for file := range 3 {
			inputs = append(inputs, filepath.Join(folder, fmt.Sprintf("in%d%s", file, format)))
			generate(t, inputs[file], schema, 2, func(batch int) arrow.Record {
				return rowsOfEveryType(schema, 2*file+batch)
			})
		}
		all := rowsWritten(t, inputs, filepath.Join(folder, "all"+format)).Table
		for _, i := range testrun.Sample(12, nestedFields(schema)) {
			field := schema.Field(i)
			keys := []arrowsort.Key{{Path: field.Name, Order: arrowsort.Order(i / 2 % 2),
				Nulls: arrowsort.NullPlacement(i / 4 % 2)}, {Path: "row", Order: arrowsort.Descending}}
			want := rowsSortedBy(t, all, keys)
			requireSortedLists(t, inputs, keys, want, filepath.Join(folder, "memory"+format), 1<<30)
			requireSortedLists(t, inputs, keys, want, filepath.Join(folder, "spilled"+format), MinMemory, "long")
			requireMergedLists(t, inputs, keys, want, folder, format)
			want.Release()
		}
	}
}

// nestedFields returns the columns of a schema that are lists or maps.
func nestedFields(schema *arrow.Schema) (at []int) {
	for i, field := range schema.Fields() {
		if adapter.Nested(field.Type) {
			at = append(at, i)
		}
	}
	return at
}

func requireSortedLists(
	t *testing.T, inputs []string, keys []arrowsort.Key, want arrow.Table, out string, budget int64,
	columns ...string,
) {
	columns = append(columns, keys[0].Path, keys[1].Path)
	opts := Options{Keys: keys, Columns: columns, Memory: Memory{Budget: budget, SpillDir: filepath.Dir(out)}}
	result, err := Sort(t.Context(), inputs, out, opts)
	require.NoError(t, err, "%+v", keys)
	require.Equal(t, budget == MinMemory, result.Runs > 1)
	requireRows(t, want, out, keys)
	check := checkFiles(t, []string{out}, CheckOptions{Keys: keys})
	require.Nil(t, check.Violation)
	if filepath.Ext(out) == ".parquet" {
		declared := declaredOrders(t, []string{out})
		require.Equal(t, keys, declared[0].Keys)
	}
}

// requireRows compares the numbers of the rows and the keys of a file with those of a table.
func requireRows(t *testing.T, want arrow.Table, path string, keys []arrowsort.Key) {
	got := readTable(t, path)
	for _, key := range keys {
		column := func(of arrow.Table) []string {
			return arrowtest.Values(of.Column(of.Schema().FieldIndices(key.Path)[0]).Data())
		}
		require.Equal(t, column(want), column(got.Table), "%s by %+v, column %s", path, keys, key.Path)
	}
}

func requireMergedLists(
	t *testing.T, inputs []string, keys []arrowsort.Key, want arrow.Table, folder, format string,
) {
	var sorted []string
	for i, input := range inputs {
		sorted = append(sorted, filepath.Join(folder, fmt.Sprintf("sorted%d%s", i, format)))
		opts := Options{Keys: keys, Columns: []string{keys[0].Path, keys[1].Path}}
		sortFiles(t, []string{input}, sorted[i], opts)
	}
	out := filepath.Join(folder, "merged"+format)
	mergeFiles(t, sorted, out, Options{Keys: keys})
	requireRows(t, want, out, keys)
	first := checkFiles(t, inputs[:1], CheckOptions{Keys: keys[1:]})
	require.Equal(t, int64(1), first.Violation.Row, "the numbers of the rows rise")
}
