package csv

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
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
		{"a CR at the end of the last value", "a,b\n1,x\r", [][]string{{"a", "b"}, {"1", "x\r"}}},
		{"CRLF, cut after its CR", "a,b\r\n1,2\r\n3,4\r", [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}},
		{"CRLF, cut after the CR of an empty line", "a\r\n1\r\n\r", [][]string{{"a"}, {"1"}, {""}}},
		{"CRLF, and a CR inside of the last value", "a,b\r\n1,x\ry", [][]string{{"a", "b"}, {"1", "x\ry"}}},
		{"a CR after the last value in quotes", "a,b\n1,\"x\"\r", [][]string{{"a", "b"}, {"1", "x"}}},
		{"a CR after the only value, in quotes", "a\n\"\"\"\"\r", [][]string{{"a"}, {"\""}}},
		{"a CR in the only column, after one in quotes", "a\n\"x\"\n\r", [][]string{{"a"}, {"x"}, {"\r"}}},
		{"a CR in quotes at the end", "a\n\"x\r\"", [][]string{{"a"}, {"x\r"}}},
		{"a CR before CRLF", "a,b\n1,x\r\r\n2,\r\r\n\r,\n",
			[][]string{{"a", "b"}, {"1", "x\r"}, {"2", "\r"}, {"\r", ""}}},
		{"a CR in the only column", "a\n\r", [][]string{{"a"}, {"\r"}}},
		{"empty lines of one column", "a\n\n1\n\n\n", [][]string{{"a"}, {""}, {"1"}, {""}, {""}}},
		{"empty lines that end with CRLF", "a\r\n\r\n1\r\n\r\n", [][]string{{"a"}, {""}, {"1"}, {""}}},
		{"empty lines that end with CR", "a\r\r1\r\r", [][]string{{"a"}, {""}, {"1"}, {""}}},
		{"empty lines in quotes", "a\n\"\n\n\"\n\n", [][]string{{"a"}, {"\n\n"}, {""}}},
		{"empty lines before the header", "\n\r\na\n\n1\n", [][]string{{"a"}, {""}, {"1"}}},
		{"empty lines of several columns", "a,b\n\n1,2\n\n", [][]string{{"a", "b"}, {"1", "2"}}},
		{"one column, its name with a delimiter", "\"a,b\"\n\n1\n", [][]string{{"a,b"}, {""}, {"1"}}},
		{"one column without a name", "\"\"\n\n1\n", [][]string{{""}, {""}, {"1"}}},
		{"a quotation mark in a value", "a,b\n5\" pipe,x\"y\"\n \"p\",q\"\"\r\n",
			[][]string{{"a", "b"}, {"5\" pipe", "x\"y\""}, {" \"p\"", "q\"\""}}},
		{"a quotation mark in a name", "a\",b\"\"c\n1,2\n", [][]string{{"a\"", "b\"\"c"}, {"1", "2"}}},
		{"a quotation mark in the only value", "a\nx\"\n\ny\"", [][]string{{"a"}, {"x\""}, {""}, {"y\""}}},
		{"CR, then CRLF after CR", "a,b\r\r\n1,2\r\n", [][]string{{"a", "b\r"}, {"1", "2"}}},
		{"a header only", "a", [][]string{{"a"}}},
		{"a header and an empty row", "a\n\n", [][]string{{"a"}, {""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for buffer := 5; buffer < len(c.text)+5; buffer++ { // as if each place were the end of a buffer
				require.Equal(t, c.want, allRows(t, c.text, buffer), "a buffer of %d bytes", buffer)
			}
		})
	}
}

// allRows are the header and the rows of a text that is read in buffers of some bytes.
func allRows(t *testing.T, text string, buffer int) [][]string {
	l, err := newLines(sourceOf(text, ','))
	require.NoError(t, err)
	r, err := l.rowsIn(make([]byte, buffer))
	require.NoError(t, err)
	return rest(t, r)
}

// rest are the header and the rows of a text of which nothing was read.
func rest(t *testing.T, r *rows) [][]string {
	require.NoError(t, r.readHeader())
	all := [][]string{r.header}
	for {
		row, err := r.next(t.Context())
		if err == io.EOF {
			return all
		}
		require.NoError(t, err)
		all = append(all, slices.Clone(row))
	}
}

func TestLinesOfCSVReadByByte(t *testing.T) {
	const text = "a\r\n\r\n\"x\r\n\"\r\n"
	l, err := newLines(sourceOf(text, ','))
	require.NoError(t, err)
	r, err := l.rowsIn(make([]byte, textBuffer))
	require.NoError(t, err)
	r.source = iotest.OneByteReader(strings.NewReader(text))
	require.Equal(t, [][]string{{"a"}, {""}, {"x\r\n"}}, rest(t, r))
}

func TestCharactersAcrossBuffers(t *testing.T) {
	const text = "é,😀\nüß,€uro\n"
	for buffer := 5; buffer < len(text); buffer++ {
		l, err := newLines(sourceOf(text, ','))
		require.NoError(t, err)
		r, err := l.rowsIn(make([]byte, buffer))
		require.NoError(t, err)
		require.NoError(t, r.readHeader())
		row, err := r.next(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"üß", "€uro"}, row)
	}
}

func TestDelimiterOfSeveralBytesTellsColumns(t *testing.T) {
	for text, want := range map[string]bool{"a¦b\n": false, "a¢b\n": true} {
		l, err := newLines(sourceOf(text, '¦'))
		require.NoError(t, err)
		require.Equal(t, want, l.oneColumn)
	}
}

// TestLongRows: a row that does not fit in the budget is an error before all of it is in memory.
func TestLongRows(t *testing.T) {
	long := strings.Repeat("x", 1<<18)
	const most = " is longer than 100000 bytes, which is all that the memory budget allows; raise it"
	for text, want := range map[string]string{
		"a,b\n1,2\n3," + long + "\n": "row 1, counted from 0," + most,
		"a,b\n1,\"" + long + "\"\n":  "row 0, counted from 0," + most,
		"a," + long + "\n":           "the line of column names" + most,
	} {
		source := sourceOf(text, ',')
		source.MaxRow = 100_000
		_, err := readBatches(t, source, 1)
		require.EqualError(t, err, want)
	}
}

// TestFileThatChangesMeanwhile: a value that has another type than all had before is an error that says so.
func TestFileThatChangesMeanwhile(t *testing.T) {
	var schema Schema
	require.NoError(t, schema.Infer(t.Context(), sourceOf("a,b\n1,2\n3,4\n", ',')))
	r, err := NewReader(sourceOf("a,b\n1,2\n3,x\n", ','), &schema, 1<<20, memory.DefaultAllocator)
	require.NoError(t, err)
	defer r.Release()
	_, err = r.Next(t.Context())
	require.ErrorIs(t, err, errkind.ErrCorrupt)
	require.EqualError(t, err, `the file changed while it was read: row 1, counted from 0, has "x" in column "b", `+
		`where all values were of type int64`)
}

// TestFileThatIsCutMeanwhile: it must not look like one that ends there.
func TestFileThatIsCutMeanwhile(t *testing.T) {
	source := sourceOf("a\n1\n2\n", ',')
	source.Size += 2
	_, err := readBatches(t, source, 1)
	require.ErrorIs(t, err, errkind.ErrCorrupt)
}

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
		require.ErrorIs(t, err, errkind.ErrCorrupt, "%q", text)
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
