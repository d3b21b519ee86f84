package writer

import (
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// Bounds are the bounds of all values of an array.
func Bounds(field arrow.Field, column *schema.Column, a arrow.Array, s *Scratch) page.Bounds {
	if v := newValues(field, column, a, false, s); v != nil && page.ValueOrder(column) != nil {
		return v.bounds(0, a.Len(), a.NullN())
	}
	return page.Bounds{Nulls: int64(a.NullN()), Empty: a.NullN() == a.Len(), Unknown: a.NullN() < a.Len()}
}
