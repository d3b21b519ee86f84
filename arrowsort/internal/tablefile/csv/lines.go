package csv

import (
	"bufio"
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"errors"
	"io"
	"unicode/utf8"
)

// rows reads the rows of a CSV file after the header.
type rows struct {
	header []string
	text   *rewriter
	csv    *stdcsv.Reader
	n      int64 // that were read
}

// rows reads the header.
func (l lines) rows() (*rows, error) { return l.rowsIn(make([]byte, textBuffer)) }

// rowsIn is rows with a buffer of the caller, of a character at least.
func (l lines) rowsIn(buffer []byte) (*rows, error) {
	source, err := l.open()
	if err != nil {
		return nil, err
	}
	text := &rewriter{lines: l, source: source, fresh: true, buffer: buffer}
	r := &rows{text: text, csv: stdcsv.NewReader(bufio.NewReaderSize(text, textBuffer))}
	r.csv.Comma = l.Delimiter
	header, err := r.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, errorf("CSV starts with a line of column names, this is empty")
	}
	if err != nil {
		return nil, r.failure(err, header, header)
	}
	r.header, r.csv.ReuseRecord, text.row = header, true, 0
	return r, nil
}

// next returns the next row, which is valid until the next call; io.EOF after the last.
func (r *rows) next(ctx context.Context) ([]string, error) {
	if r.n%1024 == 0 && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	row, err := r.csv.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.failure(err, row, r.header)
	}
	r.text.row = 0
	r.n++
	return row, err
}

// failure is the error of the text, which may leave a row that is broken off, or else of the row.
func (r *rows) failure(err error, row, header []string) error {
	if errors.Is(r.text.err, errRowTooLong) {
		return errorf("row %d, counted from 0, is longer than %d bytes, which is all that the memory budget allows; "+
			"raise it",
			r.n, r.text.MaxRow)
	}
	if r.text.err != nil && r.text.err != io.EOF {
		return r.text.err
	}
	return describe(err, row, header)
}

var errRowTooLong = errors.New("a row is too long")

// textBuffer is the number of bytes that are read at a time.
const textBuffer = 1 << 16

// A rewriter reads text for encoding/csv, which skips empty lines, ends lines at LF only and makes LF of every CRLF,
// even of one in quotes; it has no options for these. The rewriter checks that the text is UTF-8 and replaces, without
// a change to the number of a line or the place of a value in it:
//
//   - a CRLF in quotes by CR CRLF, of which encoding/csv leaves CRLF
//   - a line end after a CR that belongs to a value by CRLF, and the end of the text there by the same
//   - what else ends a line by LF
//   - an empty line that is a row by ""
type rewriter struct {
	lines
	source io.Reader
	buffer []byte
	text   []byte // of the buffer, to be rewritten
	broken []byte // the start of a character that follows in the buffer
	ended  bool   // nothing follows the buffer
	piece  []byte // to be returned next, then end
	end    []byte
	quoted bool  // the text goes on in quotes
	cr     bool  // the text goes on after a CR that belongs to a value
	closed bool  // that CR follows a quote: at the end of the text it ends the line
	fresh  bool  // the text goes on with a new line
	header bool  // the header was read
	row    int64 // bytes that were returned since the last row
	err    error // ends the text
}

var lf, crLF, crCRLF, emptyValue = []byte("\n"), []byte("\r\n"), []byte("\r\r\n"), []byte(`""`)

func (r *rewriter) Read(p []byte) (n int, err error) {
	for n < len(p) && r.err == nil {
		switch {
		case len(r.piece) > 0:
			k := copy(p[n:], r.piece)
			r.piece, n = r.piece[k:], n+k
		case len(r.end) > 0:
			r.piece, r.end = r.end, nil
		default:
			r.err = r.next()
		}
	}
	if r.row += int64(n); r.err == nil && r.MaxRow > 0 && r.row > r.MaxRow+textBuffer {
		r.err = errRowTooLong
	}
	if n == 0 || errors.Is(r.err, errRowTooLong) {
		return 0, r.err
	}
	return n, nil
}

// next takes the text to the next CR, LF or CRLF, or the buffer when nothing in it has to be replaced.
func (r *rewriter) next() error {
	for !r.ended && (len(r.text) == 0 || len(r.text) == 1 && r.text[0] == '\r') {
		if err := r.fill(); err != nil {
			return err
		}
	}
	if len(r.text) == 0 {
		if !r.cr || r.quoted {
			return io.EOF
		}
		if r.end, r.cr = crLF, false; r.closed {
			r.end = lf
		}
		return nil
	}
	if !r.oneColumn && bytes.IndexByte(r.text, '\r') < 0 {
		r.piece, r.text = r.text, nil
	} else {
		r.piece, r.end = r.cut()
	}
	if r.fresh || len(r.piece) > 0 {
		r.closed = bytes.HasSuffix(r.piece, []byte{'"'})
	}
	if bytes.Count(r.piece, []byte{'"'})%2 != 0 {
		r.quoted = !r.quoted
	}
	empty := r.fresh && len(r.piece) == 0
	r.fresh = !r.quoted && (len(r.end) == 2 || len(r.end) == 1 && (r.end[0] == '\n' || r.endsInCR))
	switch {
	case r.quoted && len(r.end) == 2:
		r.end = crCRLF
	case r.fresh && r.cr && len(r.piece) == 0:
		r.end = crLF
	case r.fresh:
		r.end = lf
		if empty && r.header && r.oneColumn {
			r.piece = emptyValue
		}
	}
	r.cr = !r.fresh && bytes.Equal(r.end, crLF[:1])
	r.header = r.header || r.fresh && !empty
	return nil
}

// cut takes the text to the next CR, LF or CRLF, which is the end. A CR that ends the buffer stays in it.
func (r *rewriter) cut() (piece, end []byte) {
	i := bytes.IndexAny(r.text, "\r\n")
	if i < 0 {
		piece, r.text = r.text, nil
		return piece, nil
	}
	k := i + 1
	switch {
	case bytes.HasPrefix(r.text[i:], []byte("\r\n")):
		k++
	case r.text[i] == '\r' && k == len(r.text) && !r.ended:
		k = i
	}
	piece, end, r.text = r.text[:i:i], r.text[i:k:k], r.text[k:]
	return piece, end
}

// fill reads more text, of which whole characters are rewritten.
func (r *rewriter) fill() error {
	n := copy(r.buffer, r.text)
	n += copy(r.buffer[n:], r.broken)
	k, err := r.source.Read(r.buffer[n:])
	if r.ended = err == io.EOF; err != nil && !r.ended {
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
