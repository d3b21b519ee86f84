package csv

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// byteOrderMark may precede UTF-8 and is no part of it.
const byteOrderMark = "\xef\xbb\xbf"

// A Source is the text of a CSV file. It is read more than once, a buffer at a time.
type Source struct {
	Text      io.ReaderAt
	Size      int64
	Delimiter rune
	MaxRow    int64 // bytes of a row, about; one with more is an error; 0: any number
}

// open returns the text without a byte order mark.
func (s Source) open() (*sourceReader, error) {
	var mark [len(byteOrderMark)]byte
	n, err := s.Text.ReadAt(mark[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	start := int64(0)
	if string(mark[:n]) == byteOrderMark {
		start = int64(n)
	}
	return &sourceReader{io.NewSectionReader(s.Text, start, s.Size-start), s.Size - start}, nil
}

// A sourceReader fails where a file ends before its size: it was cut meanwhile.
type sourceReader struct {
	*io.SectionReader
	remaining int64
}

func (r *sourceReader) Read(p []byte) (int, error) {
	n, err := r.SectionReader.Read(p)
	if r.remaining -= int64(n); err == io.EOF && r.remaining > 0 {
		err = fileerror.Corrupt("the file ends %d bytes before the end that it had when it was opened", r.remaining)
	}
	return n, err
}

// lines are the lines of a CSV file. They end with LF or CRLF, or with CR alone where the header does so; elsewhere
// a CR belongs to its value. An empty line is a row of the only column, and nothing in a table of several columns, as
// are empty lines before the header.
type lines struct {
	Source
	endsInCR  bool // CR alone ends lines, too
	oneColumn bool
}

// newLines finds in the header how lines end and whether there are several columns.
func newLines(source Source) (lines, error) {
	l := lines{Source: source, oneColumn: true}
	text, err := source.open()
	if err != nil {
		return l, err
	}
	r := bufio.NewReader(text)
	for read, inside, quoted := int64(0), false, false; ; {
		c, n, err := r.ReadRune()
		if errors.Is(err, io.EOF) {
			return l, nil
		}
		if read += int64(n); err == nil && source.MaxRow > 0 && read > source.MaxRow {
			err = errorf("the line of column names is longer than %d bytes, which is all that the memory budget "+
				"allows; raise it", source.MaxRow)
		}
		if err != nil {
			return l, err
		}
		lineEnd := c == '\n' || c == '\r'
		inside = inside || !lineEnd
		switch {
		case c == '"':
			quoted = !quoted
		case quoted || !inside:
		case c == l.Delimiter && n > 0:
			l.oneColumn = false
		case lineEnd:
			for c == '\r' && err == nil {
				l.endsInCR = true
				c, _, err = r.ReadRune()
			}
			l.endsInCR = l.endsInCR && !(err == nil && c == '\n')
			return l, nil
		}
	}
}

// notUTF8 is the error that names the first byte that is not UTF-8.
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
		if next, _ := r.Peek(1); c == '\n' || c == '\r' && l.endsInCR && !bytes.Equal(next, lf) {
			line, column = line+1, 1
		}
	}
}
