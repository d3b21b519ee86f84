package csv

import (
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestParseType: a type reads values to others, or is an error.
func TestParseType(t *testing.T) {
	for text, values := range map[string]map[string]string{
		"int64": {"007": "7", "+1": "1", "1e3": "1000", "2.0": "2",
			"-9223372036854775808": "-9223372036854775808"},
		"int64:1,234":  {"1,234": "1234", "1234": "1234", "-12,000,000": "-12000000", "(5)": "-5"},
		"int64:$1,234": {"$1,234": "1234", "-$5": "-5", "$-5": "-5", "12": "12"},
		"int64:1234 %": {"12 %": "12", "12%": "12", "-3": "-3"},
		"float64": {"01.50": "1.5", "NaN": "NaN", "inf": "+Inf",
			"3.141592653589793116e+00": "3.141592653589793"},
		"float64:1.234,5":      {"1.234,56": "1234.56", "-0,5": "-0.5", "12": "12"},
		"float64:1 234,5":      {"1\u202f234,56": "1234.56", "1 234": "1234"},
		"decimal(5,2)":         {"1.5": "1.5", "-123.45": "-123.45", "0": "0"},
		"decimal(5,2):1.234,5": {"1,50": "1.5"},
		"decimal(76,0)":        {"12": "12"},
		"date:%d/%m/%Y":        {"31/12/2026": "2026-12-31", "1/2/2026": "2026-02-01"},
		"timestamp:%F %T %z":   {"2026-01-02 03:04:05 +0200": "2026-01-02 01:04:05Z"},
		"text":                 {"1": "1"},
	} {
		typ, err := ParseType(text)
		require.NoError(t, err, text)
		require.Equal(t, text, typ.String())
		b := array.NewBuilder(memory.DefaultAllocator, typ.DataType)
		for value, want := range values {
			require.NoError(t, typ.reads(value), "%s: %s", text, value)
			require.NoError(t, typ.appends(b, value))
			a := b.NewArray()
			require.Equal(t, want, a.ValueStr(0), "%s: %s", text, value)
			a.Release()
		}
		b.Release()
	}
	for text, want := range map[string]string{
		"":               `"" is no type: use date:LAYOUT, timestamp:LAYOUT, int64, float64, decimal(p,s) or text`,
		"int":            `"int" is no type`,
		"date":           "give a layout, as in date:%d/%m/%Y",
		"date:%d/%m":     "name one year, month and day",
		"date:%Q":        "%Q is not supported",
		"date:%F %T":     "has a time of the day: use timestamp:%F %T",
		"timestamp:%F%I": "an hour is %H, or %I together with %p",
		"int64:5":        `"5" is no form of numbers: write 1234.5 in it`,
		"float64:1.234":  "has no decimal point",
		"decimal(77,0)":  "1 to 76 digits",
		"decimal(2,3)":   "1 to 76 digits",
		"text:a":         "text has no form",
	} {
		_, err := ParseType(text)
		require.ErrorContains(t, err, want, text)
	}
}

// TestValuesOfDeclaredTypes: a value that is not of the type of its column is an error.
func TestValuesOfDeclaredTypes(t *testing.T) {
	for typ, values := range map[string][]string{
		"int64":           {"1.5", "9223372036854775808", "x", "1,234", ""},
		"int64:1,234":     {"1,23", "1,2345", ",1", "1,,234"},
		"int64:$1,234":    {"€5", "$", "--5", "(5"},
		"float64":         {"1e400", "0x1p3", "1_0", "."},
		"decimal(5,2)":    {"1.234", "1234.5", "NaN"},
		"date:%d/%m/%Y":   {"12/31/2026", "31/12/26", "30/02/2026", "31/12/2026 ", "31-12-2026"},
		"timestamp:%F %R": {"2026-01-02", "2026-01-02 24:00"},
	} {
		parsed, err := ParseType(typ)
		require.NoError(t, err)
		for _, value := range values {
			s := Schema{Types: map[string]*Type{"b": parsed}}
			err := s.Infer(t.Context(), sourceOf("a,b\n1,\n2,\""+value+"\"\n", ','))
			if value == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, `line 3, column "b": "`+value, typ)
				require.ErrorContains(t, err, "it is to be "+typ)
			}
		}
	}
}

func TestTypesOfColumnsThatAreNotThere(t *testing.T) {
	text, _ := ParseType("text")
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"c"}, `CSVTypes of column "c": there is no such column`},
		{[]string{"#4"}, `CSVTypes of column "#4": there is no such column`},
		{[]string{"b"}, `CSVTypes of column "b": 2 columns have the name: name one by its position, ` +
			`as in #2`},
		{[]string{"a", "#1"}, `CSVTypes of column "a": it gets two types, by its name and by ` +
			`its position`},
		{[]string{"#3", "a"}, ""},
	} {
		s := Schema{Types: map[string]*Type{}}
		for _, name := range c.names {
			s.Types[name] = text
		}
		err := s.Infer(t.Context(), sourceOf("a,b,b\n1,2,3\n", ','))
		if c.want != "" {
			var column *ColumnError
			require.ErrorAs(t, err, &column)
			require.EqualError(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "utf8 int64 utf8", s.Arrow().Field(0).Type.String()+" "+s.Arrow().Field(1).Type.String()+" "+
			s.Arrow().Field(2).Type.String())
	}
}

func TestLayouts(t *testing.T) {
	for _, c := range []struct{ layout, text, want string }{
		{"%b %d %Y", "Apr 1 2000", "2000-04-01T00:00:00Z"},
		{"%b %d %Y", "apr  01 2000", "2000-04-01T00:00:00Z"},
		{"%B %e, %Y", "September 30, 1999", "1999-09-30T00:00:00Z"},
		{"%d.%m.%y", "1.2.69", "1969-02-01T00:00:00Z"},
		{"%D", "02/01/68", "2068-02-01T00:00:00Z"},
		{"%F", "2024-02-29", "2024-02-29T00:00:00Z"},
		{"%a, %d %b %Y %T GMT", "Thu, 26 Nov 2026 16:20:18 GMT", "2026-11-26T16:20:18Z"},
		{"%d/%b/%Y:%T %z", "26/Nov/2026:16:20:18 -0330", "2026-11-26T19:50:18Z"},
		{"%m/%d/%Y %I:%M %p", "1/2/2026 12:05 am", "2026-01-02T00:05:00Z"},
		{"%m/%d/%Y %I:%M %p", "1/2/2026 12:05 PM", "2026-01-02T12:05:00Z"},
		{"%FT%T.%f%z", "2026-01-02T03:04:05.25Z", "2026-01-02T03:04:05.25Z"},
		{"%Y%m%d%%", "20260102%", "2026-01-02T00:00:00Z"},
		{"%Y年%m月%d日", "2026年1月2日", "2026-01-02T00:00:00Z"},
	} {
		l, err := parseLayout(c.layout, true)
		require.NoError(t, err, c.layout)
		at, err := l.parse(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, at.UTC().Format(time.RFC3339Nano), c.text)
	}
	for _, layout := range []string{"", "%Y", "%Y-%m-%d %d", "%Y %m %b %d", "%F %", "%F %j"} {
		_, err := parseLayout(layout, true)
		require.Error(t, err, layout)
	}
}
