package main

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/internal/keytext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// completeKey completes the keys of the inputs that are on the line already: columns, fields of nested ones, and after
// a colon what a key can end with.
func (f *jobFlags) completeKey(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const stay = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	if name, _, found := keytext.Cut(typed); found {
		var ends []string
		for _, end := range []string{":asc", ":desc", ":nulls-first", ":nulls-last"} {
			ends = append(ends, name+end)
		}
		return ends, stay
	}
	schema := f.schemaOf(args)
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
func (f *jobFlags) schemaOf(args []string) *arrow.Schema {
	files, err := parquetsort.Expand(args)
	if err != nil || len(files) == 0 || files[0] == tablefile.Pipe {
		return nil
	}
	format, _ := tablefile.ParseFormat(f.options.InputFormat) // its flag has checked it
	s, err := tablefile.Scan(files[0], 0, tablefile.ReadOptions{Format: format, Delimiter: f.options.Delimiter})
	if err != nil {
		return nil
	}
	defer s.Close()
	return s.Schema
}

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
