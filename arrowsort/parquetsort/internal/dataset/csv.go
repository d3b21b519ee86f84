package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
)

// inferCSV infers the types of CSV files, as if they were one file. They are not read with files of other formats,
// whose types are given.
func (d *Dataset) inferCSV(ctx context.Context) error {
	opts := &d.opts
	isCSV := func(path string) bool { return opts.formatOf(path) == tablefile.CSV }
	first := slices.IndexFunc(d.Files, isCSV)
	if first < 0 {
		return nil
	}
	all := int64(0)
	for _, path := range d.Files {
		if !isCSV(path) {
			return fmt.Errorf("%w: %s is CSV and %s is not; CSV, whose types are inferred, is read with other "+
				"CSV only: sort it to .parquet or .arrow first", errkind.ErrFileOption, displayName(d.Files[first]),
				displayName(path))
		}
		at := d.pipes.file(path)
		all += tablefile.SizeOf(at, opts.opener(at))
	}
	done := int64(0)
	d.CSV = d.newCSV(ctx)
	for _, path := range d.Files {
		before := done
		err := inferFile(ctx, path, opts, &d.pipes, d.CSV, func(bytes, _ int) {
			done = before + int64(bytes)
			opts.Progress(PhaseTypes, done, all)
		})
		if errors.Is(err, tablefile.ErrHeader) {
			return fmt.Errorf("%w: %w", errkind.ErrFileSchema, err)
		}
		if err != nil {
			return withHint(d.CSV, withColumns(err))
		}
		opts.warn(path, d.CSV.Remarks)
	}
	return nil
}

// newCSV returns the schema of the files, of which none was read. Keys are looked for in the header of the first: a
// missing one is an error before all files are read for their types.
func (d *Dataset) newCSV(ctx context.Context) *csv.Schema {
	types := d.opts.newCSV()
	types.Header = func(columns *arrow.Schema) error {
		if d.opts.Keys == nil {
			return nil
		}
		d.Schema = columns
		_, err := d.keys(ctx, d.opts.Keys)
		if column := (*errkind.ColumnError)(nil); errors.As(err, &column) {
			d.opts.warn(d.Files[0], types.Remarks) // its first line may be no header
			return err
		}
		return nil // what depends on the types is found with these
	}
	return types
}

// inferFile adds the types of a file to those of others.
func inferFile(ctx context.Context, path string, opts *Options, pipes *pipes, types *csv.Schema,
	progress func(done, total int)) error {
	at := pipes.file(path)
	read := opts.reading(path, types)
	read.Progress, read.Open = progress, opts.opener(at)
	return tablefile.InferCSV(ctx, at, read)
}

// withColumns makes an ErrOption of the error of a type that is given to a column that is not there.
func withColumns(err error) error {
	var column *csv.ColumnError
	if !errors.As(err, &column) {
		return err
	}
	return fmt.Errorf("%w: %w%s", errkind.ErrFileOption, err, nearest.Hint(column.Names, column.Name))
}

// withHint adds to an error what to do where CSV seems to have one column; schema is that of CSV inputs, or nil.
func withHint(schema *csv.Schema, err error) error {
	if hint := delimiterHint(schema); hint != "" {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}

// delimiterHint returns what to do where the name of the only column looks like several; empty where it does not.
func delimiterHint(schema *csv.Schema) string {
	if schema == nil {
		return ""
	}
	switch found := schema.Separator(); found {
	case 0:
		return ""
	case '\t':
		return "if a tab separates the columns, give --delimiter tab"
	default:
		return fmt.Sprintf("if '%c' separates the columns, give --delimiter '%[1]c'", found)
	}
}

// warnKeys warns of keys of CSV, in some columns, that may not be what somebody expects.
func (d *Dataset) warnKeys(columns []int) {
	if d.CSV == nil {
		return
	}
	if hint := delimiterHint(d.CSV); hint != "" {
		d.opts.Warn(fmt.Sprintf("%s: there is one column, %q; %s", displayName(d.Files[0]),
			d.Schema.Field(0).Name, hint))
	}
	for _, c := range columns {
		example, like := d.CSV.Looks(c)
		if len(like) == 0 {
			continue
		}
		name := d.Schema.Field(c).Name
		if name == "" {
			name = arraydata.Label(c)
		}
		var give []string
		for _, typ := range like {
			give = append(give, "--csv-type "+shellQuoted(name+"="+typ.String()))
		}
		d.opts.Warn(fmt.Sprintf("%s: key %q is compared as text, and its values look like %s, such as %q: give %s",
			displayName(d.Files[0]), name, like[0].Kind(), example, strings.Join(give, " or ")))
	}
}

// shellQuoted returns a word as a shell takes it.
func shellQuoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// WarnRounded warns of columns of CSV whose numbers lose digits where they are written as float64: of those with the
// names, or of all.
func (d *Dataset) WarnRounded(names []string) {
	for c, field := range d.Schema.Fields() {
		selected := len(names) == 0 || slices.Contains(names, field.Name) || slices.Contains(names, arraydata.Label(c))
		if example := d.CSV.Rounded(c); example != "" && selected {
			d.opts.Warn(fmt.Sprintf("column %q is float64, which does not keep all digits of numbers such as %s; "+
				"output in CSV does", field.Name, example))
		}
	}
}

// TypeConflict returns why a CSV file may be in order by itself though not among the others: the first of the columns,
// of its keys, that has other types in other files, and is text in all. It is empty where there is none.
func (d *Dataset) TypeConflict(ctx context.Context, columns []int, file string) (string, error) {
	if d.CSV == nil || len(d.Files) == 1 {
		return "", nil
	}
	own, err := d.typesOf(ctx, file)
	if err != nil {
		return "", err
	}
	for _, path := range d.Files {
		others, err := d.typesOf(ctx, path)
		if err != nil {
			return "", err
		}
		for _, c := range columns {
			a, b := columnIn(own, d.Schema, c), columnIn(others, d.Schema, c)
			if d.Schema.Field(c).Type.ID() == arrow.STRING && !arrow.TypeEqual(a.Type, b.Type) {
				return fmt.Sprintf("column %q is compared as text, as its types differ: it is %s in %s and %s in %s",
					a.Name, a.Type, displayName(file), b.Type, displayName(path)), nil
			}
		}
	}
	return "", nil
}

// columnIn returns the column of a schema that matches a column of another: by its name, or by its position if names
// repeat.
func columnIn(schema, other *arrow.Schema, column int) arrow.Field {
	if at := schema.FieldIndices(other.Field(column).Name); len(at) == 1 {
		column = at[0]
	}
	return schema.Field(column)
}

// typesOf returns the schema of one CSV file by itself.
func (d *Dataset) typesOf(ctx context.Context, path string) (*arrow.Schema, error) {
	types := d.opts.newCSV()
	if err := inferFile(ctx, path, &d.opts, &d.pipes, types, nil); err != nil {
		return nil, err
	}
	return types.Arrow(), nil
}
