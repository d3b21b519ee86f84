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
// would keep all of it in memory.
func (s *Sorter) rowsOf(column *arrow.Chunked, typ arrow.DataType, first, n int64) (*arrow.Chunked, error) {
	rows := adapter.SliceChunked(column, first, first+n)
	defer rows.Release()
	plain, err := withType(s.ctx, rows, typ, s.opts.sorting())
	if _, dictionary := column.DataType().(*arrow.DictionaryType); err != nil || dictionary ||
		n == int64(column.Len()) {
		return plain, err
	}
	defer plain.Release()
	all := identity(n, s.opts.Allocator)
	defer all.Release()
	return arrowsort.Take(s.ctx, plain, all, s.opts.sorting())
}

// rowOverhead is what sorting takes beside the rows, in bytes per row.
const rowOverhead = 8
