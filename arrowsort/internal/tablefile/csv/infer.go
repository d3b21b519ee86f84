package csv

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
)

// The type of a CSV column is the first of types that every value of the column reads as; an empty value is null and
// reads as anything, and a column of empty values only is a string.
//
//   - int64: as Go prints it, so that 007 and +1 stay strings
//   - uint64: the same, for the numbers from 2^63
//   - float64: decimal or scientific notation of up to 17 digits that the number has, too; NaN, Inf; a whole number
//     only if it is exact: an identifier of 20 digits stays a string, as do 1e-400 and 9007199254740993.0
//   - bool: true, false in lower, upper or title case
//   - date32: 2006-01-02
//   - timestamp[us]: 2006-01-02 15:04:05 with a T or a space and up to six digits of a second; no time zone
//   - timestamp[us, UTC]: the same with Z or an offset such as +02:00, +0200 or +02
//   - string
var types = []inferable{
	{arrow.PrimitiveTypes.Int64, reads(parseInt)},
	{arrow.PrimitiveTypes.Uint64, reads(parseUint)},
	{arrow.PrimitiveTypes.Float64, isFloat},
	{arrow.FixedWidthTypes.Boolean, reads(parseBool)},
	{arrow.FixedWidthTypes.Date32, reads(parseDate)},
	{&arrow.TimestampType{Unit: arrow.Microsecond}, readsTime(false)},
	{arrow.FixedWidthTypes.Timestamp_us, readsTime(true)},
	{arrow.BinaryTypes.String, func(string) bool { return true }},
}

type inferable struct {
	typ   arrow.DataType
	reads func(value string) bool
}

// An inference is the types that a column can still have: a value of it does not read as those that are ruled out.
type inference struct {
	ruledOut [8]bool
	seen     bool
	bytes    int64 // of all values
}

func (c *inference) add(value string) {
	if value == "" {
		return
	}
	c.seen = true
	c.bytes += int64(len(value))
	if c.short(value) {
		return
	}
	for i, t := range types {
		if !c.ruledOut[i] {
			c.ruledOut[i] = !t.reads(value)
		}
	}
}

// short adds a whole number of so few digits that each type of numbers has it, but for unsigned ones if it is negative.
func (c *inference) short(value string) bool {
	const always = 15 // digits that a float64 always holds
	if len(value) > always || c.ruledOut[0] || !c.ruledOut[3] {
		return false // it is tried as anything once
	}
	if _, err := parseInt(value); err != nil {
		return false
	}
	c.ruledOut[1] = c.ruledOut[1] || value[0] == '-'
	return true
}

func (c *inference) dataType() arrow.DataType {
	for i, t := range types {
		if c.seen && !c.ruledOut[i] {
			return t.typ
		}
	}
	return arrow.BinaryTypes.String
}

// reads reports which values parse reads without an error.
func reads[T any](parse func(string) (T, error)) func(string) bool {
	return func(s string) bool {
		_, err := parse(s)
		return err == nil
	}
}

func parseInt(s string) (int64, error) {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] == '+' || digits[0] == '0' && s != "0" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(s, 10, 64)
}

func parseUint(s string) (uint64, error) {
	if strings.HasPrefix(s, "0") && s != "0" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseUint(s, 10, 64)
}

// isFloat leaves hexadecimal and underscores, which Go reads, to strings, and numbers with leading zeros.
func isFloat(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] != '.' && digits[1] != 'e' && digits[1] != 'E' {
		return false
	}
	if strings.HasPrefix(digits, "+") || strings.ContainsAny(digits, "xX_") {
		return false
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return false
	}
	if strings.Trim(digits, "0123456789") == "" {
		return strconv.FormatFloat(x, 'f', 0, 64) == s
	}
	return hasDigits(x, digits)
}

// hasDigits reports whether a number, rounded to the number of digits of the text, is the text: no digit is lost.
func hasDigits(x float64, text string) bool {
	const always, most = 15, 17 // digits that a float64 always holds, and holds at most
	const smallest = 0x1p-1022  // of the numbers with all their bits
	if len(text) <= always && math.Abs(x) >= smallest {
		return true
	}
	digits := significantDigits(text)
	if digits == "" || len(digits) > most {
		return digits == ""
	}
	return significantDigits(strconv.FormatFloat(x, 'e', len(digits)-1, 64)) == digits
}

// significantDigits are the digits from the first that is not zero to the exponent; none of NaN and Inf.
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

func parseBool(s string) (bool, error) {
	if slices.Contains([]string{"true", "True", "TRUE", "false", "False", "FALSE"}, s) {
		return s[0]|0x20 == 't', nil
	}
	return false, strconv.ErrSyntax
}

func parseDate(s string) (time.Time, error) { return time.Parse(time.DateOnly, s) }

// readsTime reports which values are times with or without a zone.
func readsTime(zoned bool) func(string) bool {
	return func(s string) bool {
		_, zone, err := parseTime(s)
		return err == nil && zone == zoned
	}
}

// parseTime reads a time with or without a zone.
func parseTime(s string) (t time.Time, zone bool, err error) {
	if len(s) < len("2006-01-02 15:04:05") || s[10] != ' ' && s[10] != 'T' || fraction(s) > 6 ||
		strings.Contains(s, ",") {
		return t, false, strconv.ErrSyntax
	}
	s = s[:10] + "T" + s[11:]
	if t, err = time.Parse("2006-01-02T15:04:05", s); err == nil {
		return t, false, nil
	}
	for _, layout := range zonedLayouts {
		if t, err = time.Parse(layout, s); err == nil {
			break
		}
	}
	return t, true, err
}

// zonedLayouts are times with Z, or an offset of hours and minutes or of hours.
var zonedLayouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07"}

// fraction is the number of digits after the point of the seconds.
func fraction(s string) int {
	_, rest, _ := strings.Cut(s, ".")
	return len(rest) - len(strings.TrimLeft(rest, "0123456789"))
}
