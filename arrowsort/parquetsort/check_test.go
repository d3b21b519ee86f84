package parquetsort

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

func TestCheckAcrossPiecesAndFiles(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(1, 3))
	files := []string{filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.arrows"),
		filepath.Join(folder, "c.arrow")}
	for i, f := range files {
		generateNumbers(t, f, r, i*6000, 3, 2000)
	}
	mem := arrowtest.Checked(t)
	up := CheckOptions{Keys: []arrowsort.Key{{Path: "row"}}, Run: Run{Allocator: mem}}
	got := checkFiles(t, files, up)
	require.Nil(t, got.Violation)
	require.EqualValues(t, 18_000, got.Rows)
	require.Equal(t, files, got.Files)

	got = checkFiles(t, []string{files[0], files[2], files[1]}, up)
	require.Equal(t, &Violation{File: files[1], Row: 0}, got.Violation)
	require.EqualValues(t, 12_000, got.Rows)

	got = checkFiles(t, files, CheckOptions{Keys: []arrowsort.Key{{Path: "row", Order: arrowsort.Descending}},
		Run: Run{Allocator: mem}})
	require.Equal(t, &Violation{File: files[0], Row: 1}, got.Violation)

	swapped := filepath.Join(folder, "swapped.arrows") // the violation is between two batches
	generate(t, swapped, sorttest.NumbersSchema, 2, func(batch int) arrow.Record {
		return sorttest.Numbers(memory.DefaultAllocator, r,
			5000-1000*batch, 1000)
	})
	got = checkFiles(t, []string{swapped}, up)
	require.Equal(t, &Violation{File: swapped, Row: 1000}, got.Violation)

	_, err := Check(t.Context(), files, CheckOptions{Keys: []arrowsort.Key{{Path: "no"}}})
	require.ErrorIs(t, err, arrowsort.ErrColumn)
}

func TestCheckOfDictionariesThatDiffer(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.arrows"), filepath.Join(t.TempDir(), "out.parquet")
	r := rand.New(rand.NewPCG(3, 3))
	generateMixed(t, in, r, 4, 500)
	opts := Options{Keys: []arrowsort.Key{{Path: "word"}, {Path: "at"}}}
	got := checkFiles(t, []string{in}, checking(opts))
	require.NotNil(t, got.Violation)
	sortFiles(t, []string{in}, out, opts)
	got = checkFiles(t, []string{out}, checking(opts))
	require.Nil(t, got.Violation)
}

// TestCheckedRows: the rows that were checked are the same whether a file is streamed or read as a whole.
func TestCheckedRows(t *testing.T) {
	text, table := filepath.Join(t.TempDir(), "in.csv"), filepath.Join(t.TempDir(), "in.arrow")
	require.NoError(t, os.WriteFile(text, []byte("k\n1\n2\n3\n0\n5\n"), 0o600))
	writeColumns(t, table, []arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}, "[1,2,3,0,5]")
	for limit, rows := range []int64{3, 1, 2, 3, 3, 3} {
		for _, path := range []string{text, table} {
			got := checkFiles(t, []string{path}, CheckOptions{Keys: []arrowsort.Key{{Path: "k"}},
				Limit: int64(limit)})
			require.Equal(t, rows, got.Rows, "%s, limit %d", path, limit)
			require.Equal(t, limit == 0 || limit > 3, got.Violation != nil)
		}
	}
}

// claiming writes rows 0, 1, 2, and so on as a file that orders some order of its column "row", in row groups of 1000
// rows.
func claiming(t *testing.T, path string, rows int, sorting ...tablefile.SortingColumn) {
	t.Helper()
	rec := sorttest.Numbers(memory.DefaultAllocator, rand.New(rand.NewPCG(1, 1)), 0, rows)
	defer rec.Release()
	table := array.NewTableFromRecords(sorttest.NumbersSchema, []arrow.Record{rec})
	defer table.Release()
	_, err := tablefile.Write(context.Background(), path, table,
		tablefile.WriteOptions{RowGroupRows: 1000, Order: tablefile.RowOrder{Sorting: sorting}})
	require.NoError(t, err)
}

// notInDeclaredOrder is the first row of a file, or the files in a folder, that is not in the order that its footer
// names.
func notInDeclaredOrder(t *testing.T, path string) *Violation {
	t.Helper()
	files, err := Expand([]string{path})
	require.NoError(t, err)
	footers, err := CheckFooters(t.Context(), &CheckResult{Files: files}, FooterOptions{})
	require.NoError(t, err)
	for _, f := range footers {
		if f.Violation != nil {
			return f.Violation
		}
	}
	return nil
}

func TestDeclaredOrders(t *testing.T) {
	folder := t.TempDir()
	claiming(t, filepath.Join(folder, "a.parquet"), 2500, tablefile.SortingColumn{Path: "row"})
	claiming(t, filepath.Join(folder, "b.parquet"), 2500,
		tablefile.SortingColumn{Path: "key", Descending: true, NullsFirst: true}, tablefile.SortingColumn{Path: "row"})
	claiming(t, filepath.Join(folder, "c.parquet"), 10)
	orders := declaredOrders(t, []string{folder})
	require.Equal(t, []DeclaredOrder{
		{File: filepath.Join(folder, "a.parquet"), Keys: []arrowsort.Key{{Path: "row"}}},
		{File: filepath.Join(folder, "b.parquet"),
			Keys: []arrowsort.Key{{Path: "key", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart},
				{Path: "row"}}},
		{File: filepath.Join(folder, "c.parquet")},
	}, orders)
	v := notInDeclaredOrder(t, folder)
	require.Equal(t, filepath.Join(folder, "b.parquet"), v.File)
	require.Less(t, v.Row, int64(10))
}

// TestDeclaredOrdersAreAboutRowGroups has rows that fall between row groups and rise inside them.
func TestDeclaredOrdersAreAboutRowGroups(t *testing.T) {
	folder := t.TempDir()
	first, second, out := filepath.Join(folder, "1.parquet"), filepath.Join(folder, "2.parquet"),
		filepath.Join(folder, "out.parquet")
	claiming(t, first, 2000, tablefile.SortingColumn{Path: "row"})
	claiming(t, second, 2000, tablefile.SortingColumn{Path: "row", Descending: true})
	for _, path := range []string{first, second} {
		v := notInDeclaredOrder(t, path)
		require.Equal(t, path == second, v != nil)
	}
	in := readTable(t, first)
	w, err := tablefile.Create(t.Context(), out, in.Schema,
		tablefile.WriteOptions{Order: tablefile.RowOrder{Sorting: []tablefile.SortingColumn{{Path: "row"}}}})
	require.NoError(t, err)
	for _, from := range []int64{1000, 0} {
		half := arraydata.SliceTable(in.Table, from, from+1000)
		require.NoError(t, w.Write(t.Context(), half))
		half.Release()
	}
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)
	v := notInDeclaredOrder(t, out)
	require.Nil(t, v)
	checked := checkFiles(t, []string{out}, CheckOptions{Keys: []arrowsort.Key{{Path: "row"}}})
	require.Equal(t, &Violation{File: out, Row: 1000}, checked.Violation)
}

// TestOrderOfColumnsByPosition: an order by columns whose names repeat or are missing is declared, also after a column
// that has a name, found again, checked, and copied.
func TestOrderOfColumnsByPosition(t *testing.T) {
	var fields []arrow.Field
	for _, name := range []string{"a", "a", "", "b"} {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64})
	}
	sc := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, sc)
	for i := range int64(1000) {
		for at, v := range []int64{i, i * 7919 % 1000, i * 613 % 1000, i * 7 % 5} {
			b.Field(at).(*array.Int64Builder).Append(v)
		}
	}
	folder := t.TempDir()
	from, out, again := filepath.Join(folder, "from.parquet"), filepath.Join(folder, "out.parquet"),
		filepath.Join(folder, "again.parquet")
	table := array.NewTableFromRecords(sc, []arrow.Record{b.NewRecord()})
	writeTable(t, from, table, tablefile.WriteOptions{})
	for _, keys := range [][]arrowsort.Key{
		{arrowsort.KeyAt(1)}, {{At: arrowsort.Column(2), Order: arrowsort.Descending}},
		{{Path: "b"}, arrowsort.KeyAt(1), arrowsort.KeyAt(0)},
	} {
		sortFiles(t, []string{from}, out, Options{Keys: keys})
		orders := declaredOrders(t, []string{out})
		require.Equal(t, keys, orders[0].Keys)
		require.Nil(t, notInDeclaredOrder(t, out))
		sortFiles(t, []string{out}, again, Options{Keys: keys})
		orders = declaredOrders(t, []string{again})
		require.Equal(t, keys, orders[0].Keys)
	}
	sortFiles(t, []string{from}, out,
		Options{Keys: []arrowsort.Key{{At: arrowsort.Column(1)}}, Columns: []string{"b", "#2"}})
	orders := declaredOrders(t, []string{out})
	require.Equal(t, []arrowsort.Key{{Path: "a"}}, orders[0].Keys)
}
