package extsort

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Sorted returns the rows in order, in batches of Options.BatchRows. It is called once, after the last Add. The caller
// releases the reader, then closes the sorter.
func (s *Sorter) Sorted() (array.RecordReader, error) {
	sorted, err := s.Stream(s.opts.BatchRows)
	if err != nil {
		return nil, err
	}
	s.StartWriting()
	next := func() (arrow.Record, error) {
		piece, err := sorted.Next(s.ctx)
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		defer piece.Release()
		s.Wrote(piece.NumRows())
		return asRecord(piece)
	}
	return arraydata.NewRecords(s.decoded, next, sorted.Close), nil
}

// asRecord returns a table whose columns have one chunk as a record.
func asRecord(table arrow.Table) (arrow.Record, error) {
	columns := make([]arrow.Array, table.NumCols())
	for i := range columns {
		chunks := table.Column(i).Data().Chunks()
		if len(chunks) != 1 {
			return nil, fmt.Errorf("%w: column %q passes 2 GiB in a batch of %d rows; ask for fewer",
				errkind.ErrBudget, table.Schema().Field(i).Name, table.NumRows())
		}
		columns[i] = chunks[0]
	}
	return array.NewRecord(table.Schema(), columns, table.NumRows()), nil
}
