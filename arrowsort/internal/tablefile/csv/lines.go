package csv

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// lines are the lines of a CSV file. They end with LF or CRLF, or with CR alone where the first line does so; elsewhere
// a CR belongs to its value, but for one at the end of a file whose first line ends with CRLF. An empty line is a row
// of the only column, and nothing in a table of several columns, as are empty lines that precede the header.
type lines struct {
	Source
	endsInCR   bool // CR alone ends lines, too
	endsInCRLF bool // the first line does: a CR at the end of the file is a line end that was cut
	oneColumn  bool
}

// newLines finds in the first line how lines end and whether there are several columns.
func newLines(source Source) (lines, error) {
	r, err := lines{Source: source, endsInCR: true}.rowsIn(make([]byte, textBuffer))
	if err == nil {
		err = r.readRow()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return lines{}, err
	}
	alone := r.endedInCR
	for r.want(1) && r.text[0] == '\r' {
		r.advance(1)
	}
	return lines{source, alone && !(r.want(1) && r.text[0] == '\n'), r.endedInCRLF, len(r.row) < 2}, nil
}

// rows reads the rows of a CSV file: values between delimiters. A value that starts with a quotation mark ends with
// one; it may hold delimiters, line ends, and each quotation mark twice. In other values a quotation mark is a
// character like others, which RFC 4180 does not allow.
type rows struct {
	lines
	header []string // the names of the columns
	n      int64    // rows that were returned

	source io.Reader
	buffer []byte
	text   []byte // of the buffer, of whole characters, to be read next
	broken []byte // the start of a character, which follows in the buffer
	ended  bool   // nothing follows the buffer
	err    error  // ends the text

	delimiter []byte
	special   [256]bool // bytes that values without quotes do not hold, or that are looked at

	row   []string // the last row, until the next is read
	first bool     // the last row is the first of a file without a header, and was not returned

	noHeader bool
	values   []byte // of the row
	ends     []int  // of each value

	read        int64 // bytes of the text
	rowStart    int64
	rowLine     int // that the row begins in, from 1
	line        int
	lineStart   int64
	endedInCR   bool // the last line
	endedInCRLF bool
	quoteLine   int // the first with a quotation mark in a value without quotes; 0: none
}

// textBuffer is the number of bytes that are read at a time.
const textBuffer = 1 << 16

// rows reads the header. A file without one has columns #1, #2, and so on.
func (l lines) rows(noHeader bool) (*rows, error) {
	r, err := l.rowsIn(make([]byte, textBuffer))
	if err != nil {
		return nil, err
	}
	r.noHeader = noHeader
	return r, r.readHeader()
}

// rowsIn returns the rows from the first line, with a buffer of the caller of at least 5 bytes.
func (l lines) rowsIn(buffer []byte) (*rows, error) {
	source, err := l.open()
	if err != nil {
		return nil, err
	}
	r := &rows{lines: l, source: source, buffer: buffer, delimiter: []byte(string(l.Delimiter)), line: 1}
	for _, c := range []byte{'\n', '\r', '"', r.delimiter[0]} {
		r.special[c] = true
	}
	return r, nil
}

func (r *rows) readHeader() error {
	if r.noHeader && r.oneColumn {
		r.header = []string{""} // an empty line is a row
	}
	err := r.readRow()
	switch {
	case errors.Is(err, io.EOF) && r.noHeader:
		return errorf("the file is empty: without a row there is no column")
	case errors.Is(err, io.EOF):
		return errorf("CSV starts with a line of column names, this is empty")
	case err != nil:
		return err
	}
	r.header, r.first = slices.Clone(r.row), r.noHeader
	for i := range r.header {
		if r.noHeader {
			r.header[i] = arraydata.Label(i)
		}
	}
	return nil
}

// next returns the next row, which is valid until the next call; io.EOF after the last.
func (r *rows) next(ctx context.Context) ([]string, error) {
	if r.n%1024 == 0 && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !r.first {
		if err := r.readRow(); err != nil {
			return nil, err
		}
	}
	r.first = false
	r.n++
	if len(r.row) != len(r.header) {
		return nil, r.ragged()
	}
	return r.row, nil
}

// readRow reads the next row; io.EOF after the last.
func (r *rows) readRow() error {
	r.values, r.ends, r.row = r.values[:0], r.ends[:0], r.row[:0]
	for {
		r.rowStart, r.rowLine = r.read, r.line
		if !r.want(1) {
			return r.failure(io.EOF)
		}
		if !r.lineEnd() {
			break
		}
		if r.oneColumn && r.header != nil {
			r.row = append(r.row, "")
			return nil
		}
	}
	for more, err := true, error(nil); more; {
		if more, err = r.value(); err != nil {
			return r.failure(err)
		}
		r.ends = append(r.ends, len(r.values))
	}
	text, start := string(r.values), 0
	for _, end := range r.ends {
		r.row = append(r.row, text[start:end])
		start = end
	}
	return r.failure(nil)
}

// value reads a value and what ends it, and reports whether that is a delimiter: there is one more.
func (r *rows) value() (more bool, err error) {
	if r.want(1) && r.text[0] == '"' {
		r.advance(1)
		return r.quoted()
	}
	for r.want(1) {
		i, special := 0, &r.special
		for i < len(r.text) && !special[r.text[i]] {
			i++
		}
		r.keep(i)
		if len(r.text) == 0 {
			continue
		}
		if bytes.HasPrefix(r.text, r.delimiter) {
			r.advance(len(r.delimiter))
			return true, nil
		}
		if r.lineEnd() {
			return false, nil
		}
		if r.text[0] == '"' && r.quoteLine == 0 {
			r.quoteLine = r.line
		}
		r.keep(1)
	}
	return false, nil
}

// quoted is value after the quotation mark that a value starts with.
func (r *rows) quoted() (more bool, err error) {
	line, at := r.line, r.read-r.lineStart
	for r.want(1) {
		i := bytes.IndexByte(r.text, '"')
		part := r.text[:max(i, 0)]
		if i < 0 {
			part = r.text
		}
		if k := bytes.LastIndexByte(part, '\n'); k >= 0 {
			r.line, r.lineStart = r.line+bytes.Count(part, []byte{'\n'}), r.read+int64(k)+1
		}
		r.keep(len(part))
		if i < 0 {
			continue
		}
		r.advance(1)
		switch {
		case !r.want(1) || r.lineEnd():
			return false, nil
		case bytes.HasPrefix(r.text, r.delimiter):
			r.advance(len(r.delimiter))
			return true, nil
		case r.text[0] == '"':
			r.keep(1)
		case r.text[0] == '\r' && !r.want(2):
			r.advance(1) // at the end of the file
			return false, nil
		default:
			return false, errorf("line %d, byte %d: the value goes on after the quotation mark that ends it; "+
				"double one that belongs to the value", r.line, r.read-r.lineStart+1)
		}
	}
	return false, errorf("line %d, byte %d: the quotation mark that a value starts with has none that ends the value",
		line, at)
}

// lineEnd takes a line end, if the text goes on with one.
func (r *rows) lineEnd() bool {
	c := r.text[0]
	if c != '\n' && c != '\r' {
		return false
	}
	crlf := c == '\r' && r.want(2) && r.text[1] == '\n'
	r.endedInCR, r.endedInCRLF = c == '\r' && !crlf, crlf
	switch {
	case crlf:
		r.advance(2)
	case c == '\n' || r.endsInCR || r.endsInCRLF && !r.want(2):
		r.advance(1)
	default:
		return false
	}
	r.line, r.lineStart = r.line+1, r.read
	return true
}

// keep takes the next bytes, which belong to the value.
func (r *rows) keep(n int) {
	r.values = append(r.values, r.text[:n]...)
	r.advance(n)
}

func (r *rows) advance(n int) { r.text, r.read = r.text[n:], r.read+int64(n) }

// want makes the next n bytes available, at most 2, and reports whether the text has them.
func (r *rows) want(n int) bool {
	for len(r.text) < n && !r.ended && r.err == nil {
		if r.err = r.fill(); r.err == nil && r.MaxRow > 0 && r.read-r.rowStart > r.MaxRow {
			r.err = r.tooLong()
		}
	}
	return len(r.text) >= n && r.err == nil
}

// fill reads more text, up to the last whole character.
func (r *rows) fill() error {
	n := copy(r.buffer, r.text)
	n += copy(r.buffer[n:], r.broken)
	k, err := r.source.Read(r.buffer[n:])
	if r.ended = errors.Is(err, io.EOF); err != nil && !r.ended {
		return err
	}
	b := r.buffer[:n+k]
	whole := len(b)
	for i := 1; i < min(utf8.UTFMax, len(b)+1) && !r.ended; i++ {
		if start := b[len(b)-i:]; utf8.RuneStart(start[0]) {
			if !utf8.FullRune(start) {
				whole = len(b) - i
			}
			break
		}
	}
	if r.text, r.broken = b[:whole], b[whole:]; !utf8.Valid(r.text) {
		return r.notUTF8()
	}
	return nil
}

// failure returns the error that ended the text, if one did, or else an error of its row.
func (r *rows) failure(err error) error {
	if r.err != nil {
		return r.err
	}
	return err
}

// ragged returns the error of a row that has other columns than the first.
func (r *rows) ragged() error {
	verb, what := "names", "column"
	if r.noHeader {
		verb, what = "has", "value"
	}
	text := fmt.Sprintf("line %d has %s, the first line %s %s", r.rowLine, counted(len(r.row), "value"), verb,
		counted(len(r.header), what))
	if separator(r.header, r.Delimiter) == 0 {
		text += "; is the delimiter right?"
	}
	return errorf("%s", text)
}

// tooLong returns the error of a row that takes more than its part of the memory.
func (r *rows) tooLong() error {
	what := "the line of column names"
	if r.header != nil || r.noHeader {
		what = fmt.Sprintf("row %d, counted from 0,", r.n)
	}
	return errorf("%s is longer than %d bytes, which is all that the memory budget allows; raise it", what, r.MaxRow)
}

// separator returns the character that may separate the columns where there seems to be only one: the column's name
// holds it. 0 is none.
func separator(names []string, delimiter rune) rune {
	if len(names) != 1 {
		return 0
	}
	for _, c := range ";\t|," {
		if c != delimiter && strings.ContainsRune(names[0], c) {
			return c
		}
	}
	return 0
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// notUTF8 returns the error that names the first byte that is not UTF-8.
func (l lines) notUTF8() error {
	text, err := l.open()
	if err != nil {
		return err
	}
	r := bufio.NewReader(text)
	for line, column := 1, 1; ; {
		c, n, err := r.ReadRune()
		if err != nil {
			return err
		}
		if c == utf8.RuneError && n == 1 {
			return errorf("line %d is not UTF-8, at byte %d; convert the file first", line, column)
		}
		column += n
		if next, _ := r.Peek(1); c == '\n' || c == '\r' && l.endsInCR && !bytes.Equal(next, []byte{'\n'}) {
			line, column = line+1, 1
		}
	}
}
