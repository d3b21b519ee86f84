package arrowsort

import (
	"encoding/json"
	"strconv"

	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Key is one sort key. Keys are given with the most significant first; of keys on one column the first wins.
type Key struct {
	// Path names the column: the name of a field, or the names of nested struct fields joined by dots, as in "a.b". A
	// field whose name is the whole path takes precedence over a nested one.
	Path string
	// At is the position of the column in place of a path: Column(0) is the first. It reaches columns whose name is
	// empty or not unique. Data of one column, such as an array, needs neither.
	At Position
	// Order is the direction of the values.
	Order Order
	// Nulls is the side of nulls and NaNs.
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

// NullPlacement is the side of the nulls and NaNs of a key, whatever its direction.
type NullPlacement = keyencode.NullPlacement

// The zero value is NullsAtEnd: values, NaNs, nulls. NullsAtStart is nulls, NaNs, values.
const (
	NullsAtEnd   = keyencode.NullsAtEnd
	NullsAtStart = keyencode.NullsAtStart
)

// resolve finds the columns of the keys, structs expanded to their fields, and checks that all can be sorted.
func (d *dataset) resolve(keys []Key) ([]keypath.Column, error) {
	keys, err := d.given(keys)
	if err != nil {
		return nil, err
	}
	found := d.key[:0]
	for i, k := range keys {
		if found, err = keypath.Append(found, &d.Input, i, keypath.Of(k.Path, k.At, k.Order, k.Nulls)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// given returns the keys, or the one key of an array without any.
func (d *dataset) given(keys []Key) ([]Key, error) {
	switch {
	case len(keys) > 0:
		return keys, nil
	case d.HasNames():
		return nil, ErrNoKeys
	}
	return []Key{{}}, nil
}
