package arrowsort

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// A mergeInput is the next rows of one of the streams that are merged.
type mergeInput struct {
	number  int
	reader  array.RecordReader
	records []arrow.Record
	rows    int          // of the records
	taken   int          // rows before them
	last    arrow.Record // the row before them, when there is one and no record
	ended   bool         // the reader has no more rows
}

// fill reads until there is a number of rows, or no rows remain.
func (in *mergeInput) fill(r *mergeReader, rows int) error {
	for !in.ended && in.rows < rows {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if !in.reader.Next() {
			if err := in.reader.Err(); err != nil {
				return fmt.Errorf("input %d: %w", in.number, err)
			}
			in.ended = true
			break
		}
		rec := in.reader.Record()
		if err := sameFields(r.schema, rec.Schema()); err != nil {
			return fmt.Errorf("input %d: %w", in.number, err)
		}
		if rec.NumRows() == 0 {
			continue
		}
		if err := in.follows(rec, r); err != nil {
			return err
		}
		rec.Retain()
		in.records = append(in.records, rec)
		in.rows += int(rec.NumRows())
	}
	return nil
}

// follows checks that a record does not sort before the row that was merged last. Rows in memory are checked by the
// merge.
func (in *mergeInput) follows(rec arrow.Record, r *mergeReader) error {
	if in.last == nil {
		return nil
	}
	first := rec.NewSlice(0, 1)
	defer first.Release()
	both := array.NewTableFromRecords(in.last.Schema(), []arrow.Record{in.last, first})
	defer both.Release()
	releaseRecord(&in.last)
	sorted, _, err := IsSorted(r.ctx, both, r.keys, Options{Allocator: r.opts.Allocator, Threads: 1})
	if err == nil && !sorted {
		err = unsortedError(in.number, in.taken)
	}
	return err
}

// drop releases the first rows.
func (in *mergeInput) drop(rows int) {
	in.rows -= rows
	in.taken += rows
	for rows > 0 {
		rec := in.records[0]
		n := int(rec.NumRows())
		if rows < n {
			in.records[0] = rec.NewSlice(int64(rows), int64(n))
			rec.Release()
			return
		}
		if len(in.records) == 1 && !in.ended {
			in.last = rec.NewSlice(int64(n-1), int64(n))
		}
		rec.Release()
		in.records = in.records[1:]
		rows -= n
	}
}

func (in *mergeInput) close() {
	releaseRecord(&in.last)
	for _, rec := range in.records {
		rec.Release()
	}
	in.records, in.rows = nil, 0
}
