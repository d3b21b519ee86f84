package csv

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"errors"
	"io"
)

// byteOrderMark may precede UTF-8 and is no part of it.
const byteOrderMark = "\xef\xbb\xbf"

// lines are the lines of a CSV file. They end with LF or CRLF, or with CR alone where the header does so; elsewhere
// a CR belongs to its value. An empty line is a row of the only column, and nothing in a table of several columns, as
// are empty lines before the header.
type lines struct {
	text      []byte
	delimiter rune
	endsInCR  bool // CR alone ends lines, too
	oneColumn bool
}

// newLines finds in the header how lines end and whether there are several columns.
func newLines(text []byte, delimiter rune) lines {
	l := lines{text: text, delimiter: delimiter, oneColumn: true}
	header, separator, quoted := bytes.TrimLeft(text, "\r\n"), []byte(string(delimiter)), false
	for i, c := range header {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case bytes.HasPrefix(header[i:], separator):
			l.oneColumn = false
		case c == '\n':
			return l
		case c == '\r':
			l.endsInCR = !bytes.HasPrefix(bytes.TrimLeft(header[i:], "\r"), []byte("\n"))
			return l
		}
	}
	return l
}

// each calls f with the rows after the header. A row is valid for its call.
func (l lines) each(ctx context.Context, f func(row []string) error) (header []string, err error) {
	r := stdcsv.NewReader(l.reader())
	r.Comma = l.delimiter
	if header, err = r.Read(); errors.Is(err, io.EOF) {
		return nil, errorf("CSV starts with a line of column names, this is empty")
	}
	if err != nil {
		return nil, describe(err, header, header)
	}
	r.ReuseRecord = true
	for n := 0; ; n++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return header, nil
		}
		if err != nil {
			return nil, describe(err, row, header)
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := f(row); err != nil {
			return nil, err
		}
	}
}

// reader returns the text for encoding/csv, which skips empty lines, ends lines at LF only and makes LF of every CRLF,
// even of one in quotes; it has no options for these. So it gets a text that it reads as these rows.
func (l lines) reader() io.Reader {
	if !l.oneColumn && bytes.IndexByte(l.text, '\r') < 0 {
		return bytes.NewReader(l.text)
	}
	return &rewriter{lines: l, fresh: true}
}

// A rewriter replaces, without a change to the number of a line or the place of a value in it:
//
//   - a CRLF in quotes by CR CRLF, of which encoding/csv leaves CRLF
//   - what else ends a line by LF
//   - an empty line that is a row by ""
type rewriter struct {
	lines         // their text is what is still to be read
	piece  []byte // to be returned next, then end
	end    []byte
	quoted bool // the text goes on in quotes
	fresh  bool // the text goes on with a new line
	header bool // the header was read
}

var lf, crCRLF, emptyValue = []byte("\n"), []byte("\r\r\n"), []byte(`""`)

func (r *rewriter) Read(p []byte) (n int, err error) {
	for n < len(p) && len(r.piece)+len(r.end)+len(r.text) > 0 {
		switch {
		case len(r.piece) > 0:
			k := copy(p[n:], r.piece)
			r.piece, n = r.piece[k:], n+k
		case len(r.end) > 0:
			r.piece, r.end = r.end, nil
		default:
			r.next()
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// next takes the text to the next CR, LF or CRLF.
func (r *rewriter) next() {
	r.piece, r.end = r.cut()
	if bytes.Count(r.piece, []byte{'"'})%2 != 0 {
		r.quoted = !r.quoted
	}
	fresh := r.fresh
	r.fresh = !r.quoted && (len(r.end) == 2 || len(r.end) == 1 && (r.end[0] == '\n' || r.endsInCR))
	switch {
	case r.quoted && len(r.end) == 2:
		r.end = crCRLF
	case r.fresh:
		r.end = lf
		if fresh && len(r.piece) == 0 && r.header && r.oneColumn {
			r.piece = emptyValue
		}
	}
	r.header = r.header || r.fresh && !(fresh && len(r.piece) == 0)
}

// cut takes the text to the next CR, LF or CRLF, which is the end.
func (r *rewriter) cut() (piece, end []byte) {
	i := bytes.IndexAny(r.text, "\r\n")
	if i < 0 {
		piece, r.text = r.text, nil
		return piece, nil
	}
	k := i + 1
	if bytes.HasPrefix(r.text[i:], []byte("\r\n")) {
		k++
	}
	piece, end, r.text = r.text[:i:i], r.text[i:k:k], r.text[k:]
	return piece, end
}
