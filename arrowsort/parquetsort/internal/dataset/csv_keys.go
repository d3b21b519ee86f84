package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

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
