package command

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// resolve finds the keys of the command line in a schema, sets them, and checks that their types can be sorted and that
// the columns that options name exist.
func resolve(ctx context.Context, schema *arrow.Schema, flags []keyFlag, o *parquetsort.Options) ([]arrowsort.Key,
	error) {
	keys := make([]arrowsort.Key, len(flags))
	for i := range flags {
		k := &flags[i]
		if key, err := flagtext.KeyIn(k.text, schema); err == nil {
			k.key = key
		}
		keys[i] = k.key
		if err := k.locate(schema); err != nil {
			return nil, about(k.key.Path, fmt.Errorf("key %s: %w", quoted(k.text), err))
		}
	}
	for _, name := range o.Columns {
		if err := locateColumn(schema, name); err != nil {
			return nil, about(name, fmt.Errorf("--select %s: %w", quoted(name), err))
		}
	}
	for _, name := range o.Output.PartitionBy {
		if err := locateColumn(schema, name); err != nil {
			return nil, about(name, usagef("--partition-by %s: %v", quoted(name), err))
		}
	}
	none := array.NewTableFromRecords(arraydata.Labelled(schema), nil)
	defer none.Release()
	// It checks types and nested fields.
	if _, err := arrowsort.Explain(ctx, none, keys, arrowsort.Options{}); err != nil {
		return nil, forCommandLine(err)
	}
	return keys, nil
}

// about adds to an error which column it is about.
func about(column string, err error) error { return &errkind.ColumnError{Column: column, Err: err} }

// locate checks that a key names one column.
func (k *keyFlag) locate(schema *arrow.Schema) error {
	if k.key.Function.IsRandom() {
		return nil
	}
	if k.key.Path == "" {
		if at, _ := k.key.At.Index(); at >= schema.NumFields() {
			return columnErrorf("there %s", columnsThere(schema))
		}
		return nil
	}
	if err := flagtext.CheckModifiers(k.text, schema); err != nil {
		return usagef("%v", err)
	}
	name, at := flagtext.FindColumns(schema, k.key.Path)
	switch {
	case len(at) == 1:
		return locateField(schema, name, k.key.Path)
	case len(at) > 1:
		return ambiguous(name, "-k ", at)
	}
	if words := strings.Fields(k.key.Path); len(words) == 2 && flagtext.IsModifier(words[1]) {
		if _, at := flagtext.FindColumns(schema, words[0]); len(at) > 0 {
			return usagef("%q follows a colon, not a space; write -k %s:%s", words[1], words[0],
				strings.ToLower(words[1]))
		}
	}
	if called.MatchString(k.key.Path) {
		return columnErrorf("no such column or function; functions are " +
			"lower, length, abs, year, hash, random and x %% N")
	}
	return noColumn(schema, suggestKey(schema, k.key.Path))
}

// locateField returns an error for a key of a field that a column does not have, but one with a name that is near.
// Others are found where the key is checked.
func locateField(schema *arrow.Schema, column, path string) error {
	if flagtext.Has(schema.Fields(), path) {
		return nil
	}
	var fields []string
	for _, leaf := range leaves(schema) {
		if field, inside := strings.CutPrefix(leaf.Name, column+"."); inside {
			fields = append(fields, field)
		}
	}
	if near := nearest.Name(fields, strings.TrimPrefix(path, column+".")); near != "" {
		return noColumn(schema, quoted(column+"."+near))
	}
	return nil
}

// called is a function of a column.
var called = regexp.MustCompile(`^\w+\(.*\)$`)

// locateColumn checks that --select or --partition-by names one column, by its literal name or by its position.
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
	case key.Path == "" && key.Function == "":
		return (&keyFlag{name, key}).locate(schema)
	case len(at) > 0:
		return columnErrorf("a field of a column cannot be selected alone")
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
	return columnErrorf("%d columns are named %s; say which: %s", len(at), quoted(name), strings.Join(texts, " or "))
}

// noColumn returns the error for a name that no column has. meant is the column to suggest, or empty.
func noColumn(schema *arrow.Schema, meant string) error {
	if meant != "" {
		return columnErrorf("no such column; did you mean %s?", meant)
	}
	return columnErrorf("no such column; there %s", columnsThere(schema))
}

// columnErrorf returns an ErrColumn, which the C library has a code for.
func columnErrorf(format string, args ...any) error {
	return errkind.Reword(arrowsort.ErrColumn, fmt.Sprintf(format, args...))
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
	for _, field := range slices.Concat(schema.Fields(), leaves(schema)) {
		names = append(names, field.Name)
	}
	return nearest.Name(names, path)
}

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
		key, err := parseKey(text, flagtext.Modifiers)
		if err != nil {
			return nil, err
		}
		keys[i] = keyFlag{text, key}
	}
	return keys, nil
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

// declaredKeys returns the order that the footers of all files declare as keys.
func declaredKeys(ctx context.Context, files []string, piped bool,
	opts parquetsort.FooterOptions) (keys []keyFlag, err error) {
	without := func(format string, args ...any) ([]keyFlag, error) {
		return nil, usagef("give at least one key: -k COLUMN; "+format, args...)
	}
	if piped {
		return without("the order that a footer names is found for Parquet files with a name only")
	}
	orders, err := parquetsort.DeclaredOrders(ctx, files, opts)
	if err != nil {
		return nil, err
	}
	first := orders[max(slices.IndexFunc(orders, func(o parquetsort.DeclaredOrder) bool { return !o.Empty }), 0)]
	for _, o := range orders {
		switch {
		case o.Empty && !first.Empty:
		case o.Empty:
			return without("%s has no rows, and names no order", o.File)
		case o.Mixed:
			return without("row groups of %s name different orders", o.File)
		case len(o.Keys) == 0 && o.Curve != "":
			return without("%s names no order but a curve, which arrowsort check --curve %s checks", o.File,
				printable(o.Curve))
		case len(o.Keys) == 0:
			return without("%s names no order", o.File)
		case !slices.Equal(o.Keys, first.Keys):
			return without("%s names the order %s, %s names %s", first.File, flagtext.KeyList(first.Keys), o.File,
				flagtext.KeyList(o.Keys))
		}
	}
	for _, k := range first.Keys {
		keys = append(keys, keyFlag{flagtext.KeyText(k), k})
	}
	return keys, nil
}
