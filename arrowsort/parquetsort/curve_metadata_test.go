package parquetsort

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// ofTwoColumns writes a file of a column before one of numbers, with some names.
func ofTwoColumns(t *testing.T, path string, names [2]string, column arrow.Array) {
	numbers := array.NewInt32Builder(memory.DefaultAllocator)
	for i := range column.Len() {
		numbers.Append(int32(i * 7919 % 1009))
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: names[0], Type: column.DataType(), Nullable: true},
		{Name: names[1], Type: arrow.PrimitiveTypes.Int32}}, nil)
	table := array.NewTableFromSlice(schema, [][]arrow.Array{{column}, {numbers.NewArray()}})
	writeTable(t, path, table, tablefile.WriteOptions{})
}

// soundDates makes a column of milliseconds one of sound dates.
func soundDates(column arrow.Array) arrow.Array {
	dates, ok := column.(*array.Date64)
	if !ok {
		return column
	}
	b := array.NewDate64Builder(memory.DefaultAllocator)
	for i := range dates.Len() {
		if dates.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(dates.Value(i) % 50_000 * (24 * 60 * 60 * 1000))
		}
	}
	return b.NewArray()
}

// soundSeconds makes a column of seconds one that has them in milliseconds, too.
func soundSeconds(column arrow.Array) arrow.Array {
	times, ok := column.(*array.Timestamp)
	if !ok || column.DataType().(*arrow.TimestampType).Unit != arrow.Second {
		return column
	}
	b := array.NewTimestampBuilder(memory.DefaultAllocator, column.DataType().(*arrow.TimestampType))
	for i := range times.Len() {
		if times.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(times.Value(i) % 1_000_000_007)
		}
	}
	return b.NewArray()
}

// TestCheckOfTypesThatParquetStoresOtherwise: a curve over a key of any type, sorted from an Arrow file whose types
// Parquet may not have, is found again in the Parquet file.
func TestCheckOfTypesThatParquetStoresOtherwise(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.arrow"), filepath.Join(folder, "out.parquet")
	r := rand.New(rand.NewPCG(testrun.Seed(), 21))
	changed := 0
	for _, typ := range arrowtest.Flat() {
		const rows = 3000
		column := soundSeconds(soundDates(arrowtest.RandomSlice(r, typ, rows, 5, 0.1, memory.DefaultAllocator)))
		ofTwoColumns(t, in, [2]string{"k", "n"}, column)
		keys := []arrowsort.Key{{Path: "k", Order: arrowsort.Descending}, {Path: "n"}}
		_, err := Sort(t.Context(), []string{in}, out, Options{Keys: keys, Curve: arrowsort.Hilbert})
		if err != nil {
			require.Contains(t, []arrow.Type{arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME,
				arrow.INTERVAL_MONTH_DAY_NANO}, typ.ID())
			continue
		}
		require.Nil(t, checkCurve(t, arrowsort.Hilbert, out), "%s", typ)
		read, err := tablefile.Read(t.Context(), out, tablefile.ReadOptions{})
		require.NoError(t, err)
		if !arrow.TypeEqual(read.Table.Schema().Field(0).Type, typ) {
			changed++
		}
	}
	require.GreaterOrEqual(t, changed, 3, "date64, time32[s] and timestamp[s] at least")
}

// TestCurveOverColumnsNamedLikePositions: the metadata name a column that is called "#1" so that it is not taken for
// the first one.
func TestCurveOverColumnsNamedLikePositions(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	r := rand.New(rand.NewPCG(testrun.Seed(), 22))
	column := arrowtest.RandomSlice(r, arrow.PrimitiveTypes.Int64, 3000, 0, 0, memory.DefaultAllocator)
	ofTwoColumns(t, in, [2]string{"x", "#1"}, column)
	for _, keys := range [][]arrowsort.Key{
		{{Path: "#1", Order: arrowsort.Descending}, {Path: "x"}},
		{{At: arrowsort.Column(1), Order: arrowsort.Descending}, arrowsort.KeyAt(0)},
	} {
		sortFiles(t, []string{in}, out, Options{Keys: keys, Curve: arrowsort.Hilbert})
		require.Nil(t, checkCurve(t, arrowsort.Hilbert, out))
		s, err := tablefile.Scan(out, 1<<20, tablefile.ReadOptions{})
		require.NoError(t, err)
		named, err := s.Template.Curve()
		s.Close()
		require.NoError(t, err)
		require.Equal(t, []string{"#2:desc", "x"}, named.Keys)
		result := checkFiles(t, []string{out}, CheckOptions{Curve: arrowsort.Hilbert, Keys: keys})
		require.Nil(t, result.Violation)
		_, err = Check(t.Context(), []string{out}, CheckOptions{Curve: arrowsort.Hilbert,
			Keys: []arrowsort.Key{{At: arrowsort.Column(0), Order: arrowsort.Descending}, arrowsort.KeyOf("x")}})
		require.ErrorIs(t, err, ErrOption)
	}
}
