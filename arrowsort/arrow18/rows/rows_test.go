package rows_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/modern"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/rows"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	core "github.com/arrowsort/arrowsort/arrowsort/rows"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// keyTypes are the types of the core that can be keys.
func keyTypes(t *testing.T) (types []v15.DataType) {
	for _, typ := range arrowtest.Types() {
		if _, err := core.NewConverter(core.Field{Type: typ}); err == nil {
			types = append(types, typ)
		}
	}
	require.Greater(t, len(types), 30)
	return types
}

// Rows have the bytes of the same values in v15, and decode to the values that went in, with the types of v18.
func TestRowsAreThoseOfTheCore(t *testing.T) {
	types := keyTypes(t)
	for i := range uint64(testrun.Count(1000, 150)) {
		seed := testrun.Seed() + i
		r := rand.New(rand.NewPCG(seed, 31))
		var old []v15.Array
		var columns []arrow.Array
		var oldFields []core.Field
		var fields []rows.Field
		n := r.IntN(40)
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		for k := range 1 + r.IntN(3) {
			typ := types[r.IntN(len(types))]
			if k == 0 {
				typ = types[seed%uint64(len(types))]
			}
			order, nulls := arrowsort.Order(r.IntN(2)), arrowsort.NullPlacement(r.IntN(2))
			made := []func(v15.DataType) arrow.DataType{modern.Plain, modern.Type}[r.IntN(2)](typ)
			old = append(old, arrowtest.RandomSlice(r, typ, n, r.IntN(9), 0.2, mem))
			columns = append(columns, convert.ToArray(old[k], made))
			oldFields = append(oldFields, core.Field{Name: fmt.Sprint("c", k), Type: typ, Order: order, Nulls: nulls})
			fields = append(fields, rows.Field{Name: fmt.Sprint("c", k), Type: made, Order: order, Nulls: nulls})
		}
		rec, rec15 := recordOf(columns), recordOf15(old)
		converter, err := rows.NewConverter(fields...)
		require.NoError(t, err, "seed %d", seed)
		oldConverter, err := core.NewConverter(oldFields...)
		require.NoError(t, err, "seed %d", seed)
		want, err := oldConverter.Encode(t.Context(), rec15, core.Options{Allocator: mem})
		require.NoError(t, err, "seed %d", seed)
		got, err := converter.Encode(t.Context(), rec, rows.Options{Allocator: mem, Threads: 1 + r.IntN(2)})
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, want.Bytes(), got.Bytes(), "seed %d", seed)
		require.Equal(t, want.Offsets(), got.Offsets(), "seed %d", seed)
		if n > 0 {
			row := r.IntN(n)
			one, err := converter.AppendRow([]byte("x"), rec, row)
			require.NoError(t, err)
			require.Equal(t, append([]byte("x"), want.Row(row)...), one, "seed %d", seed)
		}
		borrowed, err := rows.NewRows(got.Bytes(), got.Offsets())
		require.NoError(t, err)
		decoded, err := converter.Decode(t.Context(), borrowed, rows.Options{Allocator: mem})
		require.NoError(t, err, "seed %d", seed)
		requireDecoded(t, seed, oldConverter, converter, want, decoded)
		for _, done := range []arrowsort.Data{decoded, rec, rec15} {
			done.Release()
		}
		want.Release()
		got.Release()
		mem.AssertSize(t, 0)
	}
}

// requireDecoded compares decoded rows with those of the core.
func requireDecoded(t *testing.T, seed uint64, old *core.Converter, c *rows.Converter, in *core.Rows,
	got arrow.RecordBatch) {
	want, err := old.Decode(t.Context(), in, core.Options{})
	require.NoError(t, err)
	defer want.Release()
	require.True(t, c.Schema().Equal(got.Schema()))
	require.Equal(t, want.NumRows(), got.NumRows())
	for i, column := range got.Columns() {
		there := convert.ToArray(want.Column(i), column.DataType())
		require.True(t, array.Equal(there, column), "seed %d, column %d of %s", seed, i, column.DataType())
		there.Release()
	}
}

func recordOf(columns []arrow.Array) arrow.RecordBatch {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: c.DataType(), Nullable: true}
		defer c.Release()
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(columns[0].Len()))
}

func recordOf15(columns []v15.Array) v15.Record {
	fields := make([]v15.Field, len(columns))
	for i, c := range columns {
		fields[i] = v15.Field{Name: fmt.Sprint("c", i), Type: c.DataType(), Nullable: true}
		defer c.Release()
	}
	return array15.NewRecord(v15.NewSchema(fields, nil), columns, int64(columns[0].Len()))
}

// Types of v18 come back as they are, dictionaries and runs as their values.
func TestTypesOfDecode(t *testing.T) {
	decimal, tag := &arrow.Decimal32Type{Precision: 5}, modern.NewTag(arrow.PrimitiveTypes.Int64)
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: decimal}
	nested := arrow.StructOf(arrow.Field{Name: "d", Type: words, Nullable: true}, arrow.Field{Name: "t", Type: tag})
	schema := arrow.NewSchema([]arrow.Field{{Name: "list", Type: arrow.ListOf(tag)}, {Name: "d", Type: decimal},
		{Name: "t", Type: tag}, {Name: "w", Type: words}, {Name: "s", Type: nested},
		{Name: "r", Type: arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, tag)}}, nil)
	c, err := rows.ForKeys(schema, []arrowsort.Key{{Path: "d"}, {Path: "t"}, {Path: "w"}, {Path: "s"}, {Path: "r"}})
	require.NoError(t, err)
	var got []string
	for _, f := range c.Schema().Fields() {
		got = append(got, f.Name+" "+f.Type.String())
	}
	require.Equal(t, []string{"d decimal32(5, 0)", "t tag<int64>", "w decimal32(5, 0)",
		"s struct<d: decimal32(5, 0) nullable, t: tag<int64>>", "r tag<int64>"}, got)
}

func TestErrors(t *testing.T) {
	_, err := rows.NewConverter(rows.Field{Name: "k"})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = rows.NewConverter(rows.Field{Name: "k", Type: arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval)})
	require.ErrorIs(t, err, arrowsort.ErrKeyType)
	_, err = rows.ForKeys(nil, []arrowsort.Key{{Path: "k"}})
	require.ErrorIs(t, err, arrow.ErrInvalid)
	c, err := rows.NewConverter(rows.Field{Name: "k", Type: arrow.BinaryTypes.String})
	require.NoError(t, err)
	_, err = c.Encode(t.Context(), array.NewNull(1), rows.Options{})
	require.ErrorContains(t, err, "has type null, the converter is for utf8")
	_, err = c.Encode(t.Context(), nil, rows.Options{})
	require.ErrorIs(t, err, arrow.ErrInvalid)
	_, err = c.AppendRow(nil, nil, 0)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	_, err = rows.NewRows(nil, nil)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	wrong, err := rows.NewRows([]byte{7}, []int64{0, 1})
	require.NoError(t, err)
	_, err = c.Decode(t.Context(), wrong, rows.Options{})
	require.ErrorIs(t, err, rows.ErrRow)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	var none context.Context
	_, err = c.Decode(none, wrong, rows.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
}
