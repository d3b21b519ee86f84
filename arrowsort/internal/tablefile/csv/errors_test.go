package csv

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

func TestErrorsOfCSV(t *testing.T) {
	const ends = "the value goes on after the quotation mark that ends it; double one that belongs to the value"
	const names = "the first line names 2 columns; is the delimiter right?"
	const open = "the quotation mark that a value starts with has none that ends the value"
	for text, want := range map[string]string{
		"":                               "CSV starts with a line of column names, this is empty",
		"a,b\n1,2\n1,2,3\n":              "line 3 has 3 values, " + names,
		"a\n1\n\n\n1,2\n":                "line 5 has 2 values, the first line names 1 column; is the delimiter right?",
		"a,b\n\"x\ny\",2\nz\n":           "line 4 has 1 value, the first line names 2 columns; is the delimiter right?",
		"a,b\n1,\"x\"y\n":                "line 2, byte 6: " + ends,
		"a;b\n1,5;2\n":                   "line 2 has 2 values, the first line names 1 column",
		"a,b\n1,\"xy\n\n":                "line 2, byte 3: " + open,
		"name,x\nb,1\ncaf\xe9,2\n":       "line 3 is not UTF-8, at byte 4; convert the file first",
		"name\r\xc3\xa9\xe9\r":           "line 2 is not UTF-8, at byte 3; convert the file first",
		"a,b\r1,2\r1,2,3\r":              "line 3 has 3 values, " + names,
		"a,b\r\n1,2\r\n\r\n1,\"x\"y\r\n": "line 4, byte 6: " + ends,
		"\"a\nb\n":                       "line 1, byte 1: " + open,
		"a,b\n\"x\r\ny\",\"p\"q\n":       "line 3, byte 7: " + ends,
	} {
		_, err := read(t, []byte(text), ',')
		require.ErrorIs(t, err, fileerror.ErrCorrupt, "%q", text)
		require.EqualError(t, err, want, "%q", text)
	}
}

func TestDelimiters(t *testing.T) {
	for _, delimiter := range []string{",", ";", "\t", "|", "\u00a6"} {
		text := "a" + delimiter + "b\n1" + delimiter + "\"x" + delimiter + "y\"\n"
		r := []rune(delimiter)[0]
		table, err := read(t, []byte(text), r)
		require.NoError(t, err)
		require.EqualValues(t, 2, table.NumCols())
		require.Equal(t, "1", table.Column(0).Data().Chunk(0).ValueStr(0))
		require.Equal(t, "x"+delimiter+"y", table.Column(1).Data().Chunk(0).ValueStr(0))
		b, err := written(table, r)
		require.NoError(t, err)
		require.Equal(t, text, string(b))
		table.Release()
	}
}
