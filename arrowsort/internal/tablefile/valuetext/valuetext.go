// Package valuetext prints the values of Arrow arrays.
package valuetext

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// Formatter prints the values of an array that are not null: times as ISO 8601 in UTC, without a zone where the type
// has none, floating-point numbers so that they read back as such, decimals with the digits of their scale, binary as
// base64, nested values as JSON in which NaN and infinities are strings, dictionaries and runs as their values.
func Formatter(a arrow.Array) func(i int) string {
	switch a := a.(type) {
	case *array.Int64:
		return func(i int) string { return strconv.FormatInt(a.Value(i), 10) }
	case *array.Float64:
		return func(i int) string { return formatFloat(a.Value(i), 64) }
	case *array.Float32:
		return func(i int) string { return formatFloat(float64(a.Value(i)), 32) }
	case *array.Float16:
		return func(i int) string { return formatFloat(float64(buffers.Half(a.Value(i).Uint16())), 32) }
	case *array.String:
		return a.Value
	case *array.LargeString:
		return a.Value
	case *array.Timestamp:
		return formatTimestamps(a)
	case *array.Date32:
		return func(i int) string { return a.Value(i).ToTime().Format(time.DateOnly) }
	case *array.Time32:
		unit := a.DataType().(*arrow.Time32Type).Unit
		return func(i int) string { return formatTime(int64(a.Value(i)), unit, a.ValueStr(i)) }
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit
		return func(i int) string { return formatTime(int64(a.Value(i)), unit, a.ValueStr(i)) }
	case *array.Date64:
		return func(i int) string { return formatDate64(a.Value(i)) }
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(i int) string { return formatDecimal(a.Value(i).BigInt(), int(scale)) }
	case *array.Decimal256:
		scale := a.DataType().(*arrow.Decimal256Type).Scale
		return func(i int) string { return formatDecimal(a.Value(i).BigInt(), int(scale)) }
	case *array.Dictionary:
		entry := Formatter(a.Dictionary())
		return func(i int) string { return entry(a.GetValueIndex(i)) }
	case *array.RunEndEncoded:
		entry := Formatter(a.Values())
		return func(i int) string { return entry(a.GetPhysicalIndex(i)) }
	case array.ExtensionArray:
		return Formatter(a.Storage())
	case array.ListLike, *array.Struct, array.Union:
		return func(i int) string {
			var b strings.Builder
			appendJSON(&b, a, i)
			return b.String()
		}
	}
	return a.ValueStr
}

// formatDate64 prints milliseconds, whose time of the day is 0 in a sound date, but is not lost where it is another.
func formatDate64(ms arrow.Date64) string {
	t := time.UnixMilli(int64(ms)).UTC()
	if ms%(24*60*60*1000) == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999")
}

func formatTimestamps(a *array.Timestamp) func(i int) string {
	typ := a.DataType().(*arrow.TimestampType)
	layout := "2006-01-02T15:04:05.999999999"
	if typ.TimeZone != "" {
		layout += "Z"
	}
	return func(i int) string {
		value := a.Value(i)
		if typ.Unit == arrow.Second && value < math.MinInt64/2 { // years that package time gets wrong
			return formatUnits(int64(value), typ.Unit)
		}
		return value.ToTime(typ.Unit).UTC().Format(layout)
	}
}

// formatTime prints a time of the day, whose text is the one of Arrow, and what is outside of a day, which no sound
// file has, as a number of units: Arrow's text leaves out the days.
func formatTime(value int64, unit arrow.TimeUnit, text string) string {
	if day := int64(24 * time.Hour / unit.Multiplier()); value < 0 || value >= day {
		return formatUnits(value, unit)
	}
	return text
}

// formatUnits prints as durations are printed, such as 12ms.
func formatUnits(value int64, unit arrow.TimeUnit) string { return fmt.Sprintf("%d%s", value, unit) }

// formatDecimal prints a number of units of 10^-scale with all its digits: Arrow's own printing goes through
// floating-point numbers.
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
	if arraydata.IsNull(a, i) {
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
			appendJSONString(b, a.DataType().(*arrow.StructType).Field(f).Name)
			b.WriteByte(':')
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
		typ := a.DataType().ID()
		numeric := arrow.IsInteger(typ) || arrow.IsFloating(typ) || typ == arrow.BOOL
		if numeric && !strings.ContainsAny(s, "Nn") { // no NaN, no infinity
			b.WriteString(s)
			return
		}
		appendJSONString(b, s)
	}
}

// appendJSONString keeps bytes that are not UTF-8, which JSON has no way to write, for the caller to refuse.
func appendJSONString(b *strings.Builder, s string) {
	if !utf8.ValidString(s) {
		b.WriteString(`"` + s + `"`)
		return
	}
	var line strings.Builder
	to := json.NewEncoder(&line)
	to.SetEscapeHTML(false)
	_ = to.Encode(s) // a string and a strings.Builder have no errors
	b.WriteString(strings.TrimSuffix(line.String(), "\n"))
}
