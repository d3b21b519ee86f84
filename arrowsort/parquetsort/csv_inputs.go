package parquetsort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
)

// inferCSV infers the types of CSV inputs, as if they were one file. They are not read together with other formats,
// whose types are given.
func (in *inputs) inferCSV(ctx context.Context) error {
	isCSV := func(path string) bool { return in.formatOf(path) == tablefile.CSV }
	first := slices.IndexFunc(in.paths, isCSV)
	if first < 0 {
		return nil
	}
	for _, path := range in.paths {
		if !isCSV(path) {
			return fmt.Errorf("%w: %s is CSV and %s is not; CSV, whose types are inferred, is read with other CSV "+
				"only: sort it to .parquet or .arrow first", errOption, displayName(in.paths[first]), displayName(path))
		}
	}
	in.csv = in.opts.csvSchema()
	done, all := int64(0), in.sizes()
	for _, path := range in.paths {
		read, before := in.reading(path), done
		read.Progress = func(bytes, _ int) {
			done = before + int64(bytes)
			in.opts.Run.Progress(PhaseTypes, done, all)
		}
		err := tablefile.InferCSV(ctx, in.pipes.file(path), read)
		if errors.Is(err, tablefile.ErrHeader) {
			return fmt.Errorf("%w: %w", errSchema, err)
		}
		if err != nil {
			return withHint(in.csv, withColumns(err))
		}
		in.warnFile(path, in.csv)
	}
	return nil
}

// sizes returns the bytes of all files; of one that is missing, which opening it reports, none.
func (in *inputs) sizes() (bytes int64) {
	for _, path := range in.paths {
		if info, err := os.Stat(in.pipes.file(path)); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// csvTypeConflict is why a CSV file may be in order by itself though not among the inputs: the first key column that
// has other types in other files, and is text in all. It is empty where there is none.
func (in *inputs) csvTypeConflict(ctx context.Context, file string) (string, error) {
	if in.csv == nil || len(in.paths) == 1 {
		return "", nil
	}
	own, err := in.typesOf(ctx, file)
	if err != nil {
		return "", err
	}
	for _, path := range in.paths {
		others, err := in.typesOf(ctx, path)
		if err != nil {
			return "", err
		}
		for _, c := range in.keyed {
			a, b := columnIn(own, in.common, c), columnIn(others, in.common, c)
			if in.common.Field(c).Type.ID() == arrow.STRING && !arrow.TypeEqual(a.Type, b.Type) {
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
func (in *inputs) typesOf(ctx context.Context, path string) (*arrow.Schema, error) {
	read := in.reading(path)
	read.CSV = in.opts.csvSchema()
	if err := tablefile.InferCSV(ctx, in.pipes.file(path), read); err != nil {
		return nil, err
	}
	return read.CSV.Arrow(), nil
}

// readVerbatim has the text of CSV values read, for an output that is CSV: 2.50 stays 2.50. The keys with their types
// are further columns, which are not written.
func (in *inputs) readVerbatim() {
	columns := in.keyColumns()
	verbatim, typed := in.csv.Verbatim(columns)
	in.written = make([]int, in.schema.NumFields())
	for i := range in.written {
		in.written[i] = i
	}
	keys := slices.Clone(in.opts.Keys)
	for i, key := range keys {
		keys[i].Path, keys[i].At = "", arrowsort.Column(typed[slices.Index(columns, in.columnOf(key))])
	}
	in.opts.Keys, in.csv, in.memory = keys, verbatim, verbatim.Bytes()
	in.inferred, in.schema = in.schema, verbatim.Arrow()
}

// writtenSchema returns the schema of the columns that are written, with the types of those whose text is written.
func (in *inputs) writtenSchema() *arrow.Schema {
	if in.inferred == nil {
		return arraydata.Pick(in.schema, in.written)
	}
	var columns []int
	for _, c := range in.written {
		if in.projected != nil {
			c = in.projected[c]
		}
		columns = append(columns, c)
	}
	return arraydata.Pick(in.inferred, columns)
}

// csvSchema returns the schema of CSV files of which none was read.
func (o *Options) csvSchema() *csv.Schema {
	return &csv.Schema{NoHeader: o.Input.NoHeader, Types: o.csvTypes}
}

// withColumns makes an ErrOption of the error of a type that is given to a column that is not there.
func withColumns(err error) error {
	var column *csv.ColumnError
	if !errors.As(err, &column) {
		return err
	}
	return fmt.Errorf("%w: %w%s", errOption, err, flagtext.Suggestion(column.Names, column.Name))
}

// withHint adds to an error what to do where CSV seems to have one column; schema is that of CSV inputs, or nil.
func withHint(schema *csv.Schema, err error) error {
	if hint := delimiterHint(schema); hint != "" {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}

// warnFile warns of what is read in a CSV file otherwise than somebody may expect; schema is that of CSV, or nil.
func (in *inputs) warnFile(path string, schema *csv.Schema) {
	if schema == nil {
		return
	}
	for _, text := range schema.Remarks {
		in.opts.Run.Warn(displayName(path) + ": " + text)
	}
}

// warnKeys warns of keys that may not be what somebody expects; schema is that of CSV inputs, or nil.
func (in *inputs) warnKeys(schema *csv.Schema) {
	if hint := delimiterHint(schema); hint != "" {
		in.opts.Run.Warn(fmt.Sprintf("%s: there is one column, %q; %s", displayName(in.paths[0]),
			schema.Arrow().Field(0).Name, hint))
	}
	if schema == nil {
		return
	}
	for _, c := range in.keyColumns() {
		example, like := schema.Looks(c)
		if len(like) == 0 {
			continue
		}
		name := schema.Arrow().Field(c).Name
		if name == "" {
			name = arraydata.Label(c)
		}
		var give []string
		for _, typ := range like {
			give = append(give, "--csv-type "+shellQuoted(name+"="+typ.String()))
		}
		in.opts.Run.Warn(fmt.Sprintf("%s: key %q is compared as text, and its values look like %s, such as %q: give %s",
			displayName(in.paths[0]), name, like[0].Kind(), example, strings.Join(give, " or ")))
	}
}

// shellQuoted returns a word as a shell takes it.
func shellQuoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// warnRounded warns of columns whose numbers lose digits where they are written as float64.
func (in *inputs) warnRounded() {
	for c, field := range in.schema.Fields() {
		selected := len(in.opts.Input.Columns) == 0 || slices.Contains(in.opts.Input.Columns, field.Name) ||
			slices.Contains(in.opts.Input.Columns, arraydata.Label(c))
		if example := in.csv.Rounded(c); example != "" && selected {
			in.opts.Run.Warn(fmt.Sprintf("column %q is float64, which does not keep all digits of numbers such as %s; "+
				"output in CSV does", field.Name, example))
		}
	}
}

// delimiterHint returns what to do where the name of the only column looks like several; empty where it does not.
func delimiterHint(schema *csv.Schema) string {
	if schema == nil {
		return ""
	}
	found := schema.Separator()
	if found == 0 {
		return ""
	}
	name := "'" + string(found) + "'"
	if found == '\t' {
		name = "tab"
	}
	return fmt.Sprintf("if %s separates the columns, give --delimiter %s",
		strings.Replace(name, "tab", "a tab", 1), name)
}
