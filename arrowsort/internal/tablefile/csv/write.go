package csv

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
)

// A Writer writes lines of CSV: null is empty, an empty string is empty in quotes, times are ISO 8601, binary is
// base64, nested values are JSON. A Reader takes both empty values for null. docs/csv.md lists what else CSV cannot
// hold.
type Writer struct {
	w         *bufio.Writer
	delimiter rune
	special   string // characters that a value is quoted for
	names     []string
	lines     int // that were written
	noHeader  bool
}

// NewWriter writes the header, unless there is to be none. A schema without columns is an error.
func NewWriter(w io.Writer, schema *arrow.Schema, delimiter rune, noHeader bool) (*Writer, error) {
	names := make([]string, schema.NumFields())
	for i := range names {
		names[i] = schema.Field(i).Name
	}
	if len(names) == 0 {
		return nil, errors.New("a table without columns cannot be CSV")
	}
	out := &Writer{bufio.NewWriterSize(w, 1<<16), delimiter, "\"\r\n" + string(delimiter), names, 0, noHeader}
	if noHeader {
		return out, nil
	}
	return out, out.row(names, nil)
}

// Close writes what is buffered.
func (c *Writer) Close() error { return c.w.Flush() }

// Write writes the rows of a record batch.
func (c *Writer) Write(rec arrow.Record) error {
	format := make([]func(i int) string, rec.NumCols())
	for k := range format {
		format[k] = valuetext.Formatter(rec.Column(k))
	}
	row, nulls := make([]string, len(format)), make([]bool, len(format))
	for i := range int(rec.NumRows()) {
		for k, f := range format {
			row[k], nulls[k] = "", arraydata.IsNull(rec.Column(k), i)
			if !nulls[k] {
				row[k] = f(i)
			}
		}
		if err := c.row(row, nulls); err != nil {
			return err
		}
	}
	return nil
}

// row writes a line of values, of which some are null, or of names. The one row that would be an empty line, which
// readers skip, is written as an empty string.
func (c *Writer) row(values []string, nulls []bool) error {
	for i, value := range values {
		if !utf8.ValidString(value) {
			return c.noText(i)
		}
		if i > 0 {
			c.w.WriteRune(c.delimiter)
		}
		if value == "" && (len(values) == 1 || nulls != nil && !nulls[i]) || c.quotes(value) {
			value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
		c.w.WriteString(value)
	}
	c.lines++
	return c.w.WriteByte('\n') // it reports the errors of the writes before
}

// quotes reports whether a value needs quotes: without them, readers drop a byte order mark at the start of a file, and
// some drop spaces before values.
func (c *Writer) quotes(value string) bool {
	return strings.ContainsAny(value, c.special) || strings.HasPrefix(value, byteOrderMark) ||
		strings.HasPrefix(value, " ")
}

// noText returns the error of a value that is not UTF-8.
func (c *Writer) noText(column int) error {
	row := c.lines
	if !c.noHeader {
		row--
	}
	if row < 0 {
		return fmt.Errorf("the name of column %d is not UTF-8, which CSV cannot hold (columns count from 1)", column+1)
	}
	return fmt.Errorf("column %q: row %d of the output, counted from 0, is not UTF-8, which CSV cannot hold",
		c.names[column], row)
}
