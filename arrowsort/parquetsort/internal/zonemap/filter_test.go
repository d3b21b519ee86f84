package zonemap

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func TestParseFilter(t *testing.T) {
	for text, want := range map[string]Filter{
		"date >= 2001-03-01":         {Column: "date", op: ">=", text: "2001-03-01"},
		"origin=ORD":                 {Column: "origin", op: "=", text: "ORD"},
		"origin == 'New York'":       {Column: "origin", op: "=", text: "New York", quoted: true},
		" a.b <> -1.5 ":              {Column: "a.b", op: "!=", text: "-1.5"},
		"a != b":                     {Column: "a", op: "!=", text: "b"},
		"a<5":                        {Column: "a", op: "<", text: "5"},
		"a > O'Hare":                 {Column: "a", op: ">", text: "O'Hare"},
		`"x <= ""y""" <= " it's "`:   {Column: `x <= "y"`, op: "<=", text: " it's ", quoted: true},
		"a = ''":                     {Column: "a", op: "=", text: "", quoted: true},
		"a = 'it''s'":                {Column: "a", op: "=", text: "it's", quoted: true},
		"delay is null":              {Column: "delay", op: isNull},
		"delay IS NOT NULL":          {Column: "delay", op: notNull},
		`"is null" is not null`:      {Column: "is null", op: notNull},
		"a = it is null":             {Column: "a", op: "=", text: "it is null"},
		"departure time >= 12:00:00": {Column: "departure time", op: ">=", text: "12:00:00"},
	} {
		got, err := ParseFilter(text)
		require.NoError(t, err, text)
		want.Text = text
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"":             "it has no operator: write COLUMN OPERATOR VALUE with one of <= >= <> != == = < >, or ",
		"date":         "it has no operator",
		"= 5":          "it names no column",
		"a =":          "it has no value to compare with; write '' for empty text",
		"a =! 5":       `"! 5" is no value of type int64`,
		`"a" like 5`:   `"like 5" is no operator`,
		`"a = 5`:       "a quote \" is not closed",
		"a = 'x":       "a quote ' is not closed",
		"a = 'x' or 1": `" or 1" follows the value in quotes`,
	} {
		f, err := ParseFilter(text)
		if err == nil {
			err = f.Bind(arrow.PrimitiveTypes.Int64, false)
		}
		require.ErrorContains(t, err, want, text)
	}
}

// TestLiterals are values as the type of the column has them; others are errors that say how they are written.
func TestLiterals(t *testing.T) {
	for _, c := range []struct {
		typ           arrow.DataType
		literal, json string // of the value; empty: an error
	}{
		{arrow.PrimitiveTypes.Int8, "-128", "-128"}, {arrow.PrimitiveTypes.Int8, "128", ""},
		{arrow.PrimitiveTypes.Uint64, "18446744073709551615", "18446744073709551615"},
		{arrow.PrimitiveTypes.Uint8, "-1", ""}, {arrow.PrimitiveTypes.Int32, "1.5", ""},
		{arrow.PrimitiveTypes.Int64, "(null)", ""},
		{arrow.PrimitiveTypes.Float64, "-1e3", "-1000"}, {arrow.PrimitiveTypes.Float64, "NaN", ""},
		{arrow.PrimitiveTypes.Float32, "0.5", "0.5"}, {arrow.FixedWidthTypes.Float16, "0.5", "0.5"},
		{arrow.FixedWidthTypes.Boolean, "true", "true"}, {arrow.FixedWidthTypes.Boolean, "yes", ""},
		{arrow.FixedWidthTypes.Date32, "2001-03-01", `"2001-03-01"`}, {arrow.FixedWidthTypes.Date32, "2001-3-1", ""},
		{arrow.FixedWidthTypes.Date32, "2001-02-30", ""},
		{arrow.FixedWidthTypes.Timestamp_us, "2001-03-01", `"2001-03-01 00:00:00"`},
		{arrow.FixedWidthTypes.Timestamp_us, "2001-03-01T12:30:00.5", `"2001-03-01 12:30:00.5"`},
		{arrow.FixedWidthTypes.Timestamp_ms, "2001-03-01T12:30:00.0005", ""},
		{arrow.FixedWidthTypes.Timestamp_ms, "soon", ""},
		{arrow.FixedWidthTypes.Time32ms, "12:30:00", `"12:30:00"`}, {arrow.FixedWidthTypes.Time64us, "25:00:00", ""},
		{arrow.FixedWidthTypes.Duration_ms, "1m30s", "90000"}, {arrow.FixedWidthTypes.Duration_ms, "1us", ""},
		{&arrow.Decimal128Type{Precision: 5, Scale: 2}, "-1.5", `"-1.50"`},
		{&arrow.Decimal128Type{Precision: 5, Scale: 2}, "1.505", ""},
		{&arrow.Decimal128Type{Precision: 5, Scale: 2}, "1000.00", ""},
		{&arrow.Decimal128Type{Precision: 5, Scale: 2}, "1e999999999", ""},
		{&arrow.Decimal128Type{Precision: 5, Scale: 2}, "1/3", ""},
		{&arrow.Decimal256Type{Precision: 50, Scale: 7}, "12345678901234567890123456789.1234567",
			`"12345678901234567890123456789.1234567"`},
		{arrow.BinaryTypes.Binary, "QUJD", `"QUJD"`}, {arrow.BinaryTypes.LargeBinary, "QUJD", `"QUJD"`},
		{arrow.BinaryTypes.Binary, "%", ""},
		{&arrow.FixedSizeBinaryType{ByteWidth: 3}, "QUJD", `"QUJD"`},
		{&arrow.FixedSizeBinaryType{ByteWidth: 4}, "QUJD", ""},
		{arrow.BinaryTypes.String, "O'Hare", `"O'Hare"`}, {arrow.BinaryTypes.LargeString, "(null)", `"(null)"`},
		{arrow.FixedWidthTypes.MonthInterval, "5", ""},
	} {
		f := Filter{op: "=", text: c.literal}
		err := f.Bind(c.typ, false)
		if c.json == "" {
			require.Error(t, err, "%s %s", c.typ, c.literal)
			continue
		}
		require.NoError(t, err, "%s %s", c.typ, c.literal)
		values := arrowtest.FromJSON(t, c.typ, "["+c.json+"]")
		require.Equal(t, keysOf(t, values)[0], f.key, "%s %s", c.typ, c.literal)
	}
	require.ErrorContains(t, (&Filter{op: "=", text: "5", Column: "l.e"}).Bind(arrow.PrimitiveTypes.Int8, true),
		`column "l.e" lies in lists`)
	require.NoError(t, (&Filter{op: isNull}).Bind(arrow.FixedWidthTypes.MonthInterval, false))
}

// TestValuesWithSpaces: text with spaces has to be in quotes, as it may be two conditions; a time stamp need not be.
func TestValuesWithSpaces(t *testing.T) {
	for text, want := range map[string]string{
		"a = ORD and b > 5": "the value ORD and b > 5 has spaces: put it in quotes, as 'ORD and b > 5', or give one " +
			"Filter for each condition",
		"a = it's not":        "as 'it''s not', or",
		"a = 'ORD and b > 5'": "",
	} {
		for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString} {
			f, err := ParseFilter(text)
			require.NoError(t, err, text)
			if err = f.Bind(typ, false); want == "" {
				require.NoError(t, err, text)
				continue
			}
			require.ErrorContains(t, err, want)
		}
	}
	f, err := ParseFilter("a > 5 and b = ORD")
	require.NoError(t, err)
	require.ErrorContains(t, f.Bind(arrow.PrimitiveTypes.Int64, false),
		`"5 and b = ORD" is no value of type int64: write a whole number; give one Filter for each condition`)
	f, err = ParseFilter("a > 2001-03-01 12:30:00")
	require.NoError(t, err)
	require.NoError(t, f.Bind(arrow.FixedWidthTypes.Timestamp_us, false))
}

// TestCost of a file whose pages are known: a sorted column in two row groups of three pages of 10 rows, and one that
// is the same in all rows.
func TestCost(t *testing.T) {
	var up, same string
	for i := range 60 {
		up, same = up+","+string(rune('0'+i/10)), same+",7"
	}
	typ := arrow.PrimitiveTypes.Int64
	m := read(t, Options{}, write(t, []arrow.Array{arrowtest.FromJSON(t, typ, "["+up[1:]+"]"),
		arrowtest.FromJSON(t, typ, "["+same[1:]+"]")}, 30, 10))
	all := m.All()
	require.Equal(t, [3]int64{2, 12, 60}, [3]int64{int64(all.RowGroups), int64(all.Pages), all.Rows})
	require.Equal(t, m.Columns[0].Bytes+m.Columns[1].Bytes, all.Bytes)
	for _, c := range []struct {
		filters          []string
		byGroups, byPage [3]int64 // row groups, pages, rows
	}{
		{[]string{"c0 = 4"}, [3]int64{1, 6, 30}, [3]int64{1, 2, 10}},
		{[]string{"c0 >= 2"}, [3]int64{2, 12, 60}, [3]int64{2, 8, 40}},
		{[]string{"c0 >= 2", "c0 < 4"}, [3]int64{2, 12, 60}, [3]int64{2, 4, 20}},
		{[]string{"c0 = 9"}, [3]int64{}, [3]int64{}},
		{[]string{"c1 = 7"}, [3]int64{2, 12, 60}, [3]int64{2, 12, 60}},
		{[]string{"c1 != 7"}, [3]int64{}, [3]int64{}},
		{[]string{"c0 is null"}, [3]int64{}, [3]int64{}},
		{[]string{"c0 is not null"}, [3]int64{2, 12, 60}, [3]int64{2, 12, 60}},
	} {
		var filters []Filter
		for _, text := range c.filters {
			f, err := ParseFilter(text)
			require.NoError(t, err)
			f.Leaf = int(f.Column[1] - '0')
			require.NoError(t, f.Bind(typ, false))
			filters = append(filters, f)
		}
		got := m.CostOf(filters)
		groups := got.ByGroups
		require.Equal(t, c.byGroups, [3]int64{int64(groups.RowGroups), int64(groups.Pages), groups.Rows},
			"%v", c.filters)
		require.Equal(t, c.byPage, [3]int64{int64(got.ByPages.RowGroups), int64(got.ByPages.Pages), got.ByPages.Rows},
			"%v", c.filters)
		require.LessOrEqual(t, got.ByPages.Bytes, got.ByGroups.Bytes)
		require.Equal(t, got.ByGroups.RowGroups > 0, got.ByGroups.Bytes > 0)
	}
}
