package page

import (
	"bytes"
	"cmp"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// ValueOrder compares values of a leaf column as Parquet stores them, in the order that the format defines for its
// type; nil where it defines none.
func ValueOrder(column *schema.Column) func(a, b []byte) int {
	physical, signed, numbers := column.PhysicalType(), column.SortOrder() == schema.SortSIGNED, numbersOf(column)
	switch {
	case column.SortOrder() == schema.SortUNKNOWN:
		return nil
	case numbers != nil:
		return func(a, b []byte) int { return cmp.Compare(numbers.codeOf(a), numbers.codeOf(b)) }
	case physical == parquet.Types.FixedLenByteArray && signed:
		return compareSigned
	case physical != parquet.Types.Boolean && signed:
		return nil // a decimal of any length, which is not written here
	}
	return bytes.Compare
}

// compareSigned compares two's complements of the same length, big-endian.
func compareSigned(a, b []byte) int {
	if len(a) > 0 && len(b) > 0 && a[0] != b[0] {
		return cmp.Compare(int8(a[0]), int8(b[0]))
	}
	return bytes.Compare(a, b)
}
