package page

import (
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// longestBound is the bytes of a bound of text or bytes in an index; longer ones are cut, the greatest value to one
// that is greater still. Statistics of column chunks have whole values or none.
const longestBound = 64

// LongestStatistic is the bytes of a value up to which it is a bound in the metadata of a column chunk.
const LongestStatistic = 4096

// holdsText reports whether values are UTF-8, which bounds have to be too.
func holdsText(column *schema.Column) bool {
	switch column.LogicalType().(type) {
	case schema.StringLogicalType, schema.JSONLogicalType, schema.EnumLogicalType:
		return true
	}
	return false
}

func mayCut(bound []byte, column *schema.Column) bool {
	return len(bound) > longestBound && column.PhysicalType() == parquet.Types.ByteArray &&
		column.SortOrder() == schema.SortUNSIGNED
}

// truncatedMin is a value of at most longestBound bytes that is not greater than the bound.
func truncatedMin(bound []byte, column *schema.Column, text bool) []byte {
	if !mayCut(bound, column) {
		return bound
	}
	return bound[:cutAt(bound, text)]
}

// truncatedMax is a value that is not less than the bound: of about longestBound bytes, if there is one.
func truncatedMax(bound []byte, column *schema.Column, text bool) []byte {
	if !mayCut(bound, column) {
		return bound
	}
	short := slices.Clone(bound[:cutAt(bound, text)])
	if text {
		short = nextText(short)
	} else {
		short = nextBytes(short)
	}
	if short == nil {
		return bound
	}
	return short
}

// cutAt is where a long value is cut: not inside a character of text.
func cutAt(b []byte, text bool) int {
	end := longestBound
	for text && end > longestBound-utf8.UTFMax && !utf8.RuneStart(b[end]) {
		end--
	}
	return end
}

// nextBytes makes the least value that is greater than all that start with b; nil when there is none.
func nextBytes(b []byte) []byte {
	for i := range slices.Backward(b) {
		if b[i] < 0xFF {
			b[i]++
			return b[:i+1]
		}
	}
	return nil
}

// nextText is nextBytes for UTF-8; nil too for what is none.
func nextText(b []byte) []byte {
	if !utf8.Valid(b) {
		return nil
	}
	for len(b) > 0 {
		r, size := utf8.DecodeLastRune(b)
		b = b[:len(b)-size]
		switch {
		case r == 0xD7FF: // surrogates follow
			return utf8.AppendRune(b, 0xE000)
		case r < utf8.MaxRune:
			return utf8.AppendRune(b, r+1)
		}
	}
	return nil
}
