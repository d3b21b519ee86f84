package parquetsort

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/corpus"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestLayoutOfForeignFiles: the files of other writers are described, and the bytes of columns are those of row groups
// and pages.
func TestLayoutOfForeignFiles(t *testing.T) {
	paged := 0
	for _, file := range corpus.Files(t, "parquet") {
		if file.Unsupported() {
			continue
		}
		r, err := Layout(t.Context(), []string{file.Path}, LayoutOptions{Pages: true})
		require.NoError(t, err, file.Name)
		groups, columns := int64(0), int64(0)
		for _, g := range r.RowGroups {
			groups += g.Bytes
		}
		for _, c := range r.Columns {
			columns += c.Bytes
			require.Len(t, c.Zones, len(r.RowGroups), file.Name)
			for _, z := range c.Zones {
				rows, bytes := int64(0), int64(0)
				for _, p := range z.Pages {
					rows, bytes = rows+p.Rows, bytes+p.Bytes
					paged++
				}
				require.True(t, len(z.Pages) == 0 || rows == z.Rows, file.Name)
				require.LessOrEqual(t, bytes, z.Bytes, file.Name)
			}
		}
		require.Equal(t, groups, columns, file.Name)
		text, err := json.Marshal(r)
		require.NoError(t, err, file.Name)
		require.Contains(t, string(text), `"row_groups":`)
	}
	require.Greater(t, paged, 100)
}

// numbered writes a file with a column n of numbers, in row groups of two.
func numbered(t *testing.T, name, numbers string) string {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true}}, nil)
	n := arrowtest.FromJSON(t, schema.Field(0).Type, numbers)
	defer n.Release()
	l := array.NewListBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64)
	defer l.Release()
	for range n.Len() {
		l.Append(true)
		l.ValueBuilder().(*array.Int64Builder).AppendValues([]int64{4, 5}, nil)
	}
	lists := l.NewArray()
	defer lists.Release()
	path := filepath.Join(t.TempDir(), name)
	generate(t, path, schema, 1, func(int) arrow.Record { return array.NewRecord(schema, []arrow.Array{n, lists}, -1) })
	return path
}

// sortedBy sorts a file by n, to row groups of two rows.
func sortedBy(t *testing.T, in string, order arrowsort.Order) string {
	out := filepath.Join(t.TempDir(), "sorted.parquet")
	sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "n", Order: order}},
		Output: Output{RowGroupRows: 2, PageRows: 1}})
	return out
}

func TestLayoutOfASortedFile(t *testing.T) {
	before := numbered(t, "before.parquet", "[6, 1, null, 3, 5, 4, 2, 8]")
	now := sortedBy(t, before, arrowsort.Ascending)
	r := layoutOf(t, []string{now}, LayoutOptions{Against: []string{before}, Pages: true,
		Filters: []string{"n >= 4", "n < 6"}})
	require.Equal(t, []string{now}, r.Files)
	require.Equal(t, []string{"n"}, r.Keys)
	require.True(t, *r.Agrees)
	require.Nil(t, r.FirstBad)
	require.Equal(t, int64(8), r.Rows)
	require.Len(t, r.RowGroups, 4)
	n := r.Columns[0]
	require.Equal(t, []string{"n", "int64"}, []string{n.Name, n.Type})
	require.Equal(t, &LayoutDepth{Mean: 1, Worst: 1, Of: 4}, n.Depth)
	require.Equal(t, &LayoutDepth{Mean: 1, Worst: 1, Of: 7}, n.PageDepth, "a page of nulls holds no value")
	require.Equal(t, int64(1), *n.Nulls)
	require.Equal(t, []string{"3", "4"}, []string{*n.Zones[1].Least, *n.Zones[1].Greatest})
	require.InDelta(t, 2./7, *n.Zones[1].From, 1e-9)
	require.Len(t, n.Zones[1].Pages, 2)
	require.Equal(t, "4", *n.Zones[1].Pages[1].Least)
	require.Equal(t, "l.list.element", r.Columns[1].Name)
	require.Equal(t, [3]int64{2, 8, 4}, readNumbers(r.Filter.ByGroups))
	require.Equal(t, [3]int64{2, 4, 2}, readNumbers(r.Filter.ByPages))
	require.Equal(t, [3]int64{1, 2, 8}, readNumbers(r.Against.Filter.ByPages))
	require.Nil(t, r.Against.Agrees, "it declares no order")
	require.Empty(t, r.Against.Keys)

	r = layoutOf(t, []string{now, now}, LayoutOptions{})
	require.True(t, *r.Agrees, "the order holds in each file")
	require.Len(t, r.RowGroups, 8)
	require.Equal(t, 1, r.RowGroups[4].File)
	require.Equal(t, &LayoutDepth{Mean: 2, Worst: 2, Of: 8}, r.Columns[0].Depth)
	require.Empty(t, r.Columns[0].Zones[0].Pages, "pages are not asked for")

	r = layoutOf(t, []string{now, before}, LayoutOptions{})
	require.True(t, r.Varies)
	require.Nil(t, r.Agrees)
	r = layoutOf(t, []string{sortedBy(t, before, arrowsort.Descending)}, LayoutOptions{})
	require.True(t, *r.Agrees)
	require.Equal(t, []string{"n:desc"}, r.Keys)
}

func readNumbers(r FilterRead) [3]int64 { return [3]int64{int64(r.RowGroups), int64(r.Pages), r.Rows} }

// TestLayoutOfAnOrderThatDoesNotHold: the first row group that begins before the one above it ends is named.
func TestLayoutOfAnOrderThatDoesNotHold(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	long := strings.Repeat("b", 100)
	for values, want := range map[string]int{
		`["a", "b", "b", "c"]`:                         -1,
		`["a", "c", "b", "d"]`:                         1,
		`["a", "b", "c", "d", "a", "x"]`:               2,
		`["a", "` + long + `", "` + long + `c", "d"]`:  -1, // the upper bound is cut
		`["a", "b", "` + long + `", "` + long + `"]`:   -1,
		`["b", "` + long + `x", "a", "` + long + `y"]`: 1,
	} {
		path := filepath.Join(t.TempDir(), "x.parquet")
		column := arrowtest.FromJSON(t, arrow.BinaryTypes.String, values)
		table := array.NewTableFromRecords(schema, []arrow.Record{array.NewRecord(schema, []arrow.Array{column}, -1)})
		w, err := tablefile.Create(t.Context(), path, schema, tablefile.WriteOptions{RowGroupRows: 2,
			Order: tablefile.RowOrder{Sorting: []tablefile.SortingColumn{{Path: "s"}}}})
		require.NoError(t, err)
		require.NoError(t, w.Write(t.Context(), table))
		require.NoError(t, w.Finish())
		_, err = w.Commit()
		require.NoError(t, err)
		r := layoutOf(t, []string{path}, LayoutOptions{})
		require.Equal(t, []string{"s"}, r.Keys)
		require.Equal(t, want < 0, *r.Agrees, values)
		if want >= 0 {
			require.Equal(t, want, *r.FirstBad, values)
		}
	}
}

func TestLayoutOfNoRows(t *testing.T) {
	none := numbered(t, "none.parquet", "[]")
	r := layoutOf(t, []string{none}, LayoutOptions{Filters: []string{"n > 1"}})
	require.Empty(t, r.RowGroups)
	require.Nil(t, r.Columns[0].Depth)
	require.Equal(t, FilterRead{}, r.Filter.ByPages)
}

// TestFilterOnTheNameOfAFolder is an error that says where the column is.
func TestFilterOnTheNameOfAFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "t", "origin=ORD")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	b := readFile(t, numbered(t, "in.parquet", "[1, 2]"))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "part-00001.parquet"), b, 0o600))
	_, err := Layout(t.Context(), []string{filepath.Join(folder, "part-00001.parquet")},
		LayoutOptions{Filters: []string{"origin = ORD"}})
	require.ErrorIs(t, err, ErrOption)
	require.ErrorContains(t, err, `Filter "origin = ORD": column "origin" is in the names of folders only: name the `+
		"folders that pass instead of the Filter")
}

// TestLayoutErrors name the option, the column and what to do.
func TestLayoutErrors(t *testing.T) {
	in := numbered(t, "in.parquet", "[1, 2]")
	for filter, want := range map[string]string{
		"m = 1":              `invalid option: Filter "m = 1": there is no column "m"; there are "n", `,
		"n = x":              `Filter "n = x": "x" is no value of type int64: write a whole number`,
		"n":                  "it has no operator",
		"l.list.element = 1": "lies in lists",
	} {
		_, err := Layout(t.Context(), []string{in}, LayoutOptions{Filters: []string{filter}})
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, want)
	}
	text := filepath.Join(t.TempDir(), "x.csv")
	require.NoError(t, os.WriteFile(text, []byte("a\n1\n"), 0o600))
	for _, path := range []string{text, "-"} {
		_, err := Layout(t.Context(), []string{path}, LayoutOptions{})
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, path+" is no Parquet file")
	}
	_, err := Layout(t.Context(), nil, LayoutOptions{})
	require.ErrorIs(t, err, ErrOption)
	_, err = Layout(t.Context(), []string{in}, LayoutOptions{Against: []string{"missing.parquet"}})
	require.ErrorContains(t, err, "missing.parquet")
	_, err = Layout(t.Context(), []string{in, corpusFile(t, "pyarrow/flat.v1.parquet")}, LayoutOptions{})
	require.ErrorIs(t, err, ErrSchema)
}

// TestLayoutOfFilesWithColumnsInAnotherOrder: columns of files are the same by their names, those of a filter among
// them, also where what is inside lists has another name.
func TestLayoutOfFilesWithColumnsInAnotherOrder(t *testing.T) {
	write := func(item string, columns ...string) string {
		var fields []arrow.Field
		var values []arrow.Array
		for _, name := range columns {
			text := map[string]string{"n": "[1, 2]", "s": `["x", "y"]`, "l": "[[7], [8]]"}[name]
			typ := map[string]arrow.DataType{"n": arrow.PrimitiveTypes.Int64, "s": arrow.BinaryTypes.String,
				"l": arrow.ListOfField(arrow.Field{Name: item, Type: arrow.PrimitiveTypes.Int64})}[name]
			fields = append(fields, arrow.Field{Name: name, Type: typ, Nullable: true})
			values = append(values, arrowtest.FromJSON(t, typ, text))
		}
		schema, path := arrow.NewSchema(fields, nil), filepath.Join(t.TempDir(), "x.parquet")
		generate(t, path, schema, 1, func(int) arrow.Record { return array.NewRecord(schema, values, 2) })
		return path
	}
	a, b := write("item", "n", "s", "l"), write("element", "l", "n", "s")
	r := layoutOf(t, []string{a, b}, LayoutOptions{Filters: []string{"s = x", "n = 1"}, Pages: true})
	require.Len(t, r.Columns, 3)
	for i, want := range [][3]string{{"int64", "1", "2"}, {"utf8", "x", "y"}, {"int64", "7", "8"}} {
		c := r.Columns[i]
		require.Equal(t, want, [3]string{c.Type, *c.Least, *c.Greatest})
		require.Equal(t, &LayoutDepth{Mean: 2, Worst: 2, Of: 2}, c.Depth)
		require.Len(t, c.Zones, 2)
	}
	require.Equal(t, 2, r.Filter.ByGroups.RowGroups)
	r = layoutOf(t, []string{a, b}, LayoutOptions{Filters: []string{"s = z"}})
	require.Zero(t, r.Filter.ByGroups.RowGroups)
}

// TestLayoutOfACurve names the curve, unless files with rows differ in it.
func TestLayoutOfACurve(t *testing.T) {
	before, curve := numbered(t, "x.parquet", "[3, 1, 2]"), filepath.Join(t.TempDir(), "curve.parquet")
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64},
		{Name: "b", Type: arrow.PrimitiveTypes.Int64}}, nil)
	a := arrowtest.FromJSON(t, arrow.PrimitiveTypes.Int64, "[3, 1, 2]")
	generate(t, before, schema, 1, func(int) arrow.Record { return array.NewRecord(schema, []arrow.Array{a, a}, 3) })
	sortFiles(t, []string{before}, curve, Options{Keys: []arrowsort.Key{{Path: "a"}, {Path: "b"}},
		Curve: arrowsort.Hilbert})
	r := layoutOf(t, []string{curve, curve}, LayoutOptions{})
	require.Equal(t, &LayoutCurve{Curve: "hilbert", Keys: []string{"a", "b"}}, r.Curve)
	require.False(t, r.Varies)
	for _, paths := range [][]string{{curve, before}, {before, curve}} {
		r = layoutOf(t, paths, LayoutOptions{})
		require.Nil(t, r.Curve)
		require.True(t, r.Varies)
	}
}

// TestFilterOfAColumnByItsNumber: columns that share a name, or have none, are named by a number.
func TestFilterOfAColumnByItsNumber(t *testing.T) {
	typ, path := arrow.PrimitiveTypes.Int64, filepath.Join(t.TempDir(), "x.parquet")
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: typ}, {Name: "a", Type: typ}, {Name: "", Type: typ}}, nil)
	columns := []arrow.Array{arrowtest.FromJSON(t, typ, "[1]"), arrowtest.FromJSON(t, typ, "[2]"),
		arrowtest.FromJSON(t, typ, "[3]")}
	generate(t, path, schema, 1, func(int) arrow.Record { return array.NewRecord(schema, columns, 1) })
	for filter, want := range map[string]int{"#1 = 1": 1, "#2 = 1": 0, "#2 = 2": 1, "#3 = 3": 1, "#3 > 3": 0} {
		r := layoutOf(t, []string{path}, LayoutOptions{Filters: []string{filter}})
		require.Equal(t, want, r.Filter.ByGroups.RowGroups, filter)
	}
	for filter, want := range map[string]string{"a = 1": `several columns are named "a": name the one that you mean`,
		"#4 = 1": `there is no column "#4"`, "#0 = 1": `there is no column "#0"`} {
		_, err := Layout(t.Context(), []string{path}, LayoutOptions{Filters: []string{filter}})
		require.ErrorIs(t, err, ErrOption)
		require.ErrorContains(t, err, want)
	}
}

func corpusFile(t *testing.T, name string) string {
	for _, file := range corpus.Files(t, "parquet") {
		if file.Name == name {
			return file.Path
		}
	}
	require.Fail(t, fmt.Sprintf("the corpus has no %s", name))
	return ""
}
