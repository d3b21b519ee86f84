package tablefile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A csvError is text that is not CSV. It is an ErrCorrupt, but says what is wrong with which line instead: people write CSV.
type csvError struct{ text string }

func csvErrorf(format string, args ...any) error { return &csvError{fmt.Sprintf(format, args...)} }

func (e *csvError) Error() string { return e.text }

func (e *csvError) Is(target error) bool { return target == ErrCorrupt }

// describeCSV says what is wrong with a row that was read.
func describeCSV(err error, row, header []string) error {
	e := (*csv.ParseError)(nil)
	switch {
	case !errors.As(err, &e):
		return err
	case errors.Is(e.Err, csv.ErrFieldCount):
		return csvErrorf("line %d has %s, the first line names %s; is the delimiter right?", e.Line, counted(len(row), "value"), counted(len(header), "column"))
	case errors.Is(e.Err, csv.ErrBareQuote):
		return csvErrorf("line %d has a quotation mark in a value that does not start with one, at byte %d; quote the value and double the mark", e.Line, e.Column)
	case errors.Is(e.Err, csv.ErrQuote):
		return csvErrorf("the quotation marks of the row that starts on line %d do not match", e.StartLine)
	}
	return csvErrorf("line %d, byte %d: %v", e.Line, e.Column, e.Err)
}

// checkUTF8 finds the first line that is not UTF-8.
func checkUTF8(text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	for line := 1; ; line++ {
		row, rest, _ := bytes.Cut(text, []byte("\n"))
		if !utf8.Valid(row) {
			return csvErrorf("line %d is not UTF-8; convert the file first", line)
		}
		text = rest
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
