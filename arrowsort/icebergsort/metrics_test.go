package icebergsort

import (
	"bytes"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"
)

// The metrics of new files are those that the values of the files, as iceberg-go reads them, have.
func TestMetricsAreThoseOfTheValues(t *testing.T) {
	cat, _ := newCatalog(t)
	fillTable(t, newTable(t, cat, everyType()), seeded(t), 3, 700)
	_, tbl := rewrite(t.Context(), t, cat, Options{Sort: "string, id", TargetFileSize: 2 * smallFiles})
	files := dataFiles(t, tbl)
	require.Greater(t, len(files), 1)
	for _, f := range files {
		checkMetrics(t, tbl, f)
	}
}

// checkMetrics compares the metrics of the columns that are no lists or maps.
func checkMetrics(t *testing.T, tbl *table.Table, f iceberg.DataFile) {
	t.Helper()
	_, records, err := tbl.Scan().ReadTasks(t.Context(), []table.FileScanTask{{File: f, Length: f.FileSizeBytes()}})
	require.NoError(t, err)
	nulls, nans, rows := map[int]int64{}, map[int]int64{}, int64(0)
	for rec, err := range records {
		require.NoError(t, err)
		rows += rec.NumRows()
		for c, field := range tbl.Schema().Fields() {
			nulls[field.ID] += int64(rec.Column(c).NullN())
			for i := range int(rec.NumRows()) {
				if v, ok := floatAt(rec.Column(c), i); ok && math.IsNaN(v) {
					nans[field.ID]++
				}
				checkBounds(t, f, field, rec.Column(c), i)
			}
		}
		rec.Release()
	}
	require.Equal(t, rows, f.Count())
	for _, field := range tbl.Schema().Fields() {
		if _, ok := field.Type.(iceberg.PrimitiveType); !ok {
			require.NotContains(t, f.ValueCounts(), field.ID)
			continue
		}
		require.Equal(t, rows, f.ValueCounts()[field.ID], field.Name)
		require.Equal(t, nulls[field.ID], f.NullValueCounts()[field.ID], field.Name)
		require.Positive(t, f.ColumnSizes()[field.ID], field.Name)
		counted, ok := f.NaNValueCounts()[field.ID]
		require.Equal(t, field.Type.Equals(iceberg.PrimitiveTypes.Float32) ||
			field.Type.Equals(iceberg.PrimitiveTypes.Float64), ok, field.Name)
		require.Equal(t, nans[field.ID], counted, field.Name)
	}
	require.NotEmpty(t, f.SplitOffsets())
	require.Equal(t, int64(4), f.SplitOffsets()[0])
	require.Contains(t, f.LowerBoundValues(), 23, "a field of a struct")
	require.Contains(t, f.NaNValueCounts(), 24)
	require.NotContains(t, f.LowerBoundValues(), 18, "elements of a list")
	require.Contains(t, f.ColumnSizes(), 18)
}

func floatAt(a arrow.Array, i int) (v float64, ok bool) {
	if a.IsNull(i) {
		return 0, false
	}
	switch a := a.(type) {
	case *array.Float32:
		return float64(a.Value(i)), true
	case *array.Float64:
		return a.Value(i), true
	}
	return 0, false
}

// checkBounds checks that a value is within the bounds of its file.
func checkBounds(t *testing.T, f iceberg.DataFile, field iceberg.NestedField, a arrow.Array, i int) {
	t.Helper()
	if _, ok := field.Type.(iceberg.PrimitiveType); !ok || a.IsNull(i) {
		return
	}
	low, high := f.LowerBoundValues()[field.ID], f.UpperBoundValues()[field.ID]
	require.NotNil(t, low, field.Name)
	var value []byte
	switch a := a.(type) {
	case *array.String:
		value = []byte(a.Value(i))
		require.LessOrEqual(t, len([]rune(string(low))), 16)
	case *array.Binary:
		value = a.Value(i)
		if high == nil {
			return // none of 16 bytes is larger
		}
	case *array.Int64:
		value = int64Bytes(a.Value(i))
	case *array.Int32:
		value = int64Bytes(int64(a.Value(i)))[:4]
	case *array.Date32:
		value = int64Bytes(int64(a.Value(i)))[:4]
	case *array.Timestamp:
		value = int64Bytes(int64(a.Value(i)))
	case *array.Time64:
		value = int64Bytes(int64(a.Value(i)))
	case *array.Float64:
		if v := a.Value(i); v == v {
			value = int64Bytes(int64(math.Float64bits(v)))
		}
	case *array.Decimal128:
		value = decimalBytes(int64(a.Value(i).LowBits()))
	}
	if value == nil {
		return
	}
	require.LessOrEqual(t, compareOrdered(field.Type, low, value), 0, "%s: %x %x", field.Name, low, value)
	require.GreaterOrEqual(t, compareOrdered(field.Type, high, value), 0, "%s: %x %x", field.Name, high, value)
}

// The table's properties choose the metrics of each column.
func TestMetricsModes(t *testing.T) {
	cat, _ := newCatalog(t)
	fillTable(t, newTable(t, cat, flights(), catalog.WithProperties(iceberg.Properties{
		metricsDefault: "counts", metricsColumn + "origin": "truncate(2)", metricsColumn + "delay": "none",
		metricsColumn + "id": "full"})), seeded(t), 1, 500)
	_, tbl := rewrite(t.Context(), t, cat, Options{Sort: "id"})
	f := dataFiles(t, tbl)[0]
	require.NotContains(t, f.ValueCounts(), 3)
	require.NotContains(t, f.ColumnSizes(), 3)
	require.NotContains(t, f.LowerBoundValues(), 4)
	require.Contains(t, f.NaNValueCounts(), 4)
	require.LessOrEqual(t, len([]rune(string(f.UpperBoundValues()[1]))), 2)
	require.True(t, bytes.Equal(int64Bytes(499), f.UpperBoundValues()[5]))

	for _, text := range []string{"some", "truncate(0)", "truncate(x)", ""} {
		_, err := parseMetricsMode(metricsDefault, text)
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, metricsDefault)
	}
}

// The order of floating-point numbers is that of Iceberg where there is neither -0.0 nor, on the other side, NaN.
func TestSortOrderOfFloats(t *testing.T) {
	for _, c := range []struct {
		order  string
		values []float64
		want   int
	}{
		{"distance", []float64{1, 0, -3}, 1},
		{"distance", []float64{1, math.Copysign(0, -1)}, 0},
		{"distance", []float64{1, math.NaN()}, 0},
		{"distance nulls last", []float64{1, math.NaN()}, 1},
		{"distance nulls last", []float64{1, math.Copysign(math.NaN(), -1)}, 0},
		{"distance desc", []float64{1, math.NaN()}, 0},
		{"distance desc nulls first", []float64{1, math.NaN()}, 1},
	} {
		var f floatScan
		for _, v := range c.values {
			f.add(v)
		}
		terms, err := parseOrder(c.order)
		require.NoError(t, err)
		o := order{terms: terms, fields: []iceberg.NestedField{{ID: 4}}, id: 1, sorted: 1}
		m := &fileMetrics{nanCount: map[int]int64{4: f.nans}, signed: map[int]bool{4: f.signed}}
		require.Equal(t, c.want, o.idFor(m), "%s %v", c.order, c.values)
	}
}
