package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
)

// inferCSV infers the types of CSV files, as if they were one file; nil where there are none. They are not read with
// files of other formats, whose types are given.
func inferCSV(ctx context.Context, files []string, opts *Options, pipes *pipes) (*csv.Schema, error) {
	isCSV := func(path string) bool { return opts.formatOf(path) == tablefile.CSV }
	first := slices.IndexFunc(files, isCSV)
	if first < 0 {
		return nil, nil
	}
	all := int64(0)
	for _, path := range files {
		if !isCSV(path) {
			return nil, fmt.Errorf("%w: %s is CSV and %s is not; CSV, whose types are inferred, is read with other "+
				"CSV only: sort it to .parquet or .arrow first", errkind.ErrFileOption, displayName(files[first]),
				displayName(path))
		}
		at := pipes.file(path)
		all += tablefile.SizeOf(at, opts.opener(at))
	}
	types, done := opts.newCSV(), int64(0)
	for _, path := range files {
		before := done
		err := inferFile(ctx, path, opts, pipes, types, func(bytes, _ int) {
			done = before + int64(bytes)
			opts.Progress(PhaseTypes, done, all)
		})
		if errors.Is(err, tablefile.ErrHeader) {
			return nil, fmt.Errorf("%w: %w", errkind.ErrFileSchema, err)
		}
		if err != nil {
			return nil, withHint(types, withColumns(err))
		}
		opts.warn(path, types.Remarks)
	}
	return types, nil
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
	return fmt.Errorf("%w: %w%s", errkind.ErrFileOption, err, flagtext.Suggestion(column.Names, column.Name))
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
