package tablefile

import (
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
)

// boundsOf are the bounds of all values of an array.
func boundsOf(field arrow.Field, column *schema.Column, a arrow.Array, s *valueScratch) pageBounds {
	if v := newValues(field, column, a, false, s); v != nil && valueOrder(column) != nil {
		return v.pageBounds(0, a.Len(), a.NullN())
	}
	return pageBounds{nulls: int64(a.NullN()), empty: a.NullN() == a.Len(), unknown: a.NullN() < a.Len()}
}
