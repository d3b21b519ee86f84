package parquetsort

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// collect adds rows of a table to the run, which is spilled before if there is no room for them.
func (s *Sorter) collect(table arrow.Table, first, n int64) error {
	part, err := arraydata.NewTable(s.decoded, -1, func(i int) (*arrow.Chunked, error) {
		return s.rowsOf(table.Column(i).Data(), s.decoded.Field(i).Type, first, n)
	})
	if err != nil {
		return err
	}
	bytes := arraydata.TableBytes(part) + n*rowOverhead
	if s.bytes > 0 && s.bytes+bytes > s.run {
		if err := s.spill(); err != nil {
			part.Release()
			return err
		}
	}
	s.parts = append(s.parts, part)
	s.bytes += bytes
	s.rows += n
	s.allBytes += bytes
	return nil
}

// rowsOf is some rows of a column with the values of its dictionaries. What is not all of the column is copied: a slice
// would keep all of it in memory, and the dictionaries inside of it would be decoded whole.
func (s *Sorter) rowsOf(column *arrow.Chunked, typ arrow.DataType, first, n int64) (*arrow.Chunked, error) {
	rows := adapter.SliceChunked(column, first, first+n)
	defer rows.Release()
	_, dictionary := column.DataType().(*arrow.DictionaryType) // whose values are copied as it is
	if !dictionary && n < int64(column.Len()) {
		all := identity(n, s.opts.Allocator)
		defer all.Release()
		copied, err := arrowsort.Take(s.ctx, rows, all, s.opts.sorting())
		if err != nil {
			return nil, err
		}
		defer copied.Release()
		rows = copied
	}
	return withType(s.ctx, rows, typ, s.opts.sorting())
}

// fitting is the number of rows of a table, from a row on, that take about some bytes at most; one at least.
func fitting(table arrow.Table, first, bytes int64) (n int64) {
	const least = 4 // bytes of a row, so that few rows are looked at
	for n = max(min(table.NumRows()-first, bytes/least), 1); n > 1; {
		part := slice(table, first, first+n)
		takes := arraydata.TableBytes(part)
		part.Release()
		if takes <= bytes+bytes/16 {
			break
		}
		n = max(int64(float64(n)*float64(bytes)/float64(takes)), 1)
	}
	return n
}

// rowOverhead is what sorting takes beside the rows, in bytes per row.
const rowOverhead = 8
