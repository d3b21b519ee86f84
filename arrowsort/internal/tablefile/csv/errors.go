package csv

import (
	"fmt"
	"strings"

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

// failure is the error that ended the text, if one did, or else an error of its row.
func (r *rows) failure(err error) error {
	if r.err != nil {
		return r.err
	}
	return err
}

// ragged is the error of a row that has other columns than the first.
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

// tooLong is the error of a row that takes more than its part of the memory.
func (r *rows) tooLong() error {
	what := "the line of column names"
	if r.header != nil || r.noHeader {
		what = fmt.Sprintf("row %d, counted from 0,", r.n)
	}
	return errorf("%s is longer than %d bytes, which is all that the memory budget allows; raise it", what, r.MaxRow)
}

// separator is the character that may separate the columns where there seems to be only one: the column's name holds
// it. 0 is none.
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
