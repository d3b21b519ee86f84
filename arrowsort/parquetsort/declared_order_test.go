package parquetsort

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// unnamedSchema has columns for which Parquet's sorting columns have no name: with NaN, or of several leaf columns.
var unnamedSchema = arrow.NewSchema([]arrow.Field{
	{Name: "half", Type: arrow.FixedWidthTypes.Float16}, {Name: "single", Type: arrow.PrimitiveTypes.Float32},
	{Name: "double", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "pair", Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
		arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Float64, Nullable: true}), Nullable: true},
	{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int16), Nullable: true},
	{Name: "group", Type: arrow.PrimitiveTypes.Int32}, {Name: "row", Type: arrow.PrimitiveTypes.Int64},
}, nil)

// unnamedRows returns rows of unnamedSchema. NaNs are among them where they are wanted.
func unnamedRows(r *rand.Rand, first, rows int, nan bool) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, unnamedSchema)
	defer b.Release()
	number := func() float64 {
		if nan && r.IntN(4) == 0 {
			return math.NaN()
		}
		return float64(r.IntN(5)) - 2
	}
	pair, list := b.Field(3).(*array.StructBuilder), b.Field(4).(*array.ListBuilder)
	for i := range rows {
		b.Field(0).(*array.Float16Builder).Append(float16.New(float32(number())))
		b.Field(1).(*array.Float32Builder).Append(float32(number()))
		if d := b.Field(2).(*array.Float64Builder); r.IntN(5) == 0 {
			d.AppendNull()
		} else {
			d.Append(number())
		}
		pair.Append(r.IntN(5) > 0)
		pair.FieldBuilder(0).(*array.Int8Builder).Append(int8(r.IntN(3)))
		pair.FieldBuilder(1).(*array.Float64Builder).Append(number())
		list.Append(r.IntN(5) > 0)
		for range r.IntN(3) {
			list.ValueBuilder().(*array.Int16Builder).Append(int16(r.IntN(3)))
		}
		b.Field(5).(*array.Int32Builder).Append(int32(r.IntN(3)))
		b.Field(6).(*array.Int64Builder).Append(int64(first + i))
	}
	return b.NewRecord()
}

// declaredBy returns the keys and the number of sorting columns that a file names, whose order is that of the keys.
func declaredBy(t *testing.T, path string) (keys string, sorting int) {
	t.Helper()
	s := scanFile(t, path, 1<<20, tablefile.ReadOptions{})
	o := roworder.Declared(path, s)
	require.False(t, o.Mixed)
	checked, err := Check(t.Context(), []string{path}, CheckOptions{Keys: o.Keys})
	require.NoError(t, err)
	require.Nil(t, checked.Violation, path)
	return fmt.Sprint(flagtext.KeyTexts(o.Keys)), len(s.Template.RowGroups()[0].SortingColumns)
}

// TestOrdersWithoutSortingColumns: what sorting columns have no place for, the metadata name with all keys, whichever
// way the file was made.
func TestOrdersWithoutSortingColumns(t *testing.T) {
	folder, r := t.TempDir(), rand.New(rand.NewPCG(testrun.Seed(), 9))
	in, whole := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "whole.parquet")
	generate(t, in, unnamedSchema, 3, func(batch int) arrow.Record {
		return unnamedRows(r, batch*5000, 5000, true)
	})
	generate(t, whole, unnamedSchema, 1, func(int) arrow.Record { return unnamedRows(r, 0, 500, false) })
	for key, named := range map[string]bool{"half": true, "single:desc": true, "double:nulls-first": true,
		"pair": false, "list": false, "pair.b": true} {
		order := []string{"group", key, "row"}
		var keys []arrowsort.Key
		for _, text := range order {
			key, err := flagtext.KeyIn(text, unnamedSchema)
			require.NoError(t, err)
			keys = append(keys, key)
		}
		want := fmt.Sprint(order)
		requireDeclared := func(path, keys string, sorting int) {
			t.Helper()
			gotKeys, gotSorting := declaredBy(t, path)
			require.Equal(t, keys, gotKeys, key)
			require.Equal(t, sorting, gotSorting, key)
		}
		out := func(name string) string { return filepath.Join(folder, key+name) }
		sortFiles(t, []string{whole}, out("named.parquet"), Options{Keys: keys})
		if named {
			requireDeclared(out("named.parquet"), want, 3)
			require.Nil(t, keyOrder(t, out("named.parquet")), "sorting columns name it")
		} else {
			requireDeclared(out("named.parquet"), want, 1)
		}
		for name, opts := range map[string]Options{
			"memory":  {},
			"runs":    {Memory: Memory{Budget: MinMemory, SpillDir: folder}},
			"limit":   {Rows: Rows{Limit: 9000}},
			"tail":    {Rows: Rows{Tail: 9000}},
			"columns": {Columns: []string{"row", keys[1].Path, "group"}},
		} {
			if opts.Keys = keys; len(opts.Columns) > 0 && key == "pair.b" {
				opts.Columns[1] = "pair"
			}
			sortFiles(t, []string{in}, out(name+".parquet"), opts)
			requireDeclared(out(name+".parquet"), want, 1)
		}
		sortFiles(t, []string{in}, out("few.parquet"), Options{Keys: keys, Columns: []string{"row", "group"}})
		requireDeclared(out("few.parquet"), "[group]", 1)
		sortFiles(t, []string{in}, out("unique.parquet"), Options{Keys: keys[:2], Rows: Rows{Unique: true}})
		requireDeclared(out("unique.parquet"), fmt.Sprint(order[:2]), 1)
		sortFiles(t, []string{in}, out("parts"), Options{Keys: keys, Output: Output{PartitionBy: []string{"group"}}})
		parts, err := filepath.Glob(filepath.Join(out("parts"), "*", "*.parquet"))
		require.NoError(t, err)
		require.NotEmpty(t, parts)
		for _, part := range parts {
			requireDeclared(part, fmt.Sprint(order[1:]), 0)
		}

		sortFiles(t, []string{in}, out("file.parquet"), Options{Keys: keys, Output: Output{RowsPerFile: 6000}})
		files, err := filepath.Glob(out("file*"))
		require.NoError(t, err)
		require.Len(t, files, 3)
		_, err = Merge(t.Context(), files, out("joined.parquet"), Options{Keys: keys})
		require.NoError(t, err)
		requireDeclared(out("joined.parquet"), want, 1)

		other := out("other.parquet")
		sortFiles(t, []string{whole}, other, Options{Keys: keys})
		_, err = Merge(t.Context(), []string{out("memory.parquet"), other}, out("merged.parquet"), Options{Keys: keys})
		require.NoError(t, err)
		requireDeclared(out("merged.parquet"), want, 1)

		s, err := NewSorter(t.Context(), unnamedSchema, keys, SorterOptions{})
		require.NoError(t, err)
		rec := unnamedRows(r, 0, 1000, true)
		require.NoError(t, s.Write(rec))
		rec.Release()
		_, err = s.WriteFile(out("sorter.parquet"), Output{})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		requireDeclared(out("sorter.parquet"), want, 1)
	}
	for _, budget := range []int64{0, MinMemory} {
		_, err := Sort(t.Context(), []string{in}, whole, Options{Curve: arrowsort.Hilbert, Keys: []arrowsort.Key{
			arrowsort.KeyOf("double"), arrowsort.KeyOf("row")}, Memory: Memory{Budget: budget, SpillDir: folder}})
		require.NoError(t, err)
		require.Nil(t, keyOrder(t, whole), "the order is that of a curve")
	}
}

// keyOrder returns the order that the metadata of a file name; nil for none.
func keyOrder(t *testing.T, path string) *tablefile.KeyOrder {
	t.Helper()
	o, err := scanFile(t, path, 1<<20, tablefile.ReadOptions{}).Template.KeyOrder()
	require.NoError(t, err)
	return o
}

// TestOrderOfFilesOfOthers: another program that writes the rows again may carry the metadata on.
func TestOrderOfFilesOfOthers(t *testing.T) {
	folder, r := t.TempDir(), rand.New(rand.NewPCG(testrun.Seed(), 10))
	path := filepath.Join(folder, "x.parquet")
	generate(t, path, unnamedSchema, 1, func(int) arrow.Record { return unnamedRows(r, 0, 500, true) })
	sortFiles(t, []string{path}, path, Options{Keys: []arrowsort.Key{{Path: "pair"}}})
	require.NotNil(t, keyOrder(t, path))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	copy(b[bytes.LastIndex(b, []byte("arrowsort")):], "pyarrow..") // created_by follows the metadata
	require.NoError(t, os.WriteFile(path, b, 0o600))
	require.Nil(t, keyOrder(t, path))
}

// TestLayoutOfUnnamedOrders: bounds of columns that are not those of the order say nothing about it.
func TestLayoutOfUnnamedOrders(t *testing.T) {
	folder, r := t.TempDir(), rand.New(rand.NewPCG(testrun.Seed(), 11))
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	inside := arrow.StructOf(arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Int64})
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: inside}, {Name: "s.b", Type: arrow.PrimitiveTypes.Int64},
		{Name: "", Type: arrow.PrimitiveTypes.Int64}, {Name: "#3", Type: arrow.PrimitiveTypes.Int64}}, nil)
	generate(t, in, schema, 1, func(int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		for range 3000 {
			b.Field(0).(*array.StructBuilder).Append(true)
			b.Field(0).(*array.StructBuilder).FieldBuilder(0).(*array.Int64Builder).Append(r.Int64N(1000))
			for column := 1; column < 4; column++ {
				b.Field(column).(*array.Int64Builder).Append(r.Int64N(1000))
			}
		}
		return b.NewRecord()
	})
	sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{{Path: "s.b"}}, Output: Output{RowGroupRows: 500}})
	keys, _ := declaredBy(t, out)
	require.Equal(t, "[s.b]", keys)
	layout, err := Layout(t.Context(), []string{out}, LayoutOptions{})
	require.NoError(t, err)
	require.Nil(t, layout.Agrees)

	sortFiles(t, []string{in}, out, Options{Keys: []arrowsort.Key{arrowsort.KeyAt(2), {Path: "s"}}})
	require.Nil(t, keyOrder(t, out), "no text is the first key")
	keys, _ = declaredBy(t, out)
	require.Equal(t, "[#3]", keys)
}
