package csv

import (
	stdcsv "encoding/csv"
	"errors"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// A textError is another error whose text names the line or the column, and what is wrong with it, instead.
type textError struct {
	text string
	error
}

// errorf is the error of text that is not CSV, a fileerror.ErrCorrupt with another text: people write CSV.
func errorf(format string, args ...any) error {
	return &textError{fmt.Sprintf(format, args...), fileerror.ErrCorrupt}
}

// headerError is an ErrHeader.
func headerError(format string, args ...any) error {
	return &textError{fmt.Sprintf(format, args...), ErrHeader}
}

func (e *textError) Error() string { return e.text }

func (e *textError) Unwrap() error { return e.error }

// describe returns what is wrong with a row that was read.
func describe(err error, row, header []string) error {
	e := (*stdcsv.ParseError)(nil)
	switch {
	case !errors.As(err, &e):
		return err
	case errors.Is(e.Err, stdcsv.ErrFieldCount):
		return errorf("line %d has %s, the first line names %s; is the delimiter right?",
			e.Line, counted(len(row), "value"), counted(len(header), "column"))
	case errors.Is(e.Err, stdcsv.ErrBareQuote):
		return errorf("line %d has a quotation mark in a value that does not start with one, at byte %d; "+
			"quote the value and double the mark", e.Line, e.Column)
	case errors.Is(e.Err, stdcsv.ErrQuote):
		return errorf("line %d, byte %d: the quotation marks of the row that starts on line %d do not match",
			e.Line, e.Column, e.StartLine)
	}
	return errorf("line %d, byte %d: %v", e.Line, e.Column, e.Err)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
