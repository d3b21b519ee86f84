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
	Column    int    // position in the job's columns
	Name      string // the column's name, for plans and errors
	Type      string // the column's logical type, for plans and errors
	Collation string // the order of text whose sort keys the column has, for plans; empty: the column has the text
	Order     Order
	Nulls     NullPlacement
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

// A Field is a summand of a code word: bits of a number that is made from the value of one column. With the ordered
// word u of the value, as in Statistics, or the low limb of a decimal,
//
//	number = Bias + ((u - Base[0]) >> Shift) * Mul      modulo 2^64
//	bits   = (number >> Down & Mask) << Up
//
// NaN and null have separate numbers. Engines that encode by themselves read Fields instead of calling Encode.
type Field struct {
	Column int  // position in the job's columns
	Kind   Kind // of the column
	Width  int  // bytes of a value

	Class bool // the number is Bias for each value: only whether the row is null matters
	// The number is Bias plus limb Limb of (u - Base) >> Shift, or of Last minus that if Descending. u, Base and Last
	// have all limbs of a decimal, the sign bit flipped.
	Wide       bool
	Limb       int
	Base, Last [4]uint64
	Shift      uint
	Mul, Bias  uint64
	NaN, Null  uint64
	Descending bool

	Down, Up int
	Mask     uint64
}

// Fields returns the fields of a word, whose bits add up to it. It reports false for a word with bytes of strings,
// which Encode and EncodeRows make.
func (p *Plan) Fields(word int) ([]Field, bool) {
	s := p.wordGroup(word)
	if s.ofStrings {
		return nil, false
	}
	fields := make([]Field, 0, len(s.bitRanges))
	for i := range s.bitRanges {
		pc := &s.bitRanges[i]
		f := &p.fields[pc.field]
		if f.part == partLeadingBytes || f.part == partLength {
			return nil, false
		}
		k := &p.keys[f.key]
		out := Field{
			Column: k.Column, Kind: k.kind, Width: k.width, Class: f.part == partClass, Wide: f.part == partLimb,
			Base: [4]uint64{f.base}, Shift: f.shift, Mul: f.mul, Bias: f.bias, NaN: f.nan, Null: f.null,
			Limb: f.limb, Down: pc.down, Up: pc.up, Mask: pc.mask,
		}
		if out.Wide {
			out.Base, out.Last, out.Shift, out.Descending = k.wide.base, k.wide.last, k.wide.shift, k.wide.descending
		}
		fields = append(fields, out)
	}
	return fields, true
}

// TypeField returns a field of all bits that numbers, from 0 to last, all ordered words that the values of a key's type
// can have, 0 to Last[0], and NaN and null where they can be: it needs no statistics. last is 0 if it would be 2^64:
// then two of the numbers are one. It reports false for a column that is not numbers of up to 64 bits.
func TypeField(c *Column, k Key) (f Field, last uint64, ok bool) {
	r, ok := c.domain(k.Nulls)
	l := r.affine(k.Order, r.values, 1)
	return Field{
		Column: k.Column, Kind: c.Kind, Width: c.ValueBytes(), Last: [4]uint64{r.values},
		Mul: l.mul, Bias: l.bias, NaN: l.nan, Null: l.null, Descending: k.Order == Descending, Mask: ^uint64(0),
	}, r.last, ok
}
