package csv

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// An inference holds the types that a column can still have: all values so far read as each of them.
type inference struct {
	ruledOut     [len(types)]bool
	seen         bool
	bytes        int64  // of all values
	whole, scale int    // digits of decimals at most: before the point and after it
	rounded      string // the first number that a float64 does not have all digits of
	declared     *Type  // given; nil: it is inferred
	text         bool   // it is not inferred to be anything else
	looks        looks  // of text
}

// add adds a value. One that a declared type does not read is an error.
func (c *inference) add(value string) error {
	if value == "" {
		return nil
	}
	c.bytes += int64(len(value))
	if c.declared != nil {
		c.seen = true
		return c.declared.reads(value)
	}
	if !c.short(value) {
		c.infer(value)
	}
	c.seen = true
	return nil
}

func (c *inference) infer(value string) {
	if c.text {
		c.looks.add(value)
		return
	}
	numbers := c.seen && !c.ruledOut[asRounded]
	if !c.ruledOut[asRounded] {
		c.addNumber(value)
	}
	for i, t := range types[:asText] {
		if number := i == asFloat || i == asDecimal || i == asRounded; !number && !c.ruledOut[i] {
			c.ruledOut[i] = t.reads(value) != nil
		}
	}
	if c.text = !slices.Contains(c.ruledOut[:asText], false); c.text && (numbers || !c.seen) {
		c.looks.begin(value, numbers)
	}
}

// short adds a whole number of at most 15 digits, which every type of numbers holds, uint64 if it is not negative. It
// is false for other values.
func (c *inference) short(value string) bool {
	const always = 15 // digits that a float64 always holds
	if len(value) > always || c.ruledOut[asInt] || !c.ruledOut[asBool] {
		return false // it is tried as anything once
	}
	if _, err := parseInt(value); err != nil {
		return false
	}
	c.ruledOut[asUint] = c.ruledOut[asUint] || value[0] == '-'
	c.whole = max(c.whole, len(strings.TrimPrefix(value, "-")))
	return true
}

// addNumber adds what may be a number in one of the notations of float64.
func (c *inference) addNumber(value string) {
	x, err := parseFloat(value)
	keeps := err == nil && keepsDigits(x, value)
	if err == nil && !keeps && c.rounded == "" {
		c.rounded = strings.Clone(value)
	}
	c.ruledOut[asRounded] = err != nil
	c.ruledOut[asFloat] = c.ruledOut[asFloat] || !keeps
	if c.ruledOut[asDecimal] {
		return
	}
	whole, scale, ok := decimalDigits(value)
	c.whole, c.scale = max(c.whole, whole), max(c.scale, scale)
	c.ruledOut[asDecimal] = err != nil || !ok || c.whole+c.scale > maxDigits
}

// valueType returns the type of the values so far.
func (c *inference) valueType() *valueType {
	if c.declared != nil {
		return c.declared.valueType
	}
	for i, t := range types {
		switch {
		case !c.seen || c.ruledOut[i]:
		case i == asDecimal:
			return decimalType(max(c.whole+c.scale, 1), c.scale, parsePlain)
		default:
			return t
		}
	}
	return types[asText]
}

// isRounded reports whether numbers lose digits by the type of the column.
func (c *inference) isRounded() bool {
	return c.seen && c.declared == nil && !slices.Contains(c.ruledOut[asInt:asRounded], false) && !c.ruledOut[asRounded]
}

// keepsDigits reports whether a number, rounded to the number of digits of the text, is the text: no digit is lost.
func keepsDigits(x float64, text string) bool {
	const always = 15          // digits that a float64 always holds
	const smallest = 0x1p-1022 // of the numbers with all their bits
	if len(text) <= always && math.Abs(x) >= smallest {
		return true
	}
	if strings.Trim(text, "-0123456789") == "" {
		return strconv.FormatFloat(x, 'f', 0, 64) == text
	}
	digits := significantDigits(text)
	return digits == "" || significantDigits(strconv.FormatFloat(x, 'e', len(digits)-1, 64)) == digits
}

// significantDigits returns the digits from the first that is not zero to the exponent; none of NaN and Inf.
func significantDigits(s string) string {
	s, _, _ = strings.Cut(strings.ToLower(s), "e")
	digits := strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return c
		}
		return -1
	}, s)
	return strings.TrimLeft(digits, "0")
}

// The type of a CSV column is the first of types that every value of the column reads as; an empty value is null and
// reads as anything, and a column of empty values only is a string.
//
//   - int64: as Go prints it, so that 007 and +1 stay strings
//   - uint64: the same, for the numbers from 2^63
//   - float64: decimal or scientific notation whose digits a float64 keeps: printed with as many digits, it is the same
//     text, and whole numbers are exact; NaN, Inf
//   - decimal of up to 76 digits: decimal notation
//   - float64 again, now of numbers that lose digits; none is so large that it would be infinite
//   - bool: true, false in lower, upper or title case
//   - date32: 2006-01-02
//   - timestamp[us]: 2006-01-02 15:04:05 with a T or a space and up to six digits of a second; no time zone
//   - timestamp[us, UTC]: the same with Z or an offset such as +02:00, +0200 or +02
//   - string
const (
	asInt = iota
	asUint
	asFloat
	asDecimal
	asRounded
	asBool
	asDate
	asTime
	asInstant
	asText
)

var floatType = typeOf[*array.Float64Builder](arrow.PrimitiveTypes.Float64, parseFloat)

var types = [...]*valueType{
	asInt:     typeOf[*array.Int64Builder](arrow.PrimitiveTypes.Int64, parseInt),
	asUint:    typeOf[*array.Uint64Builder](arrow.PrimitiveTypes.Uint64, parseUint),
	asFloat:   floatType,
	asDecimal: nil, // its precision depends on the values
	asRounded: floatType,
	asBool:    typeOf[*array.BooleanBuilder](arrow.FixedWidthTypes.Boolean, parseBool),
	asDate:    typeOf[*array.Date32Builder](arrow.FixedWidthTypes.Date32, parseDate),
	asTime:    typeOf[*array.TimestampBuilder](&arrow.TimestampType{Unit: arrow.Microsecond}, readsTime(false)),
	asInstant: typeOf[*array.TimestampBuilder](arrow.FixedWidthTypes.Timestamp_us, readsTime(true)),
	asText: typeOf[*array.StringBuilder](arrow.BinaryTypes.String,
		func(value string) (string, error) { return value, nil }),
}
