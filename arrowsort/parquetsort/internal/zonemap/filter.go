package zonemap

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/apache/arrow/go/v15/arrow"
)

// A Filter compares a column with a literal: COLUMN OPERATOR LITERAL, or COLUMN is null, COLUMN is not null.
type Filter struct {
	Text   string // as it was typed
	Column string // the path
	Leaf   int    // number of the column in a Map, once it is known
	op     string // of operators, or isNull or notNull
	text   string // the literal
	quoted bool   // it was in quotes
	key    []byte // the literal in the form of package rows
}

const (
	isNull  = "is null"
	notNull = "is not null"
)

// operators are those of filters; the ones that begin with another one come first.
var operators = []string{"<=", ">=", "<>", "!=", "==", "=", "<", ">"}

// nullTest is a filter of nulls: the column, and the test.
var nullTest = regexp.MustCompile(`(?i)^(?:([^<>=!]*[^<>=!\s])\s+)?is\s+(not\s+)?null$`)

// ParseFilter reads a filter. A column with an operator in its name is in double quotes, which are doubled inside;
// literals may be in these or in single quotes, as text with spaces must be.
func ParseFilter(text string) (f Filter, err error) {
	f.Text = text
	s := strings.TrimSpace(text)
	column, rest, err := unquoted(s, '"')
	switch {
	case err != nil:
		return f, err
	case column == nil:
		if m := nullTest.FindStringSubmatch(s); m != nil {
			column, rest = &m[1], strings.TrimPrefix(s, m[1])
			break
		}
		at := strings.IndexAny(s, "<>=!")
		if at < 0 {
			return f, fmt.Errorf("it has no operator: write COLUMN OPERATOR VALUE with one of %s, or COLUMN is null",
				strings.Join(operators, " "))
		}
		name := strings.TrimSpace(s[:at])
		column, rest = &name, s[at:]
	}
	if f.Column = *column; f.Column == "" {
		return f, fmt.Errorf("it names no column: write COLUMN OPERATOR VALUE")
	}
	return f, f.parseTest(strings.TrimSpace(rest))
}

// parseTest reads what follows the column.
func (f *Filter) parseTest(rest string) error {
	if m := nullTest.FindStringSubmatch(rest); m != nil && m[1] == "" {
		if f.op = isNull; m[2] != "" {
			f.op = notNull
		}
		return nil
	}
	for _, op := range operators {
		literal, ok := strings.CutPrefix(rest, op)
		if !ok {
			continue
		}
		f.op = op
		switch op {
		case "==":
			f.op = "="
		case "<>":
			f.op = "!="
		}
		return f.parseLiteral(strings.TrimSpace(literal))
	}
	return fmt.Errorf("%q is no operator: use one of %s, is null or is not null", rest, strings.Join(operators, " "))
}

func (f *Filter) parseLiteral(literal string) error {
	f.text = literal
	for _, quote := range []byte{'\'', '"'} {
		inside, after, err := unquoted(literal, quote)
		switch {
		case err != nil:
			return err
		case inside != nil && after != "":
			return fmt.Errorf("%q follows the value in quotes", after)
		case inside != nil:
			f.text, f.quoted = *inside, true
			return nil
		}
	}
	if literal == "" {
		return fmt.Errorf("it has no value to compare with; write '' for empty text")
	}
	return nil
}

// unquoted cuts a text in quotes off; nil where the text does not begin with one.
func unquoted(s string, quote byte) (inside *string, rest string, err error) {
	if s == "" || s[0] != quote {
		return nil, s, nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == quote {
			b.WriteByte(quote)
			i++
			continue
		}
		text := b.String()
		return &text, s[i+1:], nil
	}
	return nil, s, fmt.Errorf("a quote %c is not closed", quote)
}

// Bind reads the literal as a value of the type of the column. A text that is none, and a column in lists, is an error.
func (f *Filter) Bind(typ arrow.DataType, repeated bool) (err error) {
	switch {
	case repeated:
		return fmt.Errorf("column %q lies in lists, whose values are not compared", f.Column)
	case f.op == isNull || f.op == notNull:
		return nil
	}
	spaced := !f.quoted && strings.ContainsFunc(f.text, unicode.IsSpace)
	if text := typ.ID() == arrow.STRING || typ.ID() == arrow.LARGE_STRING; text && spaced {
		return fmt.Errorf("the value %s has spaces: put it in quotes, as '%s', or give one Filter for each condition",
			f.text, strings.ReplaceAll(f.text, "'", "''"))
	}
	if f.key, err = literalKey(f.text, typ); err != nil && spaced {
		return fmt.Errorf("%w; give one Filter for each condition", err)
	}
	return err
}

// may reports whether a zone can hold a row that passes the filter. NaN lies above all numbers, as DuckDB, DataFusion,
// Polars and Spark have it, where it is counted. Null passes no filter but is null.
func (f *Filter) may(z *Zone) bool {
	switch {
	case z.Rows == 0:
		return false
	case f.op == isNull:
		return z.Counts.Nulls != 0
	case z.Empty():
		return false
	case f.op == notNull:
		return true
	case f.op == "!=" && z.Counts.NaNs != 0, (f.op == ">" || f.op == ">=") && z.Counts.NaNs > 0:
		return true
	case z.Counts.NaNs > 0 && z.Counts.Nulls+z.Counts.NaNs == z.Counts.Rows:
		return false // there are no numbers
	}
	low, high := -1, 1 // how the bounds compare with the literal
	if z.Low != nil {
		low = bytes.Compare(z.Low, f.key)
	}
	if z.High != nil {
		high = bytes.Compare(z.High, f.key)
	}
	switch f.op {
	case "=":
		return low <= 0 && high >= 0
	case "!=":
		return low != 0 || high != 0
	case "<":
		return low < 0
	case "<=":
		return low <= 0
	case ">":
		return high > 0
	}
	return high >= 0
}

// typeExample returns what a value of a type looks like, for errors.
func typeExample(typ arrow.DataType) string {
	switch typ.ID() {
	case arrow.DATE32:
		return "a date as in 2001-03-01"
	case arrow.TIMESTAMP:
		return "a time as in 2001-03-01T12:30:00"
	case arrow.TIME32, arrow.TIME64:
		return "a time as in 12:30:00"
	case arrow.DURATION:
		return "90s or 1h30m"
	case arrow.BOOL:
		return "true or false"
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY:
		return "bytes as base64"
	case arrow.DECIMAL128, arrow.DECIMAL256:
		return "a number with the digits of the type"
	}
	if arrow.IsInteger(typ.ID()) {
		return "a whole number"
	}
	return "a number"
}
