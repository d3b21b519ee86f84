package csv

import (
	"errors"
	"fmt"
	"io"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
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
		err = errkind.Corrupt("the file ends %d bytes before the end that it had when it was opened", r.remaining)
	}
	return n, err
}

// A textError is another error whose text names the line or the column, and what is wrong with it, instead.
type textError struct {
	text string
	error
}

// errorf returns the error of text that is not CSV, an errkind.ErrCorrupt with another text: people write CSV.
func errorf(format string, args ...any) error {
	return &textError{fmt.Sprintf(format, args...), errkind.ErrCorrupt}
}

func (e *textError) Error() string { return e.text }

func (e *textError) Unwrap() error { return e.error }
