package extsort

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

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
	r := &reader{sorter: s, source: sorted}
	r.refs.Store(1)
	return r, nil
}

// A reader is a sorted stream as an array.RecordReader. It reports its rows to the progress of the sorter.
type reader struct {
	sorter *Sorter
	source TableStream
	rec    arrow.Record
	err    error
	refs   atomic.Int64
}

func (r *reader) Schema() *arrow.Schema { return r.sorter.decoded }
func (r *reader) Record() arrow.Record  { return r.rec }
func (r *reader) Err() error            { return r.err }
func (r *reader) Retain()               { r.refs.Add(1) }

func (r *reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.source.Close()
	}
}

func (r *reader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

// Next steps to the next batch, which stays until the next call.
func (r *reader) Next() bool {
	r.drop()
	if r.err != nil {
		return false
	}
	piece, err := r.source.Next(r.sorter.ctx)
	if err == io.EOF {
		return false
	}
	if err == nil {
		r.sorter.Wrote(piece.NumRows())
		r.rec, err = asRecord(piece)
		piece.Release()
	}
	r.err = err
	return err == nil
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
