// Package referenceorder compares the values of a key as Arrow stores them, little-endian, in the fewest obvious lines.
// It is the order that tests hold keyencode and the engines to.
package referenceorder

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
)

// A Kind is how values compare.
type Kind int

// The kinds.
const (
	Bytes    Kind = iota // as unsigned bytes, then by length
	Unsigned             // of any width
	Signed               // two's complement, of any width
	Float                // IEEE 754, of 2, 4 or 8 bytes
)

// A Class is value, NaN or null, in the order of nulls at the end.
type Class int

// The classes.
const (
	Value Class = iota
	NaN
	Null
)

// A Cell is a row of a key.
type Cell struct {
	Null  bool
	Value []byte
}

// A Key is how the rows of a column are ordered.
type Key struct {
	Kind                   Kind
	Descending, NullsFirst bool
}

// Class returns the class of a row.
func (k Key) Class(c Cell) Class {
	switch {
	case c.Null:
		return Null
	case k.Kind == Float && math.IsNaN(float(c.Value)):
		return NaN
	}
	return Value
}

// Compare orders two rows; 0 is a tie.
func (k Key) Compare(a, b Cell) int {
	class, other := k.Class(a), k.Class(b)
	switch {
	case class != other && k.NullsFirst:
		return cmp.Compare(other, class)
	case class != other || class != Value:
		return cmp.Compare(class, other)
	case k.Descending:
		a, b = b, a
	}
	switch k.Kind {
	case Bytes:
		return bytes.Compare(a.Value, b.Value)
	case Float:
		return cmp.Compare(float(a.Value), float(b.Value)) // -0.0 and +0.0 are equal
	}
	return compareIntegers(a.Value, b.Value, k.Kind == Signed)
}

// compareIntegers compares from the most significant byte down; the first has the sign.
func compareIntegers(a, b []byte, signed bool) (c int) {
	for i := len(a) - 1; i >= 0 && c == 0; i-- {
		c = cmp.Compare(a[i], b[i])
		if signed && i == len(a)-1 {
			c = cmp.Compare(int8(a[i]), int8(b[i]))
		}
	}
	return c
}

func float(v []byte) float64 {
	switch len(v) {
	case 2:
		return half(binary.LittleEndian.Uint16(v))
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(v))
}

// half returns the value of a binary16.
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if bits>>15 == 1 {
		v = -v
	}
	return v
}
