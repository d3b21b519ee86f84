package rows_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// TestRowsOfFunctions compares rows of functions of every kind of result with the model: before other keys, of which
// one is the column itself.
func TestRowsOfFunctions(t *testing.T) {
	list := arrow.ListOf(arrow.PrimitiveTypes.Int8)
	for i, c := range []struct {
		typ arrow.DataType
		of  []arrowsort.Function
	}{
		{arrow.BinaryTypes.String, []arrowsort.Function{"lower", "length", "hash"}},
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.LargeString),
			[]arrowsort.Function{"lower"}},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64},
			[]arrowsort.Function{"abs", "% 7", "hash 3"}},
		{arrow.FixedWidthTypes.Float16, []arrowsort.Function{"abs", "hash"}},
		{arrow.PrimitiveTypes.Float64, []arrowsort.Function{"abs"}},
		{&arrow.Decimal128Type{Precision: 20, Scale: 3}, []arrowsort.Function{"abs", "hash 3"}},
		{arrow.FixedWidthTypes.Date64, []arrowsort.Function{"year"}},
		{list, []arrowsort.Function{"length"}},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: list}, []arrowsort.Function{"length"}},
		{arrow.Null, []arrowsort.Function{"lower", "abs"}},
	} {
		for k, of := range c.of {
			checkDerived(t, c.typ, uint64(10*i+k), func(key *arrowsort.Key, by *model.Key) {
				key.Function, by.Function = of, model.Function(string(of), c.typ)
			})
		}
	}
}

// TestRowsOfFunctionsAreNotDecoded: they do not hold the column. Row numbers are not known.
func TestRowsOfFunctionsAreNotDecoded(t *testing.T) {
	c, err := rows.NewConverter(rows.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Function: arrowsort.Abs})
	require.NoError(t, err)
	b := array.NewInt8Builder(memory.NewGoAllocator())
	b.AppendValues([]int8{-128, -5, 5}, nil)
	encoded, err := c.Encode(t.Context(), b.NewArray(), rows.Options{})
	require.NoError(t, err)
	defer encoded.Release()
	require.Equal(t, "\x01\x00\x00\x00\x00\x00\x00\x00\x80", string(encoded.Row(0)))
	require.Equal(t, encoded.Row(1), encoded.Row(2), "they tie")
	_, err = c.Decode(t.Context(), encoded, rows.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.ErrorContains(t, err, "rows with key abs(x) do not hold its column; encode it without a function")
	for of, want := range map[arrowsort.Function]string{
		arrowsort.Random(1): "rows by random(1), which goes by the numbers",
		arrowsort.Lower:     "key lower(x): the column has type int8",
	} {
		_, err = rows.NewConverter(rows.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Function: of})
		require.ErrorIs(t, err, arrowsort.ErrOption)
		require.ErrorContains(t, err, want)
	}
}
