package keyencode

import (
	"math/bits"
	"sync"
)

// A Curve is a space-filling curve: an order of points with several coordinates, in which points that are near each
// other on the curve are near in every coordinate.
type Curve uint8

// The curves. The zero value is none.
const (
	// Hilbert visits every point of a grid in steps of one coordinate by one.
	Hilbert Curve = iota + 1
	// ZOrder compares the bits of all coordinates in turn, the leading bits first. It jumps where Hilbert does not.
	ZOrder
)

// String returns the name of the curve: hilbert or zorder; empty for none.
func (c Curve) String() string {
	switch c {
	case Hilbert:
		return "hilbert"
	case ZOrder:
		return "zorder"
	}
	return ""
}

// The least and the largest number of coordinates of a curve.
const (
	MinCurveKeys = 2
	MaxCurveKeys = 8
)

// CurveBits returns the number of bits of each coordinate of a point with a number of coordinates: 64 divided evenly.
func CurveBits(keys int) int { return 64 / keys }

// Interleave returns the bits of one of several coordinates at their places in the point. The point with all
// coordinates, of CurveBits each, is the sum of these: a number of digits, each with a bit of every coordinate.
//
//	coordinates 0 and 1 of 2       x = x31 x30 ... x0    y = y31 y30 ... y0
//	point                          x31 y31 x30 y30 ... x0 y0
//
// It is the place of the point on ZOrder.
func Interleave(coordinate uint64, key, keys int) (point uint64) {
	for bit := range CurveBits(keys) {
		point |= coordinate >> bit & 1 << (bit*keys + keys - 1 - key)
	}
	return point
}

// Codes replaces points of a number of coordinates by their places on the curve, of which it computes as many leading
// digits as levels; the digits after them have to be 0 and stay so. All points whose leading digits are equal have the
// first place of their cell.
func (c Curve) Codes(points []uint64, keys, levels int) {
	if c == Hilbert {
		hilbertTables[keys]().codes(points, keys, levels)
	}
}

// A hilbertTable is the Hilbert curve of some coordinates as a state machine. A state is the position of the curve
// within a cell: the corner where it enters, and the coordinate in which it leaves. The machine reads the digits of a
// point, the first one first, some at a time.
//
// The states are those of C. Hamilton, "Compact Hilbert Indices", technical report CS-2006-07 of Dalhousie University,
// section 2.
type hilbertTable struct {
	digits int      // that are read at a time
	width  int      // bits of these
	next   []uint32 // by state and digits: the next state, and in the low 8 bits the digits of the place
}

// hilbertTables are the tables by the number of coordinates, made when they are needed.
var hilbertTables = func() (tables [MaxCurveKeys + 1]func() *hilbertTable) {
	for keys := MinCurveKeys; keys <= MaxCurveKeys; keys++ {
		tables[keys] = sync.OnceValue(func() *hilbertTable { return newHilbertTable(keys) })
	}
	return tables
}()

// A hilbertState is the corner of a cell where the curve enters, and the coordinate in which it leaves.
type hilbertState struct{ entry, direction int }

func newHilbertTable(keys int) *hilbertTable {
	const most = 8 // bits that index a state
	t := &hilbertTable{digits: most / keys}
	t.width = t.digits * keys
	states, numbers := []hilbertState{{}}, map[hilbertState]int{{}: 0}
	for i := 0; i < len(states); i++ {
		for point := range 1 << t.width {
			s, place := states[i], 0
			for digit := t.digits - 1; digit >= 0; digit-- {
				var of int
				s, of = s.step(point>>(digit*keys)&(1<<keys-1), keys)
				place = place<<keys | of
			}
			number, found := numbers[s]
			if !found {
				number = len(states)
				numbers[s] = number
				states = append(states, s)
			}
			t.next = append(t.next, uint32(number<<most|place))
		}
	}
	return t
}

// step returns the digit of the place for a digit of the point, and the state within that part of the cell.
func (s hilbertState) step(digit, keys int) (hilbertState, int) {
	turned := rotateRight(digit^s.entry, s.direction+1, keys)
	place := turned // the inverse of its Gray code
	for shift := 1; shift < keys; shift *= 2 {
		place ^= place >> shift
	}
	entry, direction := 0, 0
	if place > 0 {
		before := (place - 1) &^ 1
		entry = before ^ before>>1
		direction = bits.TrailingZeros(^uint((place-1)|1)) % keys
	}
	return hilbertState{
		entry:     s.entry ^ rotateRight(entry, keys-(s.direction+1)%keys, keys),
		direction: (s.direction + direction + 1) % keys,
	}, place
}

// rotateRight rotates the low bits of x, of which there are width.
func rotateRight(x, by, width int) int {
	by %= width
	return (x>>by | x<<(width-by)) & (1<<width - 1)
}

// codes is Codes of the Hilbert curve.
func (t *hilbertTable) codes(points []uint64, keys, levels int) {
	top := CurveBits(keys) * keys
	kept := ^uint64(0) << (64 - levels*keys)
	for i, point := range points {
		state, place, at := uint32(0), uint64(0), 64
		for point <<= 64 - top; at > 64-levels*keys; point <<= t.width {
			next := t.next[state<<t.width|uint32(point>>(64-t.width))]
			state = next >> 8
			if at -= t.width; at >= 0 {
				place |= uint64(next&0xff) << at
			} else {
				place |= uint64(next&0xff) >> -at
			}
		}
		points[i] = place & kept >> (64 - top)
	}
}
