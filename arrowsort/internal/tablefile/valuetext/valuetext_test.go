package tablefile

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestFormatterPrintsNestedValues(t *testing.T) {
	table := nestedTable(t, memory.DefaultAllocator)
	defer table.Release()
	require.Equal(t, []string{
		`{"x":1,"s":"a"}|[1,2]|[["a"],[]]|[{"x":1,"s":"u"},{"x":null,"s":"v"}]|{"l":[1.5]}|[{"key":"k","value":1}]|`,
		`{"x":null,"s":null}|[]|[]|[]|{"l":null}|[]|`,
		`null|null|null|null|null|null|`,
		`{"x":4,"s":""}|[null,5]|[["b",null],["c"]]|[{"x":2,"s":null}]|{"l":[]}|[{"key":"a","value":null},{"key":"b","value":2}]|`,
		`{"x":5,"s":"e"}|[6]|[[]]|[{"x":3,"s":"w"}]|{"l":[2.5,null]}|[{"key":"z","value":26}]|`,
	}, textOf(t, table))
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

func TestFormatFloatStaysAFloat(t *testing.T) {
	for x, want := range map[float64]string{1: "1.0", 0.1: "0.1", 1e300: "1e+300", math.Inf(1): "Inf", -3: "-3.0"} {
		require.Equal(t, want, formatFloat(x, 64))
		require.True(t, isFloat(want), want)
		require.False(t, isInt(want), want)
	}
}

func TestFormatDecimalKeepsAllDigits(t *testing.T) {
	for _, c := range []struct {
		units string
		scale int
		want  string
	}{
		{"150", 2, "1.50"}, {"-5", 2, "-0.05"}, {"0", 3, "0.000"}, {"-12345", 3, "-12.345"}, {"12", 0, "12"}, {"-12", -3, "-12000"}, {"0", -3, "0"}, {"-12", 2e9, "-12e-2000000000"},
		{"12345678901234567890123456789012345678", 30, "12345678.901234567890123456789012345678"},
		{"99999999999999999999999999999999999999", 38, "0.99999999999999999999999999999999999999"},
	} {
		units, ok := new(big.Int).SetString(c.units, 10)
		require.True(t, ok)
		require.Equal(t, c.want, formatDecimal(units, c.scale))
	}
	for _, typ := range []arrow.DataType{&arrow.Decimal128Type{Precision: 20, Scale: 3}, &arrow.Decimal256Type{Precision: 60, Scale: 3}} {
		a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(`["-1.500"]`))
		require.NoError(t, err)
		require.Equal(t, "-1.500", Formatter(a)(0))
		a.Release()
	}
}

func TestNullsOfEveryKind(t *testing.T) {
	null := array.NewNull(2)
	defer null.Release()
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	entries, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, strings.NewReader(`["a", null]`))
	require.NoError(t, err)
	defer entries.Release()
	indices, _, err := array.FromJSON(memory.DefaultAllocator, typ.IndexType, strings.NewReader(`[0, 1]`))
	require.NoError(t, err)
	defer indices.Release()
	dictionary := array.NewDictionaryArray(typ, indices, entries)
	defer dictionary.Release()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.Null, Nullable: true}, {Name: "d", Type: typ, Nullable: true}}, nil)
	rec := array.NewRecord(schema, []arrow.Array{null, dictionary}, 2)
	defer rec.Release()
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	defer table.Release()
	require.Equal(t, "n,d\n,a\n,\n", string(writeBytes(t, table, CSV, WriteOptions{})))
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
		a := jsonArray(t, c.typ, "["+c.value+"]")
		require.Equal(t, c.want, Formatter(a)(0))
		a.Release()
	}
}
