package arrowsort

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Key is one sort key. Keys are given with the most significant first; of keys on one column the first wins.
type Key struct {
	// Path names the column: the name of a field, or the names of nested struct fields joined by dots, as in "a.b".
	// A field that has the whole name comes before a nested one.
	Path string
	// At is the position of the column in place of a path: Column(0) is the first. It reaches columns whose name is
	// empty or not unique. Data of one column, such as an array, needs neither.
	At Position
	// Order is the direction of the values.
	Order Order
	// Nulls says the side of nulls and NaNs.
	Nulls NullPlacement
}

// KeyOf returns the ascending key on the column of a path.
func KeyOf(path string) Key { return Key{Path: path} }

// KeyAt returns the ascending key on the column at position i, which counts from 0.
func KeyAt(i int) Key { return Key{At: Column(i)} }

// A Position is the position of a column, or none, which is the zero value.
type Position struct{ number int } // i+1 for position i, and i below 0

// Column returns position i, which counts from 0.
func Column(i int) Position {
	if i < 0 {
		return Position{i}
	}
	return Position{i + 1}
}

// Index returns the position, and whether there is one.
func (p Position) Index() (i int, given bool) {
	if p.number > 0 {
		return p.number - 1, true
	}
	return p.number, p.number < 0
}

// MarshalJSON writes the position as a number, and none as null.
func (p Position) MarshalJSON() ([]byte, error) {
	if i, given := p.Index(); given {
		return strconv.AppendInt(nil, int64(i), 10), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Position) UnmarshalJSON(text []byte) error {
	var i *int
	err := json.Unmarshal(text, &i)
	if i != nil {
		*p = Column(*i)
	}
	return err
}

// Order is the direction of a key. It reverses the values only: where nulls and NaNs go is up to NullPlacement.
type Order = keyencode.Order

// The zero value is Ascending.
const (
	Ascending  = keyencode.Ascending
	Descending = keyencode.Descending
)

// NullPlacement says the side of the nulls and NaNs of a key, whatever the direction.
type NullPlacement = keyencode.NullPlacement

// The zero value is NullsAtEnd: values, NaNs, nulls. NullsAtStart is nulls, NaNs, values.
const (
	NullsAtEnd   = keyencode.NullsAtEnd
	NullsAtStart = keyencode.NullsAtStart
)

// A KeyColumn is a key that was found in a schema.
type KeyColumn struct {
	// Name is the path of the key, or the name of its column.
	Name string
	// Path is the position of the column in the schema, then the position of each field below it.
	Path []int
	// Type is the type of the column or field. A struct orders by its fields.
	Type arrow.DataType
	// Order and Nulls are those of the key.
	Order Order
	Nulls NullPlacement
}

// ResolveKeys returns the column of each key in data of a schema, for packages that compute with keys. It fails with
// ErrNoKeys, ErrColumn, ErrKeyType or ErrOption where Sort does.
func ResolveKeys(schema *arrow.Schema, keys []Key) ([]KeyColumn, error) {
	if schema == nil {
		return nil, fmt.Errorf("%w: the schema is nil", ErrOption)
	}
	d := dataset{shape: recordShape, schema: schema}
	d.Columns = columnsOf(schema)
	keys, err := d.checked(keys)
	if err != nil {
		return nil, err
	}
	columns := make([]KeyColumn, len(keys))
	for i, key := range keys {
		leaf, err := d.find(key)
		if err != nil {
			return nil, err
		}
		if _, err := expand(nil, sortKey{leaf, key.Order, key.Nulls}); err != nil {
			return nil, err
		}
		columns[i] = KeyColumn{leaf.Name, slices.Clone(leaf.Path), leaf.Type, key.Order, key.Nulls}
	}
	return columns, nil
}

// A sortKey is a key that was found in the data.
type sortKey struct {
	adapter.Leaf
	order Order
	nulls NullPlacement
}

// resolve finds the columns of the keys, structs expanded to their fields, and checks that all can be sorted.
func (d *dataset) resolve(keys []Key) ([]sortKey, error) {
	keys, err := d.checked(keys)
	if err != nil {
		return nil, err
	}
	found := d.key[:0]
	for _, key := range keys {
		leaf, err := d.find(key)
		if err != nil {
			return nil, err
		}
		if found, err = expand(found, sortKey{leaf, key.Order, key.Nulls}); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// checked is the keys, or the one key of an array without any, if their orders and null placements exist.
func (d *dataset) checked(keys []Key) ([]Key, error) {
	if len(keys) == 0 {
		if d.shape == recordShape || d.shape == tableShape {
			return nil, ErrNoKeys
		}
		return []Key{{}}, nil
	}
	for i, key := range keys {
		if key.Order > Descending || key.Nulls > NullsAtStart {
			return nil, fmt.Errorf("%w: key %d has order %d and null placement %d", ErrOption, i, key.Order, key.Nulls)
		}
	}
	return keys, nil
}

// expand appends the key, or the fields of a struct. A column that is a key already is left out.
func expand(found []sortKey, key sortKey) ([]sortKey, error) {
	s, ok := adapter.StructOf(key.Type)
	if !ok {
		if !adapter.Sortable(key.Type) {
			return nil, fmt.Errorf("%w: key %s has type %s", ErrKeyType, key.Name, key.Type)
		}
		same := func(k sortKey) bool { return slices.Equal(k.Path, key.Path) }
		if !slices.ContainsFunc(found, same) {
			found = append(found, key)
		}
		return found, nil
	}
	for i, f := range s.Fields() {
		field := key
		field.Path = append(slices.Clone(key.Path), i)
		field.Name += "." + f.Name
		field.Type = f.Type
		var err error
		if found, err = expand(found, field); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// find is the column of a key.
func (d *dataset) find(key Key) (adapter.Leaf, error) {
	at, given := key.At.Index()
	switch {
	case key.Path != "" && given:
		return adapter.Leaf{}, fmt.Errorf(
			"%w: a key has both the path %q and the position %d", ErrOption, key.Path, at,
		)
	case key.Path == "" && !given && len(d.Columns) != 1:
		return adapter.Leaf{}, fmt.Errorf(
			"%w: a key has neither a path nor a position, and the data has %d columns", ErrOption, len(d.Columns),
		)
	case key.Path == "":
		if at < 0 || at >= len(d.Columns) {
			return adapter.Leaf{}, fmt.Errorf(
				"%w: the key has position %d, the data has %d columns", ErrColumn, at, len(d.Columns),
			)
		}
		return adapter.Leaf{Path: pathTo(at), Name: d.Label(at), Type: d.Columns[at].Type}, nil
	}
	leaf := adapter.Leaf{Name: key.Path}
	isNamed := func(c *adapter.Column) bool { return d.schema != nil && c.Name == key.Path }
	if i, count := first(d.Columns, isNamed); count == 1 {
		leaf.Path, leaf.Type = pathTo(i), d.Columns[i].Type
		return leaf, nil
	}
	fields := d.fields()
	if d.shape == arrayShape || d.shape == chunkedShape {
		s, ok := adapter.StructOf(d.Columns[0].Type)
		if !ok {
			return leaf, fmt.Errorf("%w: the key %q of an array of type %s; an array has no columns, leave Path empty",
				ErrColumn, key.Path, d.Columns[0].Type)
		}
		leaf.Path, fields = pathTo(0), s.Fields()
	}
	return descend(leaf, fields, key.Path)
}

// firstColumns are numbers of columns, so that a path to one of them is a part of it.
var firstColumns = [...]int{0, 1, 2, 3, 4, 5, 6, 7}

// pathTo is the path to a column, which nobody changes.
func pathTo(column int) []int {
	if column < len(firstColumns) {
		return firstColumns[column : column+1 : column+1]
	}
	return []int{column}
}

// first is the first of some for which a function is true, and for how many it is.
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
				ErrColumn, leaf.Name, count, path[:end])
		}
		below := adapter.Leaf{Path: append(slices.Clone(leaf.Path), at), Name: leaf.Name, Type: fields[at].Type}
		if end == len(path) {
			return below, nil
		}
		s, ok := adapter.StructOf(below.Type)
		if !ok {
			deeper = cmp.Or(deeper, fmt.Errorf("%w: key %q: column %q has type %s and no fields",
				ErrColumn, leaf.Name, path[:end], below.Type))
			continue
		}
		found, err := descend(below, s.Fields(), path[end+1:])
		if err == nil {
			return found, nil
		}
		deeper = cmp.Or(deeper, err)
	}
	return leaf, cmp.Or(
		deeper, fmt.Errorf("%w: no match for key %q; there are %s", ErrColumn, leaf.Name, names(fields)),
	)
}

// names lists fields for an error, the first of them if there are many.
func names(fields []arrow.Field) string {
	const most = 10
	quoted := make([]string, 0, most)
	for _, f := range fields[:min(most, len(fields))] {
		quoted = append(quoted, fmt.Sprintf("%q", f.Name))
	}
	switch {
	case len(fields) == 0:
		return "no columns"
	case len(fields) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), len(fields)-most)
	}
	return strings.Join(quoted, ", ")
}
