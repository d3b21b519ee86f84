package tablefile

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// IsNull says whether a value is null: by its bitmap, by its type, or because the entry of a dictionary or run is.
func IsNull(a arrow.Array, i int) bool {
	switch a := a.(type) {
	case *array.Null:
		return true
	case *array.Dictionary:
		return a.IsNull(i) || IsNull(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return IsNull(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return IsNull(a.Storage(), i)
	}
	return a.IsNull(i)
}

// Formatter prints the values of an array that are not null: times as ISO 8601 in UTC, without a zone where the type has
// none, floating-point numbers so that they read back as such, decimals with the digits of their scale, binary as base64, nested values as JSON in which NaN and
// infinities are strings.
func Formatter(a arrow.Array) func(i int) string {
	switch a := a.(type) {
	case *array.Int64:
		return func(i int) string { return strconv.FormatInt(a.Value(i), 10) }
	case *array.Float64:
		return func(i int) string { return formatFloat(a.Value(i), 64) }
	case *array.Float32:
		return func(i int) string { return formatFloat(float64(a.Value(i)), 32) }
	case *array.String:
		return a.Value
	case *array.LargeString:
		return a.Value
	case *array.Timestamp:
		return formatTimestamps(a)
	case *array.Date32:
		return func(i int) string { return a.Value(i).ToTime().Format(time.DateOnly) }
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(i int) string { return formatDecimal(a.Value(i).BigInt(), int(scale)) }
	case *array.Decimal256:
		scale := a.DataType().(*arrow.Decimal256Type).Scale
		return func(i int) string { return formatDecimal(a.Value(i).BigInt(), int(scale)) }
	case *array.Dictionary:
		entry := Formatter(a.Dictionary())
		return func(i int) string { return entry(a.GetValueIndex(i)) }
	case array.ExtensionArray:
		return Formatter(a.Storage())
	case array.ListLike, *array.Struct, array.Union, *array.RunEndEncoded:
		return func(i int) string {
			var b strings.Builder
			appendJSON(&b, a, i)
			return b.String()
		}
	}
	return a.ValueStr
}

func formatTimestamps(a *array.Timestamp) func(i int) string {
	typ := a.DataType().(*arrow.TimestampType)
	layout := "2006-01-02T15:04:05.999999999"
	if typ.TimeZone != "" {
		layout += "Z"
	}
	return func(i int) string { return a.Value(i).ToTime(typ.Unit).UTC().Format(layout) }
}

// formatDecimal prints a number of units of 10^-scale with all its digits: Arrow's own printing goes through floating-point numbers.
func formatDecimal(units *big.Int, scale int) string {
	digits, sign := units.String(), ""
	if scale < -mostDigits || scale > mostDigits { // of a broken schema
		return fmt.Sprintf("%se%d", digits, -scale)
	}
	if units.Sign() < 0 {
		digits, sign = digits[1:], "-"
	}
	if scale <= 0 {
		if units.Sign() != 0 {
			digits += strings.Repeat("0", -scale)
		}
		return sign + digits
	}
	digits = strings.Repeat("0", max(scale+1-len(digits), 0)) + digits
	point := len(digits) - scale
	return sign + digits[:point] + "." + digits[point:]
}

// mostDigits are those of the widest decimal.
const mostDigits = 76

// formatFloat prints the shortest number that reads back as the value, and as a floating-point number.
func formatFloat(x float64, bits int) string {
	s := strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, bits), "+") // of +Inf
	if math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(s, ".e") {
		return s
	}
	return s + ".0"
}

// appendJSON prints a value inside a nested one. Arrow's own printing panics on a NaN there.
func appendJSON(b *strings.Builder, a arrow.Array, i int) {
	if IsNull(a, i) {
		b.WriteString("null")
		return
	}
	switch a := a.(type) {
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		b.WriteByte('[')
		for k := start; k < end; k++ {
			if k > start {
				b.WriteByte(',')
			}
			appendJSON(b, a.ListValues(), int(k))
		}
		b.WriteByte(']')
	case *array.Struct:
		b.WriteByte('{')
		for f := range a.NumField() {
			if f > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Quote(a.DataType().(*arrow.StructType).Field(f).Name) + ":")
			appendJSON(b, a.Field(f), i)
		}
		b.WriteByte('}')
	case *array.DenseUnion:
		appendJSON(b, a.Field(a.ChildID(i)), int(a.ValueOffset(i)))
	case array.Union:
		appendJSON(b, a.Field(a.ChildID(i)), i)
	case *array.RunEndEncoded:
		appendJSON(b, a.Values(), a.GetPhysicalIndex(i))
	default:
		s := Formatter(a)(i)
		if bare := isNumeric(a.DataType()) && !strings.ContainsAny(s, "Nn"); !bare {
			s = strconv.Quote(s)
		}
		b.WriteString(s)
	}
}

func isNumeric(typ arrow.DataType) bool {
	return arrow.IsInteger(typ.ID()) || arrow.IsFloating(typ.ID()) || typ.ID() == arrow.BOOL
}
