package tablefile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// csvPieces are tables of a schema, one behind the other below one header.
type csvPieces struct {
	*csvWriter
	progress func(done, total int)
}

func newCSVPieces(w io.Writer, schema *arrow.Schema, opts WriteOptions) (*csvPieces, error) {
	names := make([]string, schema.NumFields())
	for i := range names {
		names[i] = schema.Field(i).Name
	}
	if len(names) == 0 {
		return nil, errors.New("a table without columns cannot be CSV")
	}
	out := newCSVWriter(w, opts.Delimiter, names)
	return &csvPieces{out, opts.Progress}, out.row(names)
}

func (p *csvPieces) write(_ context.Context, table arrow.Table) error {
	const batch = 1 << 14
	reader := array.NewTableReader(table, batch)
	defer reader.Release()
	for done := 0; reader.Next(); {
		rec := reader.Record()
		if err := p.batch(rec); err != nil {
			return err
		}
		if done += int(rec.NumRows()); p.progress != nil {
			p.progress(done, int(table.NumRows()))
		}
	}
	return nil
}

func (p *csvPieces) finish() error { return p.w.Flush() }

// A csvWriter writes lines of CSV.
type csvWriter struct {
	w         *bufio.Writer
	delimiter rune
	special   string // characters that a value is quoted for
	names     []string
	lines     int // that were written
}

func newCSVWriter(w io.Writer, delimiter rune, names []string) *csvWriter {
	return &csvWriter{bufio.NewWriterSize(w, 1<<16), delimiter, "\"\r\n" + string(delimiter), names, 0}
}

func (c *csvWriter) batch(rec arrow.Record) error {
	format := make([]func(i int) string, rec.NumCols())
	for k := range format {
		format[k] = Formatter(rec.Column(k))
	}
	row := make([]string, len(format))
	for i := range int(rec.NumRows()) {
		for k, f := range format {
			row[k] = ""
			if !IsNull(rec.Column(k), i) {
				row[k] = f(i)
			}
		}
		if err := c.row(row); err != nil {
			return err
		}
	}
	return nil
}

// row writes a line. The one row that would be an empty line, which readers skip, is written as an empty string.
func (c *csvWriter) row(values []string) error {
	for i, value := range values {
		if !utf8.ValidString(value) {
			return c.noText(i)
		}
		if i > 0 {
			c.w.WriteRune(c.delimiter)
		}
		if len(values) == 1 && value == "" || c.quotes(value) {
			value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
		c.w.WriteString(value)
	}
	c.lines++
	return c.w.WriteByte('\n') // it reports the errors of the writes before
}

// quotes says whether a value needs quotes: without them, readers drop a byte order mark at the start of a file, and
// some drop spaces before values.
func (c *csvWriter) quotes(value string) bool {
	return strings.ContainsAny(value, c.special) || strings.HasPrefix(value, byteOrderMark) ||
		strings.HasPrefix(value, " ")
}

// noText is the error of a value that is not UTF-8.
func (c *csvWriter) noText(column int) error {
	if c.lines == 0 {
		return fmt.Errorf("the name of column %d is not UTF-8, which CSV cannot hold (columns count from 1)", column+1)
	}
	return fmt.Errorf("column %q, row %d: the value is not UTF-8, which CSV cannot hold (rows count from 0)",
		c.names[column], c.lines-1)
}
