package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// completeKey completes the keys of the inputs that are on the line already: columns, fields of nested ones, and after
// a colon what a key can end with.
func (f *jobFlags) completeKey(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const stay = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	if name, _, found := cutLast(typed); found {
		var ends []string
		for _, end := range []string{":asc", ":desc", ":nulls-first", ":nulls-last"} {
			ends = append(ends, name+end)
		}
		return ends, stay
	}
	schema := f.schemaOf(cmd.Context(), args)
	if schema == nil {
		return nil, stay
	}
	var names []string
	for _, field := range schema.Fields() {
		names = appendPaths(names, field.Name, field.Type)
	}
	return names, stay
}

// schemaOf is the schema of the first input; nil when there is none that can be read.
func (f *jobFlags) schemaOf(ctx context.Context, args []string) (schema *arrow.Schema) {
	files, err := parquetsort.Expand(args)
	if err != nil || len(files) == 0 || files[0] == tablefile.Pipe {
		return nil
	}
	info, err := os.Stat(files[0])
	if err != nil || !info.Mode().IsRegular() || info.Size() > quickCSV && isCSV(f.options.InputFormat, files[0]) {
		return nil
	}
	opts := f.options
	opts.KeysFor = func(s *arrow.Schema) ([]arrowsort.Key, error) {
		schema = s
		return nil, errors.New("only the schema is wanted")
	}
	_, _ = parquetsort.Plan(ctx, files[0], opts)
	return schema
}

// quickCSV is the size of CSV that is read while somebody waits for a column.
const quickCSV = 64 << 20

// appendPaths appends a column and the fields of a nested one.
func appendPaths(names []string, name string, typ arrow.DataType) []string {
	if strings.ContainsAny(name, "\n\r\t") || name == "" {
		return names // no shell takes them
	}
	if s, ok := typ.(*arrow.StructType); ok {
		for _, field := range s.Fields() {
			names = appendPaths(names, name+"."+field.Name, field.Type)
		}
		return names
	}
	return append(names, name)
}
