package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// resolve finds the keys in a schema, and makes sure that they can be sorted by.
func (f *jobFlags) resolve(ctx context.Context, schema *arrow.Schema) ([]arrowsort.Key, error) {
	keys := make([]arrowsort.Key, len(f.keys))
	for i, k := range f.keys {
		keys[i] = k.key
		if err := k.locate(schema); err != nil {
			return nil, fmt.Errorf("key %q: %w", k.text, err)
		}
	}
	none := array.NewTableFromRecords(tablefile.Labelled(schema), nil)
	defer none.Release()
	if _, err := arrowsort.Explain(ctx, none, keys, arrowsort.Options{}); err != nil { // it knows the rules for types and nested fields
		return nil, inWords(err)
	}
	return keys, nil
}

// inWords is an error of the library for somebody who does not call it.
func inWords(err error) error {
	text := strings.TrimPrefix(err.Error(), "arrowsort: ")
	return errors.New(strings.TrimSuffix(text, "; use Key.Index"))
}

// locate makes sure that a key names one column.
func (k *keyFlag) locate(schema *arrow.Schema) error {
	if k.key.Path == "" {
		if k.key.Index >= schema.NumFields() {
			return fmt.Errorf("there %s", columnsThere(schema))
		}
		return nil
	}
	name, at := match(schema, k.key.Path)
	switch {
	case len(at) == 1:
		return nil
	case len(at) > 1:
		return fmt.Errorf("%d columns are named %q; say which: %s", len(at), name, positions(at))
	}
	if head, _, found := strings.Cut(k.key.Path, ":"); found {
		if _, at := match(schema, head); len(at) > 0 {
			_, tail, _ := cutLast(k.key.Path)
			return usagef("unknown modifier %q; use :asc, :desc, :nulls-first or :nulls-last", ":"+tail)
		}
	}
	if meant := meant(schema, k.key.Path); meant != "" {
		return fmt.Errorf("no such column; did you mean %s?", meant)
	}
	return fmt.Errorf("no such column; there %s", columnsThere(schema))
}

// meant is what somebody may have meant who types keys as other tools have them, or as the column is not written.
func meant(schema *arrow.Schema, path string) string {
	known := func(name string) bool { _, at := match(schema, name); return len(at) > 0 }
	for _, field := range schema.Fields() {
		if strings.EqualFold(field.Name, path) {
			return strconv.Quote(field.Name)
		}
	}
	if parts := strings.Split(path, ","); len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return !known(strings.TrimSpace(p)) }) {
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return "-k " + strings.Join(parts, " -k ")
	}
	words := strings.Fields(path)
	if rest, minus := strings.CutPrefix(path, "-"); minus && known(rest) {
		words = []string{rest, "desc"}
	}
	if len(words) == 2 && known(words[0]) && isModifier(words[1]) {
		return "-k " + words[0] + ":" + strings.ToLower(words[1])
	}
	return ""
}

// match finds the columns that a path starts with: those that have its name, or else the longest part of it before a dot.
func match(schema *arrow.Schema, path string) (name string, at []int) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if at = schema.FieldIndices(path[:end]); len(at) > 0 {
			slices.Sort(at)
			return path[:end], at
		}
	}
	return path, nil
}

// positions are columns as they are given for keys.
func positions(columns []int) string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = "-k '" + tablefile.Label(c) + "'"
	}
	return strings.Join(texts, " or ")
}

// columnsThere lists the columns for an error, the first of them if there are many.
func columnsThere(schema *arrow.Schema) string {
	const most = 10
	n := schema.NumFields()
	texts := make([]string, min(n, most))
	for i := range texts {
		texts[i] = strconv.Quote(schema.Field(i).Name)
	}
	list := strings.Join(texts, ", ")
	switch {
	case n == 0:
		return "are no columns"
	case n == 1:
		return "is 1 column: " + list
	case n > most:
		return fmt.Sprintf("are %s columns: %s and %s more", grouped(int64(n)), list, grouped(int64(n-most)))
	}
	return fmt.Sprintf("are %d columns: %s", n, list)
}
