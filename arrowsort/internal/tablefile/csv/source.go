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
		if next, _ := r.Peek(1); c == '\n' || c == '\r' && l.endsInCR && !bytes.Equal(next, []byte{'\n'}) {
			line, column = line+1, 1
		}
	}
}
