package command

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	parquetfile "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// claiming is the people, sorted by name, in row groups of two with footers that claim some order.
func claiming(t *testing.T, path string, sorting ...tablefile.SortingColumn) {
	t.Helper()
	in, err := tablefile.Read(t.Context(), convert(t, "x.arrow"), tablefile.ReadOptions{})
	require.NoError(t, err)
	defer in.Table.Release()
	writeClaiming(t, path, in.Table, sorting)
}

func writeClaiming(t *testing.T, path string, table arrow.Table, sorting []tablefile.SortingColumn) {
	t.Helper()
	_, err := tablefile.Write(t.Context(), path, table, tablefile.WriteOptions{RowGroupRows: 2,
		Order: tablefile.RowOrder{Sorting: sorting}})
	require.NoError(t, err)
}

func TestCheckByTheOrderInTheFooter(t *testing.T) {
	folder := t.TempDir()
	yes, wrong, none := filepath.Join(folder, "yes.parquet"), filepath.Join(folder, "wrong.parquet"),
		filepath.Join(folder, "none.parquet")
	byName := tablefile.SortingColumn{Path: "name"}
	claiming(t, yes, byName)
	claiming(t, wrong, tablefile.SortingColumn{Path: "born"})
	claiming(t, none)
	check := func(args ...string) result { return cut(cli(t, nil, append([]string{"check"}, args...)...)) }

	require.Equal(t, result{out: "sorted by name, as the footer says\n"}, check(yes))
	require.Equal(t, result{out: "sorted\n"}, check("-k", "name", yes))
	require.Equal(t, result{out: "sorted\n"}, check("-k", "name", "-k", "age", yes))
	require.Equal(t, result{out: "sorted\n"}, check("-k", "#1", yes))

	ties := filepath.Join(folder, "ties.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "y", "-o", ties, file(t, "ties.csv", "x,y\n1,1\n1,2\n")))
	require.Equal(t, result{out: "sorted\n" + ties + " and 2 more files: the footer names another order, which is " +
		"true: y\n"}, check("-k", "x", ties, ties, ties))
	require.Equal(t, result{out: "sorted\n"}, check("-k", "name", none))
	require.Equal(t, result{code: 1, out: "not sorted: row 3 sorts before row 2 (rows count from 0)\n" +
		wrong + ": the footer names the order born, but row 3 sorts before row 2 (rows count from 0)\n"}, check(wrong))
	require.Equal(t, result{code: 1, out: wrong + ": the footer names the order born, but row 3 sorts before row 2 " +
		"(rows count from 0)\n"},
		cut(onlyLast(check("-k", "name", wrong))))

	two := filepath.Join(folder, "two.parquet")
	claiming(t, two, byName, tablefile.SortingColumn{Path: "age", Descending: true, NullsFirst: true})
	require.Equal(t, result{out: "sorted\n" + two + ": the footer names another order, which is true: name, " +
		"age:desc:nulls-first\n"}, check("-k", "name", two))
	require.Equal(t, result{code: 1, out: "not sorted: row 1 sorts before row 0 (rows count from 0)\n" +
		yes + ": the footer names another order, which is true: name\n"}, check("-k", "name:desc", yes))

	in, err := tablefile.Read(t.Context(), yes, tablefile.ReadOptions{})
	require.NoError(t, err)
	defer in.Table.Release()
	turned := filepath.Join(folder, "turned.parquet")
	w, err := tablefile.Create(t.Context(), turned, in.Schema,
		tablefile.WriteOptions{Order: tablefile.RowOrder{Sorting: []tablefile.SortingColumn{byName}}})
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, w.Write(t.Context(), in.Table))
	}
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)
	require.Equal(t, result{code: 1, out: "not sorted: row 5 sorts before row 4 (rows count from 0)\n" +
		turned + ": the footer names the order name, which is true of each row group alone\n"}, check(turned))

	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no order":         {[]string{none}, none + " names no order"},
		"different orders": {[]string{yes, two}, two + " names name, age:desc:nulls-first"},
		"not Parquet":      {[]string{convert(t, "x.arrow")}, "names no order"},
		"CSV":              {[]string{file(t, "people.csv", people)}, "give at least one key"},
	} {
		r := cli(t, nil, append([]string{"check", "-q"}, c.args...)...)
		require.Equal(t, 2, r.code, name)
		requireOneLine(t, r.err)
		require.Contains(t, r.err, c.want, name)
	}
}

// forgetFirst has the first row group of a file name no order.
func forgetFirst(t *testing.T, path string) {
	t.Helper()
	b := readFile(t, path)
	r, err := parquetfile.NewParquetReader(bytes.NewReader(b))
	require.NoError(t, err)
	r.MetaData().RowGroups[0].SortingColumns = nil
	var footer bytes.Buffer
	_, err = r.MetaData().WriteTo(&footer, nil)
	require.NoError(t, err)
	b = b[:len(b)-8-int(binary.LittleEndian.Uint32(b[len(b)-8:]))]
	b = append(b, footer.Bytes()...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(footer.Len())), "PAR1"...)
	require.NoError(t, os.WriteFile(path, b, 0o600))
}

// TestCheckOfRowGroupsThatNameAnOrder: the order of each row group is checked, also where the first one names none.
func TestCheckOfRowGroupsThatNameAnOrder(t *testing.T) {
	yes, wrong := filepath.Join(t.TempDir(), "yes.parquet"), filepath.Join(t.TempDir(), "wrong.parquet")
	claiming(t, yes, tablefile.SortingColumn{Path: "name"})
	claiming(t, wrong, tablefile.SortingColumn{Path: "born"})
	forgetFirst(t, yes)
	forgetFirst(t, wrong)
	check := func(args ...string) result { return cut(cli(t, nil, append([]string{"check"}, args...)...)) }
	require.Equal(t, result{out: "sorted\n" + yes + ": the footer names another order, which is true: of each row " +
		"group\n"}, check("-k", "name", yes))
	require.Equal(t, result{code: 1, out: wrong + ": the footer names the order of each row group, but row 3 " +
		"sorts before row 2 (rows count from 0)\n"},
		cut(onlyLast(check("-k", "name", wrong))))
	r := cli(t, nil, "check", wrong)
	require.Equal(t, 2, r.code)
	require.Contains(t, r.err, "row groups of "+wrong+" name different orders")
}

// onlyLast is a result with the last line of its output.
func onlyLast(r result) result {
	lines := strings.SplitAfter(strings.TrimSuffix(r.out, "\n"), "\n")
	r.out = lines[len(lines)-1] + "\n"
	return r
}

func TestCheckReportsFootersInJSON(t *testing.T) {
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a.parquet"), filepath.Join(folder, "b.parquet")
	claiming(t, a, tablefile.SortingColumn{Path: "name"})
	require.NoError(t, os.Rename(convert(t, "x.parquet"), b))
	r := cli(t, nil, "check", "--json", a)
	require.Equal(t, 0, r.code, r.err)
	var got struct {
		Keys    []string
		Sorted  bool
		Footers []footerReport
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &got))
	yes := true
	require.True(t, got.Sorted)
	require.Equal(t, []string{"name"}, got.Keys)
	require.Equal(t, []footerReport{{a, []string{"name"}, &yes}}, got.Footers)
	require.Equal(t, 1, cli(t, nil, "check", "-q", a, b).code, "each is sorted, but not one behind the other")
}

func TestFilesWithoutRowsAreInAnyOrder(t *testing.T) {
	folder := t.TempDir()
	empty, full := filepath.Join(folder, "empty.parquet"), filepath.Join(folder, "full.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "name", "--limit", "1", "-o", empty,
		file(t, "x.csv", people)))
	in, err := tablefile.Read(t.Context(), empty, tablefile.ReadOptions{})
	require.NoError(t, err)
	defer in.Table.Release()
	none := array.NewTableFromRecords(in.Table.Schema(), nil)
	defer none.Release()
	writeClaiming(t, empty, none, nil)
	writeClaiming(t, full, in.Table, []tablefile.SortingColumn{{Path: "name"}})
	for _, files := range [][]string{{empty, full}, {full, empty}} {
		require.Equal(t, result{out: "sorted by name, as the footer says\n"},
			cut(cli(t, nil, append([]string{"check"}, files...)...)))
		out := filepath.Join(folder, "out.arrow")
		require.Equal(t, result{}, cli(t, nil, append([]string{"merge", "-q", "-o", out}, files...)...))
		got, err := tablefile.Read(t.Context(), out, tablefile.ReadOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 1, got.Table.NumRows())
		got.Table.Release()
	}
	r := cli(t, nil, "check", "-q", empty)
	require.Equal(t, 2, r.code)
	require.Contains(t, r.err, empty+" has no rows, and names no order")
}

// The first column has no order, and the footer names another key than the one that is asked for.
func TestCheckOfAFooterWithoutItsFirstColumn(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)},
		{Name: "k", Type: arrow.PrimitiveTypes.Int8}}, nil)
	rows := strings.NewReader(`[{"l": [1], "k": 1}, {"l": [], "k": 2}]`)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, rows)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "x.parquet")
	writeClaiming(t, path, array.NewTableFromRecords(schema, []arrow.Record{record}),
		[]tablefile.SortingColumn{{Path: "k"}})
	require.Equal(t, result{code: 1, out: "not sorted: row 1 sorts before row 0 (rows count from 0)\n" +
		path + ": the footer names another order, which is true: k\n"}, cut(cli(t, nil, "check", "-k", "k:desc", path)))
}

// TestOrderOfACurveWithoutKeys: the message has the flag by which the order is checked.
func TestOrderOfACurveWithoutKeys(t *testing.T) {
	for _, curve := range []string{"hilbert", "zorder"} {
		out := filepath.Join(t.TempDir(), "out.parquet")
		r := cli(t, nil, "sort", "-q", "--curve", curve, "-k", "name", "-k", "age", "-o", out, convert(t, "x.parquet"))
		require.Zero(t, r.code, r.err)
		for _, args := range [][]string{{"check", out}, {"merge", "-o", out + ".parquet", out}} {
			r = cli(t, nil, args...)
			require.Equal(t, 2, r.code)
			require.Contains(t, r.err, out+" names no order but a curve, which arrowsort check --curve "+curve)
		}
		require.Zero(t, cli(t, nil, "check", "--curve", curve, out).code)
	}
}
