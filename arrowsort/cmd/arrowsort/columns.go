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
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
)

// resolve finds the keys in a schema, and checks that their types can be sorted.
func (f *jobFlags) resolve(ctx context.Context, schema *arrow.Schema) ([]arrowsort.Key, error) {
	keys := make([]arrowsort.Key, len(f.keys))
	for i, k := range f.keys {
		k = k.in(schema)
		keys[i], f.keys[i].key = k.key, k.key
		if err := k.locate(schema); err != nil {
			return nil, fmt.Errorf("key %s: %w", quoted(k.text), err)
		}
	}
	for _, name := range f.options.Input.Columns {
		if err := locateColumn(schema, name); err != nil {
			return nil, fmt.Errorf("--select %s: %w", quoted(name), err)
		}
	}
	none := array.NewTableFromRecords(arraydata.Labelled(schema), nil)
	defer none.Release()
	// It checks types and nested fields.
	if _, err := arrowsort.Explain(ctx, none, keys, arrowsort.Options{}); err != nil {
		return nil, inWords(err)
	}
	return keys, nil
}

// inWords rewords an error of the library for users of the command.
func inWords(err error) error {
	words := strings.TrimPrefix(err.Error(), "arrowsort: ")
	return reworded{strings.TrimSuffix(words, "; use Key.At"), err}
}

// locate checks that a key names one column.
func (k *keyFlag) locate(schema *arrow.Schema) error {
	if k.key.Path == "" {
		if at, _ := k.key.At.Index(); at >= schema.NumFields() {
			return fmt.Errorf("there %s", columnsThere(schema))
		}
		return nil
	}
	if err := flagtext.CheckModifiers(k.text, schema); err != nil {
		return usagef("%v", err)
	}
	name, at := flagtext.FindColumns(schema, k.key.Path)
	switch {
	case len(at) == 1:
		return nil
	case len(at) > 1:
		return ambiguous(name, "-k ", at)
	}
	if words := strings.Fields(k.key.Path); len(words) == 2 && flagtext.IsModifier(words[1]) {
		if _, at := flagtext.FindColumns(schema, words[0]); len(at) > 0 {
			return usagef("%q follows a colon, not a space; write -k %s:%s", words[1], words[0],
				strings.ToLower(words[1]))
		}
	}
	return noColumn(schema, suggestKey(schema, k.key.Path))
}

// locateColumn checks that --select names one column, by its literal name or by its position.
func locateColumn(schema *arrow.Schema, name string) error {
	key, err := parseKey(name, 0)
	_, at := flagtext.FindColumns(schema, name)
	switch named := schema.FieldIndices(name); {
	case err != nil:
		return err
	case len(named) > 1:
		return ambiguous(name, "", at)
	case len(named) == 1:
		return nil
	case key.Path == "":
		return (&keyFlag{name, key}).locate(schema)
	case len(at) > 0:
		return errors.New("a field of a column cannot be selected alone")
	}
	if near := nearestColumn(schema, name); near != "" && schema.HasField(near) {
		return noColumn(schema, quoted(near))
	}
	return noColumn(schema, "")
}

// ambiguous returns the error for a name that several columns have. It lists their positions for a flag.
func ambiguous(name, flag string, at []int) error {
	texts := make([]string, len(at))
	for i, c := range at {
		texts[i] = flag + "'" + arraydata.Label(c) + "'"
	}
	return fmt.Errorf("%d columns are named %s; say which: %s", len(at), quoted(name), strings.Join(texts, " or "))
}

// noColumn returns the error for a name that no column has. meant is the column to suggest, or empty.
func noColumn(schema *arrow.Schema, meant string) error {
	if meant != "" {
		return fmt.Errorf("no such column; did you mean %s?", meant)
	}
	return fmt.Errorf("no such column; there %s", columnsThere(schema))
}

// suggestKey guesses the intended key: another tool's syntax, other case, or a typo.
func suggestKey(schema *arrow.Schema, path string) string {
	known := func(name string) bool { _, at := flagtext.FindColumns(schema, name); return len(at) > 0 }
	for _, field := range schema.Fields() {
		if strings.EqualFold(field.Name, path) {
			return quoted(field.Name)
		}
	}
	if parts := strings.Split(path, ","); len(parts) > 1 &&
		!slices.ContainsFunc(parts, func(p string) bool { return !known(strings.TrimSpace(p)) }) {
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return "-k " + strings.Join(parts, " -k ")
	}
	if rest, minus := strings.CutPrefix(path, "-"); minus && known(rest) {
		return "-k " + rest + ":desc"
	}
	if name := nearestColumn(schema, path); name != "" {
		return quoted(name)
	}
	return ""
}

// nearestColumn returns the column or nested field whose name is nearest to a path; empty if none is near.
func nearestColumn(schema *arrow.Schema, path string) string {
	var names []string
	for _, field := range schema.Fields() {
		names = appendPaths(append(names, field.Name), field.Name, field.Type)
	}
	return flagtext.Nearest(names, path)
}

// longName is the number of characters to which messages cut names.
const longName = 60

// quoted returns a name for a message: in quotes, and cut if it is long.
func quoted(name string) string { return strconv.Quote(text.Snip(name, longName, "…")) }

// columnsThere lists the columns for an error, only the first ones if there are many.
func columnsThere(schema *arrow.Schema) string {
	const most = 10
	n := schema.NumFields()
	texts := make([]string, min(n, most))
	for i := range texts {
		texts[i] = quoted(schema.Field(i).Name)
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

// A keyFlag is a key as typed on the command line.
type keyFlag struct {
	text string
	key  arrowsort.Key
}

// parseKeys reads the keys of a command line, the most significant first.
func parseKeys(texts []string) ([]keyFlag, error) {
	if len(texts) == 0 {
		return nil, usagef("give at least one key: -k COLUMN")
	}
	keys := make([]keyFlag, len(texts))
	for i, text := range texts {
		key, err := parseKey(text, 2)
		if err != nil {
			return nil, err
		}
		keys[i] = keyFlag{text, key}
	}
	return keys, nil
}

// in returns the key for a schema.
func (k keyFlag) in(schema *arrow.Schema) keyFlag {
	if key, err := flagtext.KeyIn(k.text, schema); err == nil {
		k.key = key
	}
	return k
}

// keysInWords describes keys in plain words.
func keysInWords(flags []keyFlag) string {
	keys := make([]arrowsort.Key, len(flags))
	for i, k := range flags {
		keys[i] = k.key
	}
	return flagtext.KeysInWords(keys)
}

// parseKey reads a key with at most `most` modifiers.
func parseKey(text string, most int) (arrowsort.Key, error) {
	key, err := flagtext.ParseKey(text, most)
	if err != nil {
		return key, usagef("%v", err)
	}
	return key, nil
}

// unquote reverses the escapes of quotes and backslashes, which terminals can print.
var unquote = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// printable returns text for a terminal. Unprintable characters, such as escape sequences and line ends, are written as
// Go escapes them.
func printable(s string) string {
	quoted := strconv.Quote(s)
	return unquote.Replace(quoted[1 : len(quoted)-1])
}
