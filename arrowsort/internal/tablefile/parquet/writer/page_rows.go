package writer

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// pagesOf cuts rows into chunks of at most some rows and about page.MaxBytes, each of which is to be a page. values
// are the most values of a leaf column that a chunk has. The caller releases the chunks.
func pagesOf(rows *arrow.Chunked, most int) (pages *arrow.Chunked, values int64) {
	var chunks []arrow.Array
	defer func() { arraydata.Release(chunks) }()
	for _, c := range rows.Chunks() {
		for row := 0; row < c.Len(); {
			page := pageFrom(c, row, most)
			chunks = append(chunks, page)
			row += page.Len()
			values = max(values, mostValues(page.Data()))
		}
	}
	return arrow.NewChunked(rows.DataType(), chunks), max(values, 1)
}

// pageFrom takes the rows of a page from a row on.
func pageFrom(a arrow.Array, row, most int) arrow.Array {
	rows := min(most, a.Len()-row)
	for rows > 1 && arraydata.ArrayBytes(a.Data(), a.Data().Offset()+row, rows) > page.MaxBytes {
		rows /= 2
	}
	return array.NewSlice(a, int64(row), int64(row+rows))
}

// mostValues is at least the number of values of a leaf column, with the nulls that stand for lists without elements.
func mostValues(d arrow.ArrayData) int64 {
	n := int64(d.Len())
	for _, c := range d.Children() {
		n += mostValues(c)
	}
	return n
}
