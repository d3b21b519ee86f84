package rows_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
	"github.com/arrowsort/arrowsort/internal/testrun"
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
	c := newConverter(t, rows.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Function: arrowsort.Abs})
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

// TestRowsOfOrdersOfText compares rows of text of every type, in dictionaries and runs, with the model: before other
// keys, of which one is the same column in the order of bytes.
func TestRowsOfOrdersOfText(t *testing.T) {
	text := arrow.BinaryTypes.String
	for i, typ := range []arrow.DataType{text, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text}, arrowtest.NewExtension(text),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.LargeString)} {
		for k, by := range []arrowsort.Collation{"nocase", "natural", "numeric", "de", "und-u-ks-level1"} {
			checkDerived(t, typ, uint64(10*i+k), func(key *arrowsort.Key, of *model.Key) {
				key.Collation, of.Text = by, model.TextOrder(string(by))
			})
		}
	}
}

// checkDerived compares rows of a type with the model in every order: by a column with what derive adds to its key,
// then by another column, then by the first as it is.
func checkDerived(t *testing.T, typ arrow.DataType, stream uint64, derive func(key *arrowsort.Key, of *model.Key)) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	r := rand.New(rand.NewPCG(testrun.Seed(), stream))
	for _, mode := range modes {
		d := &dataCase{rows: 60}
		d.add(arrowtest.RandomSlice(r, typ, 25, 3, 0.2, mem), arrowtest.RandomSlice(r, typ, 35, 0, 0, mem))
		d.add(arrowtest.Random(r, arrow.PrimitiveTypes.Int8, 60, 0.1, mem))
		d.by(mode, 0)
		derive(&d.keys[0], &d.model[0])
		d.by(mode, 1)
		d.by(mode, 0)
		_, encoded, _, _ := d.checkEncoded(t, mem, r.IntN(3))
		encoded.Release()
		d.release()
	}
	mem.AssertSize(t, 0)
}

// TestRowsOfOrdersOfTextAreNotDecoded: they do not hold the text.
func TestRowsOfOrdersOfTextAreNotDecoded(t *testing.T) {
	c := newConverter(t, rows.Field{Name: "x", Type: arrow.BinaryTypes.String, Collation: arrowsort.FoldCase})
	b := array.NewStringBuilder(memory.NewGoAllocator())
	b.AppendValues([]string{"Straße", "STRASSE"}, nil)
	encoded, err := c.Encode(t.Context(), b.NewArray(), rows.Options{})
	require.NoError(t, err)
	defer encoded.Release()
	require.True(t, bytes.Equal(encoded.Row(0), encoded.Row(1)), "they tie")
	require.Equal(t, "\x01strasse\x00", string(encoded.Row(0)))
	_, err = c.Decode(t.Context(), encoded, rows.Options{})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.ErrorContains(t, err, "rows with key x do not hold its text but its place in the order nocase")
	_, err = rows.NewConverter(rows.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Collation: "de"})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = rows.NewConverter(rows.Field{Name: "x", Type: arrow.BinaryTypes.String, Collation: "xx"})
	require.ErrorContains(t, err, `unknown locale "xx"`)
}
