package csv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// ErrHeader is returned for a file whose columns are not those of the files before.
var ErrHeader = errors.New("the columns differ")

// A Schema is the columns of CSV files as if they were one: the type of a column is inferred from its values in all
// files. The files have the same columns, in any order unless a name repeats. Columns can be left out, and columns with
// values that can be written in several ways read as text. The zero value is that of no files.
type Schema struct {
	NoHeader bool             // files begin with a row; the columns are #1, #2, and so on
	Types    map[string]*Type // of columns, by name or as #2; the types of others are inferred

	// Header, when set, is called with the columns of the first file before its rows are read, as text where no types
	// are given. After an error it is called again, with the types of the first rows and the remarks on these; an error
	// then is that of Infer.
	Header func(columns *arrow.Schema) error

	Rows    int64    // of all files
	Remarks []string // what may surprise in the last file that was added

	names     []string
	delimiter rune // of the first file
	inferred  []inference
	columns   []column // in the order in which they are read; nil: all, with their types
}

// A column is one that is read: which one of the file, and its type.
type column struct {
	from  int
	field arrow.Field
	typ   *valueType
}

// Infer adds a file, which it reads.
func (s *Schema) Infer(ctx context.Context, source Source) error {
	r, at, err := s.open(source)
	if err != nil {
		return err
	}
	for {
		row, err := r.next(ctx)
		if errors.Is(err, io.EOF) {
			s.remark(r, at)
			return nil
		}
		if err != nil {
			return err
		}
		for i, value := range row {
			if err := s.inferred[at[i]].add(value); err != nil {
				return errorf("line %d, column %q: %.60q %v; it is to be %s", r.rowLine, r.header[i], value, err,
					s.inferred[at[i]].declared)
			}
		}
		s.Rows++
	}
}

// errorOfHeader returns the error of Header, by the types of the first rows of a file and with the remarks on these.
func (s *Schema) errorOfHeader(source Source) error {
	const most = 100
	first := &Schema{NoHeader: s.NoHeader, Types: s.Types}
	r, at, err := first.open(source)
	if err != nil {
		return err
	}
	for range most {
		row, err := r.next(context.Background())
		if err != nil {
			break
		}
		for i, value := range row {
			_ = first.inferred[i].add(value) // the error of the header comes first
		}
	}
	first.remark(r, at)
	s.Remarks = first.Remarks
	return s.Header(first.Arrow())
}

// remark makes the remarks on a file that was read, whose columns are at some positions of the schema.
func (s *Schema) remark(r *rows, at []int) {
	s.Remarks = nil
	if r.quoteLine > 0 {
		s.Remarks = append(s.Remarks, fmt.Sprintf("line %d has a quotation mark in a value that does not start with "+
			"one: it is a character of the value", r.quoteLine))
	}
	if names := s.values(r.header, at); len(names) > 0 && !s.NoHeader {
		s.Remarks = append(s.Remarks, fmt.Sprintf("the first line looks like a row, not like names of columns (%s): "+
			"if it is one, give --no-header", strings.Join(names, ", ")))
	}
}

// values returns some names of columns that read as values of their columns, which are not text; none if one does not.
func (s *Schema) values(header []string, at []int) (names []string) {
	const most = 3
	for i, name := range header {
		c := &s.inferred[at[i]]
		if !c.seen || name == "" || c.text || c.valueType().ID() == arrow.STRING {
			continue
		}
		if c.valueType().reads(name) != nil {
			return nil
		}
		if len(names) < most {
			names = append(names, strconv.Quote(name))
		}
	}
	return names
}

// open reads the header of a file, whose columns are at some positions of the schema.
func (s *Schema) open(source Source) (r *rows, at []int, err error) {
	l, err := newLines(source)
	if err == nil {
		r, err = l.rows(s.NoHeader)
	}
	if err != nil {
		return nil, nil, err
	}
	if s.names == nil {
		s.names, s.inferred, s.delimiter = r.header, make([]inference, len(r.header)), source.Delimiter
		if err := s.declare(); err != nil {
			return nil, nil, err
		}
		if s.Header != nil && s.Header(s.Arrow()) != nil {
			if err := s.errorOfHeader(source); err != nil {
				return nil, nil, err
			}
		}
	}
	at, err = s.positions(r.header)
	return r, at, err
}

// positions finds the names of a header in the schema.
func (s *Schema) positions(header []string) ([]int, error) {
	at := make([]int, len(header))
	if slices.Equal(header, s.names) {
		for i := range at {
			at[i] = i
		}
		return at, nil
	}
	first, here := places(s.names), places(header)
	for i, name := range header {
		switch found := first[name]; {
		case len(found) == 0:
			return nil, headerError("there is a column %q, which the first input has not", name)
		case len(found) > 1 || len(here[name]) > 1:
			return nil, headerError("column %q occurs more than once, then all columns must be those of the first "+
				"input", name)
		default:
			at[i] = found[0]
		}
	}
	for _, name := range s.names {
		if len(here[name]) == 0 {
			return nil, headerError("there is no column %q, which the first input has", name)
		}
	}
	return at, nil
}

// places returns the positions of each name.
func places(names []string) map[string][]int {
	at := make(map[string][]int, len(names))
	for i, name := range names {
		at[name] = append(at[name], i)
	}
	return at
}

// Separator returns the character that may separate the columns of a file that seems to have only one; 0 is none.
func (s *Schema) Separator() rune { return separator(s.names, s.delimiter) }

// selected returns the columns that are read.
func (s *Schema) selected() []column {
	if s.columns != nil {
		return s.columns
	}
	all := make([]column, len(s.names))
	for i, name := range s.names {
		typ := s.inferred[i].valueType()
		all[i] = column{i, arrow.Field{Name: name, Type: typ.DataType, Nullable: true}, typ}
	}
	return all
}

// Arrow returns the schema of the columns that are read.
func (s *Schema) Arrow() *arrow.Schema {
	var fields []arrow.Field
	for _, c := range s.selected() {
		fields = append(fields, c.field)
	}
	return arrow.NewSchema(fields, nil)
}

// Pick returns the schema with some of the columns, by their positions.
func (s *Schema) Pick(columns []int) *Schema {
	all, picked := s.selected(), *s
	picked.columns = make([]column, len(columns))
	for i, c := range columns {
		picked.columns[i] = all[c]
	}
	return &picked
}

// Verbatim returns the schema with text in place of the columns whose values can be written in several ways, as 2.50
// and 2.5. Those of them that are keys are appended after all columns, with their types. It returns the positions of
// the keys.
func (s *Schema) Verbatim(keys []int) (verbatim *Schema, typed []int) {
	all := s.selected()
	columns := slices.Clone(all)
	for _, k := range keys {
		at := k
		if !s.writtenOneWay(all[k]) {
			key := all[k]
			key.field.Name = cmp.Or(key.field.Name, arraydata.Label(k)) // for messages: it is not written
			at, columns = len(columns), append(columns, key)
		}
		typed = append(typed, at)
	}
	for i, c := range all {
		if !s.writtenOneWay(c) {
			columns[i].field.Type, columns[i].typ = arrow.BinaryTypes.String, types[asText]
		}
	}
	v := *s
	v.columns = columns
	return &v, typed
}

// writtenOneWay reports whether all values of a column are written as they were read.
func (s *Schema) writtenOneWay(c column) bool {
	switch c.field.Type.ID() {
	case arrow.STRING:
		return true
	case arrow.INT64, arrow.UINT64, arrow.DATE32:
		return s.inferred[c.from].declared == nil
	}
	return false
}

// Rounded returns the first number of a column of which the column's type has not all digits; empty: it has all.
func (s *Schema) Rounded(column int) string {
	if c := s.inferenceOf(column); c.isRounded() {
		return c.rounded
	}
	return ""
}

// inferenceOf returns what was inferred of a column that is read.
func (s *Schema) inferenceOf(column int) *inference {
	if s.columns != nil {
		column = s.columns[column].from
	}
	return &s.inferred[column]
}

// Bytes returns about what the columns that are read take in memory.
func (s *Schema) Bytes() (n int64) {
	for _, c := range s.selected() {
		n += s.Rows * fixedBytes(c.field.Type)
		if c.field.Type.ID() == arrow.STRING {
			n += s.inferred[c.from].bytes
		}
	}
	return n
}

// fixedBytes returns what a value takes in memory, but for the text of strings.
func fixedBytes(typ arrow.DataType) int64 {
	if t, ok := typ.(arrow.FixedWidthDataType); ok {
		return int64(t.BitWidth()+7) / 8
	}
	return int64(arrow.Int32SizeBytes)
}

// A ColumnError is the error of a type that is given to a column that is not there, or to several.
type ColumnError struct {
	Name  string   // of the column
	Names []string // of the columns that are there; none where Name is of several columns
	text  string
}

func (e *ColumnError) Error() string {
	return fmt.Sprintf("CSVTypes of column %q: %s", e.Name, e.text)
}

// declare finds the columns that have types: by their names, or by their positions as #2.
func (s *Schema) declare() error {
	at := places(s.names)
	for _, name := range slices.Sorted(maps.Keys(s.Types)) {
		typ := s.Types[name]
		found := at[name]
		if len(found) == 0 {
			for i := range s.names {
				if arraydata.Label(i) == name {
					found = []int{i}
				}
			}
		}
		switch {
		case len(found) == 0:
			return &ColumnError{name, s.names, "there is no such column"}
		case len(found) > 1:
			return &ColumnError{name, nil, fmt.Sprintf("%d columns have the name: name one by its position, as in %s",
				len(found), arraydata.Label(found[0]))}
		case s.inferred[found[0]].declared != nil:
			return &ColumnError{name, nil, "it gets two types, by its name and by its position"}
		}
		s.inferred[found[0]].declared = typ
	}
	return nil
}

// headerError returns an ErrHeader.
func headerError(format string, args ...any) error {
	return errkind.Reword(ErrHeader, fmt.Sprintf(format, args...))
}

// Looks returns a value of a column of text and types that the user may give to the column, if all its values look like
// dates or numbers that text does not have in their order: one type, or two that differ in what the values mean.
func (s *Schema) Looks(column int) (example string, like []*Type) {
	c := s.inferenceOf(column)
	l := &c.looks
	if len(l.guesses) == 0 {
		return "", nil
	}
	first := l.guesses[0]
	if _, form, _ := strings.Cut(first.text, ":"); strings.HasPrefix(form, "%Y") && !l.uneven {
		return "", nil // text is in the order of the times
	}
	like = []*Type{first.Type}
	for _, g := range l.guesses {
		if len(like) == 1 && g.differs(first) {
			like = append(like, g.Type)
		}
	}
	return l.example, like
}
