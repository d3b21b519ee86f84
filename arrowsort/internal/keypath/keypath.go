// Package keypath finds the columns of sort keys: by position, by name, or by the names of nested struct fields joined
// by dots.
package keypath

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/rowcode"
	"github.com/arrowsort/arrowsort/arrowsort/internal/textorder"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Key is a sort key as it is given: the path of its column, or its position where HasPosition is set.
type Key struct {
	Path        string
	Position    int
	HasPosition bool
	Order       keyencode.Order
	Nulls       keyencode.NullPlacement
	Function    keyfunction.Function
	Collation   textorder.Collation
}

// Of returns the key with the fields of an arrowsort.Key.
func Of[P interface{ Index() (int, bool) }](
	path string, at P, order keyencode.Order, nulls keyencode.NullPlacement, function keyfunction.Function,
	collation textorder.Collation,
) Key {
	position, given := at.Index()
	return Key{path, position, given, order, nulls, function, collation}
}

// A Column is the column, or the nested field, of a key.
type Column struct {
	adapter.Leaf
	Order keyencode.Order
	Nulls keyencode.NullPlacement
}

// Append appends the column of the key with a number in the list of keys, or the fields of a struct, to the columns of
// the keys before it. A column that is among them already is left out.
func Append(found []Column, in *adapter.Input, number int, key Key) ([]Column, error) {
	column, err := Find(in, number, key)
	if err != nil {
		return nil, err
	}
	return Expand(found, column)
}

// Expand appends the column of a key, or the fields of a struct. A column that is among them already is left out.
func Expand(found []Column, key Column) ([]Column, error) {
	s, ok := adapter.StructOf(key.Type)
	if !ok || key.Function != keyfunction.None {
		typ, err := key.ValueType()
		if err != nil {
			return nil, err
		}
		if name, typ, ok := adapter.Unordered(key.Name, typ); !ok {
			return nil, fmt.Errorf("%w: key %s has type %s", errkind.ErrKeyType, name, typ)
		}
		same := func(k Column) bool { return k.Same(key.Leaf) }
		if !slices.ContainsFunc(found, same) {
			found = append(found, key)
		}
		return found, nil
	}
	for i, f := range s.Fields() {
		var err error
		if found, err = Expand(found, Column{key.Field(i, f), key.Order, key.Nulls}); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Find returns the column in data of the key with a number. A struct is returned as it is. An array has no name: keys
// name the fields of its structs.
func Find(in *adapter.Input, number int, key Key) (Column, error) {
	if key.Order > keyencode.Descending || key.Nulls > keyencode.NullsAtStart {
		return Column{}, fmt.Errorf("%w: key %d has order %d and null placement %d",
			errkind.ErrOption, number, key.Order, key.Nulls)
	}
	function, err := key.Function.Resolve()
	if err != nil {
		return Column{}, fmt.Errorf("%w: key %s: %w", errkind.ErrOption, function.Of(nameOf(in, key)), err)
	}
	if function.IsRandom() {
		return randomKey(number, key, function)
	}
	leaf, err := find(in, key)
	if err != nil {
		return Column{}, &errkind.ColumnError{Column: key.Path, Err: err}
	}
	leaf.Function, leaf.Name = function, function.Of(leaf.Name)
	if leaf.Collation, err = key.Collation.Resolve(); err != nil {
		return Column{}, fmt.Errorf("%w: key %s: %w", errkind.ErrOption, leaf.Name, err)
	}
	return Column{leaf, key.Order, key.Nulls}, nil
}

// nameOf returns the name of the column of a key that may have none.
func nameOf(in *adapter.Input, key Key) string {
	if key.HasPosition && key.Position >= 0 && key.Position < len(in.Columns) {
		return in.Label(key.Position)
	}
	return key.Path
}

// randomKey returns the column of a key of row numbers.
func randomKey(number int, key Key, function keyfunction.Function) (Column, error) {
	leaf := adapter.Leaf{Name: function.Of(""), Type: arrow.PrimitiveTypes.Uint64, Function: function}
	switch {
	case key.Path != "" || key.HasPosition:
		return Column{}, fmt.Errorf("%w: key %d is %s and names a column, too; leave it out", errkind.ErrOption, number,
			leaf.Name)
	case key.Collation != textorder.Bytes:
		return Column{}, fmt.Errorf("%w: key %s is no text, which the collation %s orders; leave it out",
			errkind.ErrOption, leaf.Name, key.Collation)
	}
	return Column{leaf, key.Order, key.Nulls}, nil
}

// WithoutRandom returns an error if a key is a function of row numbers, which what does not know.
func WithoutRandom(what string, function keyfunction.Function) error {
	if !function.IsRandom() {
		return nil
	}
	return fmt.Errorf("%w: %s by %s, which goes by the numbers of rows when they were sorted; leave it out",
		errkind.ErrOption, what, function.Of(""))
}

func find(in *adapter.Input, key Key) (adapter.Leaf, error) {
	switch at := key.Position; {
	case key.Path != "" && key.HasPosition:
		return adapter.Leaf{}, fmt.Errorf(
			"%w: a key has both the path %q and the position %d", errkind.ErrOption, key.Path, at,
		)
	case key.Path == "" && !key.HasPosition && len(in.Columns) != 1:
		return adapter.Leaf{}, fmt.Errorf("%w: a key has neither a path nor a position, and the data has %d columns",
			errkind.ErrOption, len(in.Columns))
	case key.Path == "":
		if at < 0 || at >= len(in.Columns) {
			return adapter.Leaf{}, fmt.Errorf(
				"%w: the key has position %d, the data has %d columns", errkind.ErrColumn, at, len(in.Columns),
			)
		}
		return adapter.Leaf{Path: To(at), Name: in.Label(at), Type: in.Columns[at].Type}, nil
	}
	leaf := adapter.Leaf{Name: key.Path}
	if !in.HasNames() {
		t, ok := adapter.StructOf(in.Columns[0].Type)
		if !ok {
			return leaf, fmt.Errorf("%w: the key %q of an array of type %s; an array has no columns, leave Path empty",
				errkind.ErrColumn, key.Path, in.Columns[0].Type)
		}
		leaf.Path = To(0)
		return descend(leaf, t.Fields(), key.Path)
	}
	if i, count := first(in.Columns, func(c *adapter.Column) bool { return c.Name == key.Path }); count == 1 {
		leaf.Path, leaf.Type = To(i), in.Columns[i].Type
		return leaf, nil
	}
	fields := make([]arrow.Field, len(in.Columns))
	for i, c := range in.Columns {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type}
	}
	return descend(leaf, fields, key.Path)
}

// AddKeys adds keys to a job, which it releases if it fails.
func AddKeys(w *adapter.JobBuilder, keys []Column) error {
	for _, key := range keys {
		add := w.AddKey
		if adapter.Nested(key.Type) && key.Function == keyfunction.None {
			add = func(leaf adapter.Leaf, order keyencode.Order, nulls keyencode.NullPlacement) error {
				return rowcode.AddKey(w, order, nulls, rowcode.Operand{Input: w.Input(), Leaf: leaf})
			}
		}
		if err := add(key.Leaf, key.Order, key.Nulls); err != nil {
			w.Release()
			return fmt.Errorf("key %s of type %s: %w", key.Name, key.Type, err)
		}
	}
	return nil
}

// AddKeyOfBoth adds a key to a job on the rows of its input followed by those of another one, see
// adapter.JobBuilder.AddKeyOfBoth.
func AddKeyOfBoth(w *adapter.JobBuilder, key Column, other *adapter.Input, values adapter.Leaf) error {
	if adapter.Nested(key.Type) && key.Function == keyfunction.None {
		return rowcode.AddKey(w, key.Order, key.Nulls, rowcode.Operand{Input: w.Input(), Leaf: key.Leaf},
			rowcode.Operand{Input: other, Leaf: values})
	}
	return w.AddKeyOfBoth(key.Leaf, key.Order, key.Nulls, other, values)
}

// firstColumns are numbers of columns, so that a path to one of them takes no allocation.
var firstColumns = [...]int{0, 1, 2, 3, 4, 5, 6, 7}

// To returns the path to a column. It is shared: nobody changes it.
func To(column int) []int {
	if column < len(firstColumns) {
		return firstColumns[column : column+1 : column+1]
	}
	return []int{column}
}

// first returns the first of some values for which a function is true, and the number of those.
func first[T any](of []T, is func(*T) bool) (at, count int) {
	for i := range of {
		if is(&of[i]) {
			if count == 0 {
				at = i
			}
			count++
		}
	}
	return at, count
}

// descend follows a path into fields: to the field that has the name, or else through the struct whose name is the
// longest start of the path that leads on.
func descend(leaf adapter.Leaf, fields []arrow.Field, path string) (adapter.Leaf, error) {
	var deeper error // of the longest start that does not lead on
	for end := len(path); end >= 0; end = strings.LastIndexByte(path[:end], '.') {
		at, count := first(fields, func(f *arrow.Field) bool { return f.Name == path[:end] })
		if count == 0 {
			continue
		}
		if count > 1 {
			return leaf, fmt.Errorf("%w: key %q: %d columns are named %q; use Key.At",
				errkind.ErrColumn, leaf.Name, count, path[:end])
		}
		below := adapter.Leaf{Path: append(slices.Clone(leaf.Path), at), Name: leaf.Name, Type: fields[at].Type}
		if end == len(path) {
			return below, nil
		}
		s, ok := adapter.StructOf(below.Type)
		if !ok {
			deeper = cmp.Or(deeper, fmt.Errorf("%w: key %q: column %q has type %s and no fields",
				errkind.ErrColumn, leaf.Name, path[:end], below.Type))
			continue
		}
		found, err := descend(below, s.Fields(), path[end+1:])
		if err == nil {
			return found, nil
		}
		deeper = cmp.Or(deeper, err)
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	hint := cmp.Or(nearest.Hint(names, path), "; there are no columns")
	return leaf, cmp.Or(deeper, fmt.Errorf("%w: no match for key %q%s", errkind.ErrColumn, leaf.Name, hint))
}
