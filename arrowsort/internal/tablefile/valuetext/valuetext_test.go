package valuetext

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func TestFormatterPrintsNestedValues(t *testing.T) {
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64
	pair := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		arrow.Field{Name: "s", Type: text, Nullable: true})
	for _, c := range []struct {
		typ  arrow.DataType
		want []string
	}{
		{pair, []string{`{"x":1,"s":"a"}`, `{"x":null,"s":null}`, `{"x":4,"s":""}`}},
		{arrow.ListOf(arrow.PrimitiveTypes.Int64), []string{`[1,2]`, `[]`, `[null,5]`}},
		{arrow.ListOf(arrow.ListOf(text)), []string{`[["a"],[]]`, `[]`, `[["b",null],["c"]]`}},
		{arrow.ListOf(pair), []string{`[{"x":1,"s":"u"},{"x":null,"s":"v"}]`, `[{"x":2,"s":null}]`}},
		{arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(number), Nullable: true}),
			[]string{`{"l":[1.5]}`, `{"l":null}`, `{"l":[2.5,null]}`}},
		{arrow.MapOf(text, number), []string{`[{"key":"k","value":1.0}]`, `[]`, `[{"key":"a","value":null}]`}},
	} {
		a := arrowtest.FromJSON(t, c.typ, "["+strings.Join(c.want, ",")+"]")
		for i, want := range c.want {
			require.Equal(t, want, Formatter(a)(i), "%s", c.typ)
		}
		a.Release()
	}
}

func TestFormatterPrintsNaNInLists(t *testing.T) {
	b := array.NewListBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Float64)
	defer b.Release()
	b.Append(true)
	b.ValueBuilder().(*array.Float64Builder).AppendValues([]float64{math.NaN(), math.Inf(-1), 2}, nil)
	a := b.NewArray()
	defer a.Release()
	require.Equal(t, `["NaN","-Inf",2.0]`, Formatter(a)(0))
}

// TestFormatterPrintsHalves: subnormal ones, too.
func TestFormatterPrintsHalves(t *testing.T) {
	b := array.NewFloat16Builder(memory.DefaultAllocator)
	defer b.Release()
	want := []string{"5.9604645e-08", "-6.097555e-05", "65504.0", "-Inf", "NaN", "-0.0"}
	for _, bits := range []uint16{1, 0x83FF, 0x7BFF, 0xFC00, 0x7E00, 0x8000} {
		b.Append(float16.FromBits(bits))
	}
	a := b.NewArray()
	defer a.Release()
	for i := range want {
		require.Equal(t, want[i], Formatter(a)(i))
	}
}

func TestFormatFloatStaysAFloat(t *testing.T) {
	for x, want := range map[float64]string{1: "1.0", 0.1: "0.1", 1e300: "1e+300", math.Inf(1): "Inf", -3: "-3.0"} {
		require.Equal(t, want, formatFloat(x, 64))
	}
}

func TestFormatDecimalKeepsAllDigits(t *testing.T) {
	for _, c := range []struct {
		units string
		scale int
		want  string
	}{
		{"150", 2, "1.50"}, {"-5", 2, "-0.05"}, {"0", 3, "0.000"}, {"-12345", 3, "-12.345"}, {"12", 0, "12"},
		{"-12", -3, "-12000"}, {"0", -3, "0"}, {"-12", 2e9, "-12e-2000000000"},
		{"12345678901234567890123456789012345678", 30, "12345678.901234567890123456789012345678"},
		{"99999999999999999999999999999999999999", 38, "0.99999999999999999999999999999999999999"},
	} {
		units, ok := new(big.Int).SetString(c.units, 10)
		require.True(t, ok)
		require.Equal(t, c.want, formatDecimal(units, c.scale))
	}
	for _, typ := range []arrow.DataType{
		&arrow.Decimal128Type{Precision: 20, Scale: 3}, &arrow.Decimal256Type{Precision: 60, Scale: 3},
	} {
		a := arrowtest.FromJSON(t, typ, `["-1.500"]`)
		require.Equal(t, "-1.500", Formatter(a)(0))
		a.Release()
	}
}

func TestFormatterLosesNothing(t *testing.T) {
	for _, c := range []struct {
		typ         arrow.DataType
		value, want string // of JSON
	}{
		{arrow.ListOf(arrow.BinaryTypes.String), `["\u0000\u0007\r\n\"\u00e9<"]`, `["\u0000\u0007\r\n\"é<"]`},
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), `"a"`, "a"},
		{arrow.FixedWidthTypes.Float16, `"+Inf"`, "Inf"},
		{arrow.PrimitiveTypes.Date64, `-1`, "1969-12-31T23:59:59.999"},
		{arrow.FixedWidthTypes.Time64us, `86400000000`, "86400000000us"},
		{&arrow.TimestampType{Unit: arrow.Second}, `-9223372036854775808`, "-9223372036854775808s"},
	} {
		a := arrowtest.FromJSON(t, c.typ, "["+c.value+"]")
		require.Equal(t, c.want, Formatter(a)(0))
		a.Release()
	}
}
