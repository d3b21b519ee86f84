package keyencode

import "cmp"

// Order is the direction of a sort key. It reverses the values only: NaN and null stay where NullPlacement puts them.
type Order uint8

// The zero value is Ascending, as in Arrow.
const (
	Ascending Order = iota
	Descending
)

// NullPlacement says the side of nulls and NaNs: values, NaNs, nulls at the end; nulls, NaNs, values at the start.
type NullPlacement uint8

// The zero value is NullsAtEnd, as in Arrow.
const (
	NullsAtEnd NullPlacement = iota
	NullsAtStart
)

// A Key is one sort key: a column of the job and how it is ordered.
type Key struct {
	Column int    // position in the job's columns
	Name   string // the column's name, for plans and errors
	Type   string // the column's logical type, for plans and errors
	Order  Order
	Nulls  NullPlacement
}

// Ranking returns the key by which the entries of a dictionary are ranked for a key of their column: ascending, with
// NaN at the side where order and null placement of the column's key put the smallest or the largest rank.
func (k Key) Ranking() Key {
	ranking := Key{Name: k.Name, Type: k.Type}
	if (k.Order == Descending) != (k.Nulls == NullsAtStart) {
		ranking.Nulls = NullsAtStart
	}
	return ranking
}

// A Class is value, NaN or null. Their order is value, NaN, null with nulls at the end, else the other way round.
type Class uint8

// The classes of a key.
const (
	ClassValue Class = iota
	ClassNaN
	ClassNull
)

// compareClasses orders the classes of two rows.
func (k Key) compareClasses(a, b Class) int {
	if k.Nulls == NullsAtStart {
		a, b = b, a
	}
	return cmp.Compare(a, b)
}

// directed returns the comparison of two values in the direction of the key.
func (k Key) directed(comparison int) int {
	if k.Order == Descending {
		return -comparison
	}
	return comparison
}
