package rows_test

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// requireBytes compares rows with bytes written by hand, in hexadecimal, one text for each row.
func requireBytes(t *testing.T, a arrow.Array, mode arrowsort.Key, want ...string) {
	converter := newConverter(t, rows.Field{Type: a.DataType(), Order: mode.Order, Nulls: mode.Nulls})
	encoded, err := converter.Encode(t.Context(), a, rows.Options{Allocator: arrowtest.Checked(t)})
	require.NoError(t, err)
	defer encoded.Release()
	got := make([]string, encoded.Len())
	for i := range got {
		got[i] = hex.EncodeToString(encoded.Row(i))
		want[i] = strings.ReplaceAll(want[i], " ", "")
	}
	require.Equal(t, want, got, "%s %+v", a.DataType(), mode)
}

// TestBytes pins the format: these bytes do not change. The modes are those of modes: ascending and descending, each
// with nulls at the end and at the start.
func TestBytes(t *testing.T) {
	timestamp := &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}
	decimal := &arrow.Decimal128Type{Precision: 38, Scale: 1}
	wide := &arrow.Decimal256Type{Precision: 76}
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	zeros := strings.Repeat("00", 24)
	ones := strings.Repeat("ff", 24)
	for _, c := range []struct {
		typ  arrow.DataType
		json string
		want [4][]string
	}{
		{arrow.Null, `[null, null]`, [4][]string{{"", ""}, {"", ""}, {"", ""}, {"", ""}}},
		{arrow.FixedWidthTypes.Boolean, `[false, true, null]`,
			[4][]string{{"01", "02", "ff"}, {"01", "02", "00"}, {"02", "01", "ff"}, {"02", "01", "00"}}},
		{arrow.PrimitiveTypes.Int8, `[-128, -1, 0, 127, null]`, [4][]string{
			{"01 00", "01 7f", "01 80", "01 ff", "ff 00"}, {"01 00", "01 7f", "01 80", "01 ff", "00 00"},
			{"01 ff", "01 80", "01 7f", "01 00", "ff 00"}, {"01 ff", "01 80", "01 7f", "01 00", "00 00"}}},
		{arrow.PrimitiveTypes.Uint8, `[0, 254, null]`, [4][]string{
			{"01 00", "01 fe", "ff 00"}, {"01 00", "01 fe", "00 00"},
			{"01 ff", "01 01", "ff 00"}, {"01 ff", "01 01", "00 00"}}},
		{arrow.PrimitiveTypes.Int16, `[258, -2, null]`, [4][]string{
			{"01 8102", "01 7ffe", "ff 0000"}, {"01 8102", "01 7ffe", "00 0000"},
			{"01 7efd", "01 8001", "ff 0000"}, {"01 7efd", "01 8001", "00 0000"}}},
		{arrow.PrimitiveTypes.Uint16, `[258, null]`, [4][]string{
			{"01 0102", "ff 0000"}, {"01 0102", "00 0000"}, {"01 fefd", "ff 0000"}, {"01 fefd", "00 0000"}}},
		{arrow.PrimitiveTypes.Int32, `[16909060, null]`, [4][]string{
			{"01 81020304", "ff 00000000"}, {"01 81020304", "00 00000000"},
			{"01 7efdfcfb", "ff 00000000"}, {"01 7efdfcfb", "00 00000000"}}},
		{arrow.PrimitiveTypes.Uint32, `[16909060]`,
			[4][]string{{"01 01020304"}, {"01 01020304"}, {"01 fefdfcfb"}, {"01 fefdfcfb"}}},
		{arrow.PrimitiveTypes.Int64, `[1, -1, null]`, [4][]string{
			{"01 8000000000000001", "01 7fffffffffffffff", "ff 0000000000000000"},
			{"01 8000000000000001", "01 7fffffffffffffff", "00 0000000000000000"},
			{"01 7ffffffffffffffe", "01 8000000000000000", "ff 0000000000000000"},
			{"01 7ffffffffffffffe", "01 8000000000000000", "00 0000000000000000"}}},
		{arrow.PrimitiveTypes.Uint64, `[1]`, [4][]string{
			{"01 0000000000000001"}, {"01 0000000000000001"}, {"01 fffffffffffffffe"}, {"01 fffffffffffffffe"}}},
		{timestamp, `["1970-01-01 00:00:01"]`, [4][]string{
			{"01 8000000000000001"}, {"01 8000000000000001"}, {"01 7ffffffffffffffe"}, {"01 7ffffffffffffffe"}}},
		{decimal, `["0.1", "-0.1", null]`, [4][]string{
			{"01 80000000000000000000000000000001", "01 7fffffffffffffffffffffffffffffff", "ff" + zeros[:32]},
			{"01 80000000000000000000000000000001", "01 7fffffffffffffffffffffffffffffff", "00" + zeros[:32]},
			{"01 7ffffffffffffffffffffffffffffffe", "01 80000000000000000000000000000000", "ff" + zeros[:32]},
			{"01 7ffffffffffffffffffffffffffffffe", "01 80000000000000000000000000000000", "00" + zeros[:32]}}},
		{wide, `["2"]`, [4][]string{
			{"01 80" + zeros[:46] + "00000000000000 02"}, {"01 80" + zeros[:46] + "00000000000000 02"},
			{"01 7f" + ones[:46] + "ffffffffffffff fd"}, {"01 7f" + ones[:46] + "ffffffffffffff fd"}}},
		{&arrow.FixedSizeBinaryType{ByteWidth: 3}, `["AAEC", null]`, [4][]string{
			{"01 000102", "ff 000000"}, {"01 000102", "00 000000"},
			{"01 fffefd", "ff 000000"}, {"01 fffefd", "00 000000"}}},
		{arrow.BinaryTypes.String, `["", "ab", "a\u0000b", "\u0001\u0002", null]`, [4][]string{
			{"01 00", "01 6162 00", "01 61 0101 62 00", "01 0102 02 00", "ff"},
			{"01 00", "01 6162 00", "01 61 0101 62 00", "01 0102 02 00", "00"},
			{"01 ff", "01 9e9d ff", "01 9e fefe 9d ff", "01 fefd fd ff", "ff"},
			{"01 ff", "01 9e9d ff", "01 9e fefe 9d ff", "01 fefd fd ff", "00"}}},
		{arrow.BinaryTypes.LargeString, `["a"]`, [4][]string{{"01 61 00"}, {"01 61 00"}, {"01 9e ff"}, {"01 9e ff"}}},
		{arrow.BinaryTypes.StringView, `["a"]`, [4][]string{{"01 61 00"}, {"01 61 00"}, {"01 9e ff"}, {"01 9e ff"}}},
		{arrow.BinaryTypes.Binary, `["/wA="]`, // ff 00
			[4][]string{{"01 ff 0101 00"}, {"01 ff 0101 00"}, {"01 00 fefe ff"}, {"01 00 fefe ff"}}},
		{dictionary, `["a", null, "a"]`, [4][]string{
			{"01 61 00", "ff", "01 61 00"}, {"01 61 00", "00", "01 61 00"},
			{"01 9e ff", "ff", "01 9e ff"}, {"01 9e ff", "00", "01 9e ff"}}},
		{structOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8),
			`[{"a": "x", "b": 1}, null, {"a": null, "b": 2}]`, [4][]string{
				{"01 78 00 01 81", "ff ff 00", "ff 01 82"}, {"01 78 00 01 81", "00 00 00", "00 01 82"},
				{"01 87 ff 01 7e", "ff ff 00", "ff 01 7d"}, {"01 87 ff 01 7e", "00 00 00", "00 01 7d"}}},
	} {
		a := fromJSON(t, c.typ, c.json)
		for i, mode := range modes {
			requireBytes(t, a, mode, c.want[i]...)
		}
	}
}

// TestBytesOfFloats: a float has no class byte, as NaN and null have separate words.
func TestBytesOfFloats(t *testing.T) {
	nan, minusZero := math.NaN(), math.Copysign(0, -1)
	double := array.NewFloat64Builder(memory.DefaultAllocator)
	double.AppendValues([]float64{1, 0, minusZero, -1, math.Inf(1), math.Inf(-1), nan, -nan, 0},
		[]bool{true, true, true, true, true, true, true, true, false})
	d := double.NewArray()
	defer d.Release()
	values := []string{"bff0000000000000", "8000000000000000", "8000000000000000", "4010000000000000",
		"fff0000000000000", "0010000000000000"}
	inverted := []string{"400fffffffffffff", "7fffffffffffffff", "7fffffffffffffff", "bfefffffffffffff",
		"000fffffffffffff", "ffefffffffffffff"}
	atEnd := []string{"fffffffffffffffe", "fffffffffffffffe", "ffffffffffffffff"}
	atStart := []string{"0000000000000001", "0000000000000001", "0000000000000000"}
	requireBytes(t, d, modes[0], append(values[:6:6], atEnd...)...)
	requireBytes(t, d, modes[1], append(values[:6:6], atStart...)...)
	requireBytes(t, d, modes[2], append(inverted[:6:6], atEnd...)...)
	requireBytes(t, d, modes[3], append(inverted[:6:6], atStart...)...)

	single := array.NewFloat32Builder(memory.DefaultAllocator)
	single.AppendValues([]float32{1, -1, float32(nan)}, nil)
	single.AppendNull()
	s := single.NewArray()
	defer s.Release()
	requireBytes(t, s, modes[0], "bf800000", "40800000", "fffffffe", "ffffffff")
	requireBytes(t, s, modes[3], "407fffff", "bf7fffff", "00000001", "00000000")

	half := array.NewFloat16Builder(memory.DefaultAllocator)
	half.AppendValues([]float16.Num{float16.New(1), float16.New(-1), float16.FromBits(0x7e01)}, nil)
	half.AppendNull()
	h := half.NewArray()
	defer h.Release()
	requireBytes(t, h, modes[1], "bc00", "4400", "0001", "0000")
	requireBytes(t, h, modes[2], "43ff", "bbff", "fffe", "ffff")
}

// TestBytesOfSeveralKeys: the keys of a row follow one another, each in its own mode.
func TestBytesOfSeveralKeys(t *testing.T) {
	rec := recordOf(fromJSON(t, arrow.BinaryTypes.String, `["a", null]`),
		fromJSON(t, arrow.PrimitiveTypes.Int8, `[1, 2]`), fromJSON(t, arrow.FixedWidthTypes.Boolean, `[true, null]`))
	defer rec.Release()
	converter, err := rows.ForKeys(rec.Schema(), []arrowsort.Key{
		{Path: "c", Nulls: arrowsort.NullsAtStart}, {Path: "a", Order: arrowsort.Descending}, {Path: "b"}, {Path: "a"}})
	require.NoError(t, err)
	for i, want := range []string{"02" + "019eff" + "0181", "00" + "ff" + "0182"} {
		row, err := converter.AppendRow(nil, rec, i)
		require.NoError(t, err)
		require.Equal(t, want, hex.EncodeToString(row))
	}
}
