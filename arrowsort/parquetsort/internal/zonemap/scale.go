package zonemap

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A Scale puts the bounds of a column on a line. Numbers and times lie on it by their value, text and bytes by the
// first bytes in which the bounds differ, read as a number. Infinities lie at its ends.
type Scale struct {
	floats      bool
	least, most float64 // of floats, finite
	skip        int     // bytes of other keys that do not count
	length      int     // of the bytes that count
	base        *big.Int

	Width float64 // from the least to the greatest bound; of floats 1
	Step  float64 // from a value to the next one; 0: there may be values between any two
}

// prefixBytes are the bytes of text that count, after those with which all bounds begin.
const prefixBytes = 8

// newScale returns a scale from the least to the greatest of some bounds of a type, which are in their order. Without
// bounds all places on it are 0.
func newScale(typ arrow.DataType, all [][]byte) *Scale {
	s := &Scale{floats: arrow.IsFloating(typ.ID()), base: new(big.Int)}
	if len(all) == 0 {
		return s
	}
	least, most := all[0], all[len(all)-1]
	switch {
	case s.floats:
		s.least, s.most = finiteEnds(all)
	case isNumber(typ):
		s.skip, s.Step = 1, 1 // without the byte of the class
		s.length = len(least) - s.skip
	default:
		s.skip, s.length = commonPrefix(least, most), prefixBytes
	}
	s.base = s.number(least)
	s.Width = s.Offset(most)
	return s
}

// isNumber reports whether values of a type are numbers, or times, of one width.
func isNumber(typ arrow.DataType) bool {
	_, ok := typ.(arrow.FixedWidthDataType)
	return ok && typ.ID() != arrow.BOOL && typ.ID() != arrow.FIXED_SIZE_BINARY
}

// finiteEnds are the least and the greatest of bounds that are finite floats.
func finiteEnds(bounds [][]byte) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, key := range bounds {
		if x := floatOf(key); !math.IsInf(x, 0) {
			least, most = min(least, x), max(most, x)
		}
	}
	if least > most {
		return 0, 0
	}
	return least, most
}

func commonPrefix(a, b []byte) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// number returns the bytes of a key that count as a number.
func (s *Scale) number(key []byte) *big.Int {
	counted := make([]byte, s.length)
	if len(key) > s.skip {
		copy(counted, key[s.skip:])
	}
	return new(big.Int).SetBytes(counted)
}

// Offset returns the distance of a key from the least bound, from 0 to Width.
func (s *Scale) Offset(key []byte) float64 {
	if s.floats { // halves do not overflow
		width := s.most/2 - s.least/2
		if width == 0 {
			return 0
		}
		return (min(max(floatOf(key), s.least), s.most)/2 - s.least/2) / width
	}
	x := s.number(key)
	distance, _ := x.Sub(x, s.base).Float64()
	return max(distance, 0)
}

// floatOf returns the float of a key: see the format of package rows.
func floatOf(key []byte) float64 {
	switch len(key) {
	case 2:
		return float64(buffers.Half(uint16(floatBits(uint64(binary.BigEndian.Uint16(key)), 16))))
	case 4:
		return float64(math.Float32frombits(uint32(floatBits(uint64(binary.BigEndian.Uint32(key)), 32))))
	case 8:
		return math.Float64frombits(floatBits(binary.BigEndian.Uint64(key), 64))
	}
	return 0
}

// floatBits returns the bits of a float of a width from its ordered word.
func floatBits(word uint64, width int) uint64 {
	sign := uint64(1) << (width - 1)
	if word >= sign {
		return word - sign
	}
	return (-word) & (sign<<1 - 1)
}

// At returns the place of a key, from 0 to 1.
func (s *Scale) At(key []byte) float64 {
	if s.Width <= 0 {
		return 0
	}
	return min(s.Offset(key)/s.Width, 1)
}

// squeezed is the share of a scale in which half of all bounds lie where the others are few and far away.
const squeezed = 0.02

// Places returns the function that puts bounds of zones on a line from 0 to 1 to be drawn: by the scale or, where half
// of the bounds would lie in one spot next to a few others, by their number among the different bounds.
func Places(typ arrow.DataType, zones []Zone) (place func(key []byte) float64, ranked bool) {
	all := boundsOf(zones)
	scale := newScale(typ, all)
	if n := len(all); n < 4 || scale.At(all[n*3/4])-scale.At(all[n/4]) >= squeezed {
		return scale.At, false
	}
	all = slices.CompactFunc(all, bytes.Equal)
	if len(all) < 4 {
		return scale.At, false
	}
	return func(key []byte) float64 {
		at, _ := slices.BinarySearchFunc(all, key, bytes.Compare)
		return min(float64(at)/float64(len(all)-1), 1)
	}, true
}

// boundsOf returns the bounds of zones in their order.
func boundsOf(zones []Zone) (all [][]byte) {
	for i := range zones {
		if zones[i].Low != nil {
			all = append(all, zones[i].Low)
		}
		if zones[i].High != nil {
			all = append(all, zones[i].High)
		}
	}
	slices.SortFunc(all, bytes.Compare)
	return all
}

// Ends returns the zones with the least of the lower bounds and the greatest of the upper ones; nil where there is
// none.
func Ends(zones []Zone) (least, greatest *Zone) {
	for i := range zones {
		z := &zones[i]
		if z.Low != nil && (least == nil || bytes.Compare(z.Low, least.Low) < 0) {
			least = z
		}
		if z.High != nil && (greatest == nil || bytes.Compare(z.High, greatest.High) > 0) {
			greatest = z
		}
	}
	return least, greatest
}
