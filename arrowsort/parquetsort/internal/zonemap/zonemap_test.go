package zonemap

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// bounded are the types whose bounds are compared.
func bounded() (types []arrow.DataType) {
	for _, typ := range arrowtest.Flat() {
		switch typ.ID() {
		case arrow.NULL, arrow.DATE64, arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO,
			arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.EXTENSION:
		case arrow.DURATION, arrow.TIME32, arrow.TIMESTAMP:
			if typ.(arrow.TemporalWithUnit).TimeUnit() != arrow.Second { // Parquet has milliseconds
				types = append(types, typ)
			}
		default:
			types = append(types, typ)
		}
	}
	return types
}

// write writes columns to a Parquet file with row groups and pages of some rows.
func write(t *testing.T, columns []arrow.Array, groupRows, pageRows int) string {
	t.Helper()
	var fields []arrow.Field
	for i, c := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: c.DataType(), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	rec := array.NewRecord(schema, columns, int64(columns[0].Len()))
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	path := filepath.Join(t.TempDir(), "x.parquet")
	w, err := tablefile.Create(t.Context(), path, schema, tablefile.WriteOptions{RowGroupRows: groupRows,
		PageRows: pageRows})
	require.NoError(t, err)
	defer w.Abort()
	require.NoError(t, w.Write(t.Context(), table))
	require.NoError(t, w.Finish())
	_, err = w.Commit()
	require.NoError(t, err)
	return path
}

// read returns the zone map of files.
func read(t *testing.T, opts Options, paths ...string) *Map {
	t.Helper()
	mem := arrowtest.Checked(t)
	opts.Allocator = mem
	var m Map
	for i, path := range paths {
		s, err := tablefile.Scan(path, 1<<20, tablefile.ReadOptions{})
		require.NoError(t, err)
		require.NoError(t, m.Add(t.Context(), i, s, opts))
		s.Close()
	}
	return &m
}

// keysOf returns values in the form of package rows; nil for null and NaN.
func keysOf(t *testing.T, values arrow.Array) [][]byte {
	if id := values.DataType().ID(); id == arrow.STRING || id == arrow.LARGE_STRING || id == arrow.LARGE_BINARY {
		b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
		for i := range values.Len() {
			if values.IsNull(i) {
				b.AppendNull()
				continue
			}
			switch a := values.(type) {
			case *array.String:
				b.AppendString(a.Value(i))
			case *array.LargeString:
				b.AppendString(a.Value(i))
			case *array.LargeBinary:
				b.Append(a.Value(i))
			}
		}
		values = b.NewArray()
	}
	encoded, err := encode(t.Context(), values, memory.DefaultAllocator)
	require.NoError(t, err)
	defer encoded.Release()
	keys := make([][]byte, encoded.Len())
	for i := range keys {
		nan := arrow.IsFloating(values.DataType().ID()) && math.IsNaN(floatOf(encoded.Row(i)))
		if !values.IsNull(i) && !nan {
			keys[i] = bytes.Clone(encoded.Row(i))
		}
	}
	return keys
}

// withNaN returns floats of which some are NaN.
func withNaN(values arrow.Array) arrow.Array {
	b, ok := array.NewBuilder(memory.DefaultAllocator, values.DataType()).(*array.Float64Builder)
	if !ok {
		return values
	}
	for i := range values.Len() {
		switch {
		case values.IsNull(i):
			b.AppendNull()
		case i%7 == 3:
			b.Append(math.NaN())
		default:
			b.Append(values.(*array.Float64).Value(i))
		}
	}
	return b.NewArray()
}

// TestZonesHoldTheirRows of every type: the bounds of row groups and pages bound all values, and counts and bytes are
// right.
func TestZonesHoldTheirRows(t *testing.T) {
	for i, typ := range testrun.Sample(2, bounded()) {
		for _, nulls := range []float64{0, 0.3, 1} {
			rng := rand.New(rand.NewPCG(testrun.Seed(), uint64(i)))
			rows := 1 + rng.IntN(400)
			values := withNaN(arrowtest.Random(rng, typ, rows, nulls, memory.DefaultAllocator))
			groupRows := 1 + rng.IntN(150)
			path := write(t, []arrow.Array{values}, groupRows, 1+rng.IntN(40))
			what := fmt.Sprintf("%s, %v nulls, %d rows, seed %d", typ, nulls, rows, testrun.Seed())
			m := read(t, Options{PageTexts: true}, path, path)
			require.Len(t, m.Columns, 1, what)
			require.Equal(t, 2*((rows+groupRows-1)/groupRows), len(m.Groups), what)
			c, keys, row, bytes := m.Columns[0], keysOf(t, values), 0, int64(0)
			require.True(t, arrow.TypeEqual(typ, c.Type), what)
			for g := range m.Groups {
				zone, of := &c.Groups[g], keys[row:][:m.Groups[g].Rows]
				requireZone(t, zone, of, values, row, false, what)
				end, sum := int64(0), int64(0)
				for p := range c.Pages[g] {
					page := &c.Pages[g][p]
					require.Equal(t, end, page.Row, what)
					requireZone(t, page, of[page.Row:][:page.Rows], values, row+int(page.Row), true,
						what)
					end, sum = end+page.Rows, sum+page.Bytes
				}
				if len(c.Pages[g]) > 0 {
					require.Equal(t, zone.Rows, end, what)
				}
				require.LessOrEqual(t, sum, zone.Bytes, what)
				bytes += zone.Bytes
				if row += int(zone.Rows); row == rows {
					row = 0 // the second file
				}
			}
			require.Equal(t, c.Bytes, bytes, what)
		}
	}
}

func requireZone(t *testing.T, z *Zone, keys [][]byte, values arrow.Array, row int, isPage bool,
	what string) {
	t.Helper()
	require.Equal(t, int64(len(keys)), z.Rows, what)
	nulls, least, most := int64(0), []byte(nil), []byte(nil)
	for i, key := range keys {
		if values.IsNull(row + i) {
			nulls++
		}
		if key != nil && (least == nil || bytes.Compare(key, least) < 0) {
			least = key
		}
		if key != nil && (most == nil || bytes.Compare(key, most) > 0) {
			most = key
		}
	}
	if z.Counts.Nulls >= 0 || !isPage { // pages next to one of NaNs have no counts
		require.Equal(t, nulls, z.Counts.Nulls, what)
		require.Equal(t, nulls == z.Rows, z.Empty(), what)
	}
	if z.Low != nil {
		require.LessOrEqual(t, bytes.Compare(z.Low, least), 0, what)
	}
	if z.High != nil {
		require.GreaterOrEqual(t, bytes.Compare(z.High, most), 0, what)
	}
	if fixed, ok := values.DataType().(arrow.FixedWidthDataType); ok && fixed.Bytes() <= 8 && least != nil &&
		(!isPage || z.Low != nil) && !slices.ContainsFunc(keys, func(key []byte) bool { return key == nil }) {
		require.Equal(t, least, z.Low, "%s: it is not cut", what)
		require.Equal(t, most, z.High, "%s: it is not cut", what)
		require.NotEmpty(t, z.Least, what)
	}
}

// TestFiltersReadAllThatPasses: no row that passes filters lies in a row group or page that is not read.
func TestFiltersReadAllThatPasses(t *testing.T) {
	left := 0
	for i, typ := range testrun.Sample(3, bounded()) {
		for range testrun.Count(20, 4) {
			rng := rand.New(rand.NewPCG(testrun.Seed(), uint64(i)))
			values := withNaN(arrowtest.Random(rng, typ, 200, 0.1, memory.DefaultAllocator))
			m := read(t, Options{}, write(t, []arrow.Array{values}, 60, 7))
			keys := keysOf(t, values)
			for _, op := range []string{"=", "!=", "<", "<=", ">", ">=", isNull, notNull} {
				f := Filter{op: op, key: keys[rng.IntN(len(keys))]}
				if f.key == nil {
					continue
				}
				row := 0
				for g := range m.Groups {
					zone, pages := &m.Columns[0].Groups[g], m.Columns[0].Pages[g]
					for r := range int(zone.Rows) {
						if key := keys[row+r]; passes(op, key, f.key, values.IsNull(row+r)) {
							require.True(t, f.may(zone), "%s %s, seed %d", typ, op, testrun.Seed())
							spans := f.spans(pages, []span{{0, zone.Rows}})
							require.True(t, slices.ContainsFunc(spans, func(s span) bool {
								return s.start <= int64(r) && int64(r) < s.end
							}), "%s %s, seed %d", typ, op, testrun.Seed())
						}
					}
					if !f.may(zone) {
						left++
					}
					row += int(zone.Rows)
				}
			}
		}
	}
	require.Positive(t, left)
}

// passes reports whether a row passes a filter; the key of a NaN is nil.
func passes(op string, key, literal []byte, null bool) bool {
	switch {
	case op == isNull:
		return null
	case null:
		return false
	case op == notNull:
		return true
	case key == nil:
		return op == "!=" || op == ">" || op == ">="
	}
	order := bytes.Compare(key, literal)
	switch op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}
