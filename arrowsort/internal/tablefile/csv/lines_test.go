package csv

import (
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestLinesOfCSV(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       [][]string
	}{
		{"LF", "a,b\n1,2\n", [][]string{{"a", "b"}, {"1", "2"}}},
		{"CRLF", "a,b\r\n1,2\r\n3,4", [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}},
		{"CR", "a,b\r1,2\r3,4\r", [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}},
		{"CR, the last line without", "a\r1\r2", [][]string{{"a"}, {"1"}, {"2"}}},
		{"CR, then others", "a,b\r1,2\r\n3,4\n5,6", [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}, {"5", "6"}}},
		{"CR, with breaks in quotes", "a,b\r\"x\ry\",\"p\r\nq\"\r", [][]string{{"a", "b"}, {"x\ry", "p\r\nq"}}},
		{"CR after quotes with CRLF", "\"a\r\nb\",c\r1,2\r", [][]string{{"a\r\nb", "c"}, {"1", "2"}}},
		{"CRLF in quotes", "a,b\n\"x\r\ny\",\"\r\n\"\n", [][]string{{"a", "b"}, {"x\r\ny", "\r\n"}}},
		{"CRLF in quotes and after lines",
			"\"a\r\n\",b\r\n\"\r\r\n\r\",\"\n\r\"\r\n",
			[][]string{{"a\r\n", "b"}, {"\r\r\n\r", "\n\r"}}},
		{"CRLF after doubled quotes", "a\n\"x\"\"\r\n\"\"y\"\n", [][]string{{"a"}, {"x\"\r\n\"y"}}},
		{"a CR in a value without quotes", "a,b\nx\ry,2\r\n", [][]string{{"a", "b"}, {"x\ry", "2"}}},
		{"empty lines of one column", "a\n\n1\n\n\n", [][]string{{"a"}, {""}, {"1"}, {""}, {""}}},
		{"empty lines that end with CRLF", "a\r\n\r\n1\r\n\r\n", [][]string{{"a"}, {""}, {"1"}, {""}}},
		{"empty lines that end with CR", "a\r\r1\r\r", [][]string{{"a"}, {""}, {"1"}, {""}}},
		{"empty lines in quotes", "a\n\"\n\n\"\n\n", [][]string{{"a"}, {"\n\n"}, {""}}},
		{"empty lines before the header", "\n\r\na\n\n1\n", [][]string{{"a"}, {""}, {"1"}}},
		{"empty lines of several columns", "a,b\n\n1,2\n\n", [][]string{{"a", "b"}, {"1", "2"}}},
		{"one column, its name with a delimiter", "\"a,b\"\n\n1\n", [][]string{{"a,b"}, {""}, {"1"}}},
		{"one column without a name", "\"\"\n\n1\n", [][]string{{""}, {""}, {"1"}}},
		{"a header only", "a", [][]string{{"a"}}},
		{"a header and an empty row", "a\n\n", [][]string{{"a"}, {""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got [][]string
			header, err := newLines([]byte(c.text), ',').each(t.Context(), func(row []string) error {
				got = append(got, append([]string(nil), row...))
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, c.want, append([][]string{header}, got...))
		})
	}
}

func TestLinesOfCSVReadByByte(t *testing.T) {
	const text = "a\r\n\r\n\"x\r\n\"\r\n"
	got, err := io.ReadAll(iotest.OneByteReader(newLines([]byte(text), ',').reader()))
	require.NoError(t, err)
	require.Equal(t, "a\n\"\"\n\"x\r\r\n\"\n", string(got))
}

func TestDelimiterOfSeveralBytesTellsColumns(t *testing.T) {
	require.False(t, newLines([]byte("a¦b\n"), '¦').oneColumn)
	require.True(t, newLines([]byte("a\xc2b\n"), '¦').oneColumn)
}
