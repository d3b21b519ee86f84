package csv

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// TestLooks: columns of text that look like numbers or dates have types to give, others have none.
func TestLooks(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{"Apr 1 2000", "Apr 1 2001"}, "date:%b %d %Y"},
		{[]string{"31/12/2026", "", "1/2/2026"}, "date:%d/%m/%Y"},
		{[]string{"1/2/2026", "3/4/2026"}, "date:%d/%m/%Y date:%m/%d/%Y"},
		{[]string{"12/31/2026 10:00"}, "timestamp:%m/%d/%Y %H:%M"},
		{[]string{"1.234,56", "7,5"}, "float64:1.234,5"},
		{[]string{"$1,234", "$12.50"}, "float64:$1,234.5"},
		{[]string{"12 %", "3 %"}, "int64:1234 %"},
		{[]string{"1 234", "12"}, "int64:1 234"},
		{[]string{"+1", "2"}, "int64"},
		{[]string{"1", "2", "1,234"}, "int64:1,234 float64:1234,5"},
		{[]string{"2026/01/02", "2025/12/31"}, ""}, // in the order of the text
		{[]string{"2026/1/2", "2025/12/31"}, "date:%Y/%m/%d"},
		{[]string{"007", "008"}, ""},
		{[]string{"Apr 1 2000", "n/a"}, ""},
		{[]string{"31/12/2026", "12/31/2026"}, ""},
		{[]string{"a", "b"}, ""},
		{[]string{"192.168.0.1"}, ""},
		{[]string{"12345-6789"}, ""},
		{[]string{"1", "2.5"}, ""},
		{[]string{"", ""}, ""},
	} {
		var s Schema
		text := "a,b\n"
		for _, v := range c.values {
			text += "x,\"" + v + "\"\n"
		}
		require.NoError(t, s.Infer(t.Context(), sourceOf(text, ',')))
		_, like := s.Looks(1)
		var got []string
		for _, typ := range like {
			got = append(got, typ.String())
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.values)
		if len(like) > 0 { // it can be given
			again := Schema{Types: map[string]*Type{"b": like[0]}}
			require.NoError(t, again.Infer(t.Context(), sourceOf(text, ',')))
		}
	}
}

// TestUnitsOfNumbers: currencies and percent signs may precede and follow numbers of each form.
func TestUnitsOfNumbers(t *testing.T) {
	units := append([]string{"", "%"}, currencies...)
	for _, r := range unicode.Sc.R16 {
		units = append(units, string(rune(r.Lo)), string(rune(r.Hi)))
	}
	for _, unit := range units {
		for _, number := range []string{"1234", "1,234.5", "1.234,5", "1 234,5", "1'234.5", "-5", "(5)", "5-", ".5"} {
			for _, value := range []string{
				unit + number, number + unit, unit + " " + number, number + "\u00a0" + unit,
			} {
				for _, g := range guessNumber(value) {
					require.NoError(t, g.reads(value), "%q as %s", value, g)
				}
			}
		}
		require.NotEmpty(t, guessNumber(unit+"1,234.5"), unit)
		require.NotEmpty(t, guessNumber("1.234,5 "+unit), unit)
	}
}
