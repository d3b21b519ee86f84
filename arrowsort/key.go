package arrowsort

import "github.com/arrowsort/arrowsort/keyencode"

// A Key is one sort key. Keys are given with the most significant first; of keys on one column the first wins.
type Key struct {
	// Path names the column: the name of a field, or the names of nested struct fields joined by dots, as in "a.b".
	// A field that has the whole name comes before a nested one. When Path is empty, Index says which column it is.
	Path string
	// Index is the position of the column, when Path is empty. It reaches columns whose name is empty or not unique.
	// For an array or a chunked array leave it 0.
	Index int
	// Order is the direction of the values.
	Order Order
	// Nulls says the side of nulls and NaNs.
	Nulls NullPlacement
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
