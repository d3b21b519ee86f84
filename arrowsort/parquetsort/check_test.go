package parquetsort

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// claiming writes rows 0, 1, 2, and so on as a file that orders some order of its column "row", in row groups of 1000
// rows.
func claiming(t *testing.T, path string, rows int, sorting ...tablefile.SortingColumn) {
	t.Helper()
	rec := numbers(memory.DefaultAllocator, rand.New(rand.NewPCG(1, 1)), 0, rows)
	defer rec.Release()
	table := array.NewTableFromRecords(numbersSchema, []arrow.Record{rec})
	defer table.Release()
	_, err := tablefile.Write(context.Background(), path, table,
		tablefile.WriteOptions{RowGroupRows: 1000, Sorting: sorting})
	require.NoError(t, err)
}

// notInDeclaredOrder is the first row of a file, or the files in a folder, that is not in the order that its footer
// names.
func notInDeclaredOrder(t *testing.T, path string) *Violation {
	t.Helper()
	files, err := Expand([]string{path})
	require.NoError(t, err)
	footers, err := CheckFooters(t.Context(), &CheckResult{Files: files}, Options{})
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
	orders, err := DeclaredOrders(t.Context(), []string{folder}, Options{})
	require.NoError(t, err)
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
	in, err := tablefile.Read(t.Context(), first, tablefile.ReadOptions{})
	require.NoError(t, err)
	defer in.Table.Release()
	w, err := tablefile.Create(t.Context(), out, in.Schema,
		tablefile.WriteOptions{Sorting: []tablefile.SortingColumn{{Path: "row"}}})
	require.NoError(t, err)
	for _, from := range []int64{1000, 0} {
		half := slice(in.Table, from, from+1000)
		require.NoError(t, w.Write(t.Context(), half))
		half.Release()
	}
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)
	v := notInDeclaredOrder(t, out)
	require.Nil(t, v)
	checked, err := Check(t.Context(), []string{out}, Options{Keys: []arrowsort.Key{{Path: "row"}}})
	require.NoError(t, err)
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
	_, err := tablefile.Write(t.Context(), from, table, tablefile.WriteOptions{})
	require.NoError(t, err)
	for _, keys := range [][]arrowsort.Key{
		{{Index: 1}}, {{Index: 2, Order: arrowsort.Descending}}, {{Path: "b"}, {Index: 1}, {Index: 0}},
	} {
		_, err := Sort(t.Context(), []string{from}, out, Options{Keys: keys})
		require.NoError(t, err)
		orders, err := DeclaredOrders(t.Context(), []string{out}, Options{})
		require.NoError(t, err)
		require.Equal(t, keys, orders[0].Keys)
		require.Nil(t, notInDeclaredOrder(t, out))
		_, err = Sort(t.Context(), []string{out}, again, Options{Keys: keys})
		require.NoError(t, err)
		orders, err = DeclaredOrders(t.Context(), []string{again}, Options{})
		require.NoError(t, err)
		require.Equal(t, keys, orders[0].Keys)
	}
	_, err = Sort(t.Context(), []string{from}, out,
		Options{Keys: []arrowsort.Key{{Index: 1}}, Select: []string{"b", "#2"}})
	require.NoError(t, err)
	orders, err := DeclaredOrders(t.Context(), []string{out}, Options{})
	require.NoError(t, err)
	require.Equal(t, []arrowsort.Key{{Path: "a"}}, orders[0].Keys)
}
