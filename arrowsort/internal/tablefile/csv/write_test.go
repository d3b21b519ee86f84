package csv

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
)

// TestCSVHoldsItsTypes writes and reads the limits of the types that CSV is read as.
func TestCSVHoldsItsTypes(t *testing.T) {
	build := func(typ arrow.DataType, fill func(b array.Builder)) arrow.Array {
		b := array.NewBuilder(memory.DefaultAllocator, typ)
		fill(b)
		b.AppendNull()
		return b.NewArray()
	}
	times := []arrow.Timestamp{0, 1, -1, 1e6, -62167219200e6, 253402300799999999} // the last of the years 0 to 9999
	for name, a := range map[string]arrow.Array{
		"int64": build(arrow.PrimitiveTypes.Int64, func(b array.Builder) {
			b.(*array.Int64Builder).AppendValues([]int64{math.MinInt64, -1, 0, math.MaxInt64}, nil)
		}),
		"uint64": build(arrow.PrimitiveTypes.Uint64, func(b array.Builder) {
			b.(*array.Uint64Builder).AppendValues([]uint64{0, 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64}, nil)
		}),
		"float64": build(arrow.PrimitiveTypes.Float64, func(b array.Builder) {
			b.(*array.Float64Builder).AppendValues([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1),
				math.Inf(-1), 1e23, 0.1, math.MaxFloat64, -math.SmallestNonzeroFloat64, 0x1p-1022,
				0x0.fffffffffffffp-1022, 1 << 53, 1.0 / 3, 12}, nil)
		}),
		"whole float64": build(arrow.PrimitiveTypes.Float64, func(b array.Builder) {
			b.(*array.Float64Builder).AppendValues([]float64{1, 0, -3, math.Copysign(0, -1), 1e15}, nil)
		}),
		"bool": build(arrow.FixedWidthTypes.Boolean, func(b array.Builder) {
			b.(*array.BooleanBuilder).AppendValues([]bool{true, false}, nil)
		}),
		"date32": build(arrow.FixedWidthTypes.Date32, func(b array.Builder) {
			b.(*array.Date32Builder).AppendValues([]arrow.Date32{0, -1, 1, -719528, 2932896}, nil)
		}),
		"time": build(&arrow.TimestampType{Unit: arrow.Microsecond}, func(b array.Builder) {
			b.(*array.TimestampBuilder).AppendValues(times, nil)
		}),
		"instant": build(arrow.FixedWidthTypes.Timestamp_us, func(b array.Builder) {
			b.(*array.TimestampBuilder).AppendValues(times, nil)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			back := throughCSV(t, ',', []string{"a"}, a)
			require.Equal(t, a.DataType(), back.Column(0).DataType())
			require.Equal(t, a.Len(), int(back.NumRows()))
			for i := range a.Len() {
				got := back.Column(0).Data().Chunk(0)
				require.Equal(t, a.IsNull(i), got.IsNull(i), i)
				if x, ok := a.(*array.Float64); ok {
					require.Equal(t, math.Float64bits(x.Value(i)), math.Float64bits(got.(*array.Float64).Value(i)), i)
				} else {
					require.True(t, array.SliceEqual(a, int64(i), int64(i)+1, got, int64(i), int64(i)+1), i)
				}
			}
		})
	}
}

// throughCSV writes columns and reads them.
func throughCSV(t *testing.T, delimiter rune, names []string, columns ...arrow.Array) arrow.Table {
	fields := make([]arrow.Field, len(names))
	for i, name := range names {
		fields[i] = arrow.Field{Name: name, Type: columns[i].DataType(), Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	rec := array.NewRecord(schema, columns, int64(columns[0].Len()))
	table := array.NewTableFromRecords(schema, []arrow.Record{rec})
	b, err := written(table, delimiter)
	require.NoError(t, err)
	back, err := read(t, b, delimiter)
	require.NoError(t, err)
	for i, name := range names {
		require.Equal(t, name, back.Schema().Field(i).Name)
	}
	return back
}

// TestCSVHoldsOtherTypes shows what values of the other types are written as; they are read as the same text or number.
func TestCSVHoldsOtherTypes(t *testing.T) {
	second := &arrow.TimestampType{Unit: arrow.Second}
	for _, c := range []struct {
		typ    arrow.DataType
		values string // of JSON
		want   string
		as     string // the type that is read
	}{
		{arrow.PrimitiveTypes.Int8, `[-128, 127]`, "-128|127", "int64"},
		{arrow.PrimitiveTypes.Uint32, `[0, 4294967295]`, "0|4294967295", "int64"},
		{arrow.PrimitiveTypes.Float32,
			`[0.1, 3.4028235e38, 1e-45, 16777216, "NaN", "-Inf"]`,
			"0.1|3.4028235e+38|1e-45|1.6777216e+07|NaN|-Inf", "float64"},
		{arrow.FixedWidthTypes.Float16, `[0.5, 2, "+Inf"]`, "0.5|2.0|Inf", "float64"},
		{&arrow.Decimal128Type{Precision: 38, Scale: 3},
			`["0.125", "99999999999999999999999999999999999.999"]`,
			"0.125|99999999999999999999999999999999999.999", "decimal(38, 3)"},
		{&arrow.Decimal128Type{Precision: 20, Scale: 1},
			`["9007199254740993.5", "-0.5"]`,
			"9007199254740993.5|-0.5", "decimal(17, 1)"},
		{arrow.PrimitiveTypes.Date64,
			`[86400000, -1, 86400001, -86400000]`,
			"1970-01-02|1969-12-31T23:59:59.999|1970-01-02T00:00:00.001|1969-12-31", "utf8"},
		{arrow.PrimitiveTypes.Date32, `[2932897, -719529]`, "10000-01-01|-0001-12-31", "utf8"},
		{arrow.FixedWidthTypes.Time32ms,
			`[0, 86399999, 86400000, -1]`,
			"00:00:00.000|23:59:59.999|86400000ms|-1ms", "utf8"},
		{arrow.FixedWidthTypes.Time64ns, `[1, 86400000000000]`, "00:00:00.000000001|86400000000000ns", "utf8"},
		{arrow.FixedWidthTypes.Timestamp_ns,
			`[1, 1000]`,
			"1970-01-01T00:00:00.000000001Z|1970-01-01T00:00:00.000001Z", "utf8"},
		{second,
			`[9223372036854775807, -9223372036854775808]`,
			"292277026596-12-04T15:30:07|-9223372036854775808s", "utf8"},
		{second, `[-1]`, "1969-12-31T23:59:59", "timestamp[us]"},
		{arrow.FixedWidthTypes.Duration_ms, `[12, -9223372036854775808]`, "12ms|-9223372036854775808ms", "utf8"},
		{arrow.FixedWidthTypes.MonthInterval, `[{"months": -3}]`, "-3", "int64"},
		{arrow.FixedWidthTypes.MonthDayNanoInterval,
			`[{"months": 1, "days": 2, "nanoseconds": 3}]`,
			`{"months":1,"days":2,"nanoseconds":3}`, "utf8"},
		{arrow.BinaryTypes.Binary, `["/wAK"]`, "/wAK", "utf8"},
		{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["AAE="]`, "AAE=", "utf8"},
		{arrow.ListOf(arrow.BinaryTypes.String),
			`[["a\"\u0000\r\n\u00e9<", null], []]`,
			`["a\"\u0000\r\né<",null]|[]`, "utf8"},
		{arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String),
			`["a", "a", "b"]`,
			"a|a|b", "utf8"},
		{arrow.Null, `[null, null]`, "|", "utf8"},
	} {
		t.Run(fmt.Sprint(c.typ), func(t *testing.T) {
			a := arrowtest.FromJSON(t, c.typ, c.values)
			back := throughCSV(t, ',', []string{"a"}, a)
			require.Equal(t, c.as, back.Column(0).DataType().String())
			got := back.Column(0).Data().Chunk(0)
			text := make([]string, got.Len())
			for i := range text {
				if got.IsValid(i) {
					text[i] = valuetext.Formatter(got)(i)
				}
			}
			require.Equal(t, c.want, strings.Join(text, "|"))
		})
	}
}

func TestCSVOfNulls(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	entries := arrowtest.FromJSON(t, typ.ValueType, `["a", null]`)
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.Null}, {Name: "d", Type: typ}}, nil)
	columns := []arrow.Array{
		array.NewNull(2), array.NewDictionaryArray(typ, arrowtest.FromJSON(t, typ.IndexType, `[0, 1]`), entries),
	}
	rec := array.NewRecord(schema, columns, 2)
	b, err := written(array.NewTableFromRecords(schema, []arrow.Record{rec}), ',')
	require.NoError(t, err)
	require.Equal(t, "n,d\n,a\n,\n", string(b))
}

// oddTexts are strings that CSV could lose or change.
var oddTexts = []string{
	"a", `"`, `""`, `a"b`, `"a"`, ",", ";", "\t", " ", " a", "a ", "\ta\t",
	"\r", "\n", "\r\n", "\r\r\n", "\n\r", "a\r", "a\r\nb", "\ra", "a\rb\nc",
	"\x00", "a\x00b", "\ufeff", "\ufeffa", "\u2028", "\u0085", "é¦", "\ufffd",
	`\`, `\N`, `\.`, "null", "#", "007", "=1+1", ",\r\n\",",
}

func TestCSVHoldsStrings(t *testing.T) {
	for _, delimiter := range ",;\t|¦ " {
		requireTexts(t, delimiter, oddTexts, oddTexts)
		requireTexts(t, delimiter, oddTexts)
	}
	for _, one := range oddTexts {
		requireTexts(t, ',', []string{one, "", "", "x", ""})
	}
}

// requireTexts writes and reads columns of strings, of which the empty ones are read as nulls, named after one of them.
func requireTexts(t *testing.T, delimiter rune, columns ...[]string) {
	for i := range columns[0] {
		names, arrays := make([]string, len(columns)), make([]arrow.Array, len(columns))
		for c, column := range columns {
			names[c] = column[i]
			b := array.NewStringBuilder(memory.DefaultAllocator)
			b.AppendValues(column, nil)
			b.Append("text") // no column is read as numbers
			arrays[c] = b.NewArray()
		}
		back := throughCSV(t, delimiter, names, arrays...)
		require.EqualValues(t, len(columns[0])+1, back.NumRows())
		for c, column := range columns {
			got := back.Column(c).Data().Chunk(0).(*array.String)
			for k, want := range column {
				require.Equal(t, want == "", got.IsNull(k), "%q", column)
				require.Equal(t, want, got.Value(k), "%q", column)
			}
		}
	}
}

func TestCSVRefusesWhatItCannotHold(t *testing.T) {
	for _, c := range []struct {
		name, value, want string
	}{
		{"a", "\xff", `column "a": row 1 of the output, counted from 0, is not UTF-8, which CSV cannot hold`},
		{"\xff", "a", "the name of column 1 is not UTF-8, which CSV cannot hold (columns count from 1)"},
	} {
		for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.ListOf(arrow.BinaryTypes.String)} {
			schema := arrow.NewSchema([]arrow.Field{{Name: c.name, Type: typ, Nullable: true}}, nil)
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			b.Field(0).AppendNull()
			text, ok := b.Field(0).(*array.StringBuilder)
			if !ok {
				list := b.Field(0).(*array.ListBuilder)
				list.Append(true)
				text = list.ValueBuilder().(*array.StringBuilder)
			}
			text.Append(c.value)
			table := array.NewTableFromRecords(schema, []arrow.Record{b.NewRecord()})
			_, err := written(table, ',')
			require.ErrorContains(t, err, c.want)
		}
	}
	empty := array.NewTable(arrow.NewSchema(nil, nil), nil, 3)
	_, err := written(empty, ',')
	require.ErrorContains(t, err, "a table without columns cannot be CSV")
}

// TestEmptyStringsAreNoNulls: other readers tell an empty value in quotes from one without.
func TestEmptyStringsAreNoNulls(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, []bool{true, false, true})
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"", "x", ""}, []bool{true, true, false})
	text, err := written(array.NewTableFromRecords(schema, []arrow.Record{b.NewRecord()}), ',')
	require.NoError(t, err)
	require.Equal(t, ",s\n1,\"\"\n,x\n3,\n", string(text))
}

// FuzzWriteCSV writes and reads lines of one to three strings, the first of them the header.
func FuzzWriteCSV(f *testing.F) {
	f.Add("", uint8(0))
	f.Add(strings.Join(oddTexts, "~")+"~~a~", uint8(0))
	f.Add("\r~\n~\r\n~\"~\"\r\n~", uint8(1))
	f.Fuzz(func(t *testing.T, text string, more uint8) {
		columns := int(more)%3 + 1
		values := strings.Split(text, "~")
		if len(values) < columns || !utf8.ValidString(text) {
			return
		}
		var want [][]string
		var b bytes.Buffer
		fields := make([]arrow.Field, columns)
		for i := range fields {
			fields[i] = arrow.Field{Name: values[i], Type: arrow.BinaryTypes.String}
		}
		out, err := NewWriter(&b, arrow.NewSchema(fields, nil), ',', false)
		require.NoError(t, err)
		want, values = append(want, values[:columns]), values[columns:]
		for ; len(values) >= columns; values = values[columns:] {
			want = append(want, values[:columns])
			require.NoError(t, out.row(values[:columns], nil))
		}
		require.NoError(t, out.Close())
		require.Equal(t, want, allRows(t, b.String(), textBuffer))
	})
}
