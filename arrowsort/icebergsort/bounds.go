package icebergsort

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/apache/iceberg-go"

	"github.com/apache/arrow-go/v18/parquet"
)

// storedBound returns a bound of a Parquet footer, in PLAIN encoding, as Iceberg stores it: numbers in little endian,
// decimals in the fewest bytes of big endian. ok is false for a bound that Iceberg has no form for.
func storedBound(typ iceberg.Type, physical parquet.Type, plain []byte) (bound []byte, ok bool) {
	switch typ.(type) {
	case iceberg.DecimalType:
		if physical == parquet.Types.Int32 || physical == parquet.Types.Int64 {
			plain = slices.Clone(plain)
			slices.Reverse(plain)
		}
		return shortestInteger(plain), len(plain) > 0
	case iceberg.BooleanType:
		return plain, len(plain) == 1
	case iceberg.Int32Type, iceberg.DateType, iceberg.Float32Type:
		return plain, len(plain) == 4
	case iceberg.Int64Type, iceberg.TimeType, iceberg.TimestampType, iceberg.TimestampTzType, iceberg.Float64Type:
		return plain, len(plain) == 8
	case iceberg.StringType, iceberg.BinaryType, iceberg.FixedType, iceberg.UUIDType:
		return plain, true
	}
	return nil, false
}

// shortestInteger drops the leading bytes of a big-endian number in two's complement that repeat its sign.
func shortestInteger(b []byte) []byte {
	for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
		b = b[1:]
	}
	return b
}

// truncateLower cuts a lower bound of text to a number of characters, of bytes to a number of bytes. Numbers stay.
func truncateLower(typ iceberg.Type, bound []byte, most int) []byte {
	return bound[:truncatedLength(typ, bound, most)]
}

// truncateUpper cuts an upper bound likewise and makes it larger, as what was cut off was not nothing. ok is false
// where there is no larger value of that length.
func truncateUpper(typ iceberg.Type, bound []byte, most int) (upper []byte, ok bool) {
	n := truncatedLength(typ, bound, most)
	if n == len(bound) {
		return bound, true
	}
	upper = slices.Clone(bound[:n])
	if _, text := typ.(iceberg.StringType); text {
		return nextText(upper)
	}
	for len(upper) > 0 {
		if last := len(upper) - 1; upper[last] < 0xff {
			upper[last]++
			return upper, true
		}
		upper = upper[:len(upper)-1]
	}
	return nil, false
}

// nextText returns the least text that is larger than all that begin with this one, and no longer.
func nextText(text []byte) ([]byte, bool) {
	for len(text) > 0 {
		r, size := utf8.DecodeLastRune(text)
		text = text[:len(text)-size]
		if r++; r >= 0xd800 && r < 0xe000 {
			r = 0xe000 // past the surrogates, which are no characters
		}
		if r <= utf8.MaxRune {
			return utf8.AppendRune(text, r), true
		}
	}
	return nil, false
}

func truncatedLength(typ iceberg.Type, bound []byte, most int) int {
	switch typ.(type) {
	case iceberg.StringType:
		n := 0
		for characters := 0; characters < most && n < len(bound); characters++ {
			_, size := utf8.DecodeRune(bound[n:])
			n += size
		}
		return n
	case iceberg.BinaryType:
		return min(most, len(bound))
	}
	return len(bound)
}

// orderedBytes returns a bound in bytes that compare as the values do. It is nil for a bound of no known form.
func orderedBytes(typ iceberg.Type, bound []byte) []byte {
	switch typ.(type) {
	case iceberg.BooleanType, iceberg.StringType, iceberg.BinaryType, iceberg.FixedType, iceberg.UUIDType:
		return append([]byte{}, bound...)
	case iceberg.DecimalType:
		const width = 17 // of 38 digits with a sign
		if len(bound) == 0 || len(bound) > width {
			return nil
		}
		sign := byte(int8(bound[0]) >> 7)
		wide := append(bytes.Repeat([]byte{sign}, width-len(bound)), bound...)
		wide[0] ^= 0x80
		return wide
	case iceberg.Float32Type:
		if len(bound) == 4 {
			return orderedFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(bound))))
		}
	case iceberg.Float64Type:
		if len(bound) == 8 {
			return orderedFloat(math.Float64frombits(binary.LittleEndian.Uint64(bound)))
		}
	default:
		switch len(bound) {
		case 4:
			return orderedInt(int64(int32(binary.LittleEndian.Uint32(bound))))
		case 8:
			return orderedInt(int64(binary.LittleEndian.Uint64(bound)))
		}
	}
	return nil
}

func orderedInt(v int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(v)^1<<63) }

// orderedFloat has -0 and +0 tie.
func orderedFloat(v float64) []byte {
	bits := math.Float64bits(v + 0)
	if bits>>63 == 1 {
		return binary.BigEndian.AppendUint64(nil, ^bits)
	}
	return binary.BigEndian.AppendUint64(nil, bits|1<<63)
}
