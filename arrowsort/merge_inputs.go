package arrowsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
)

// A mergeInput is the next rows of one of the streams that are merged. The first window rows of them take part in a
// round.
type mergeInput struct {
	number  int
	window  int
	reader  array.RecordReader
	records []arrow.Record
	rows    int          // of the records
	taken   int          // rows before them
	last    arrow.Record // the row before them, if no window had both
	ended   bool         // the reader has no more rows
}

// fill reads until there is a window of rows, or no rows remain.
func (in *mergeInput) fill(ctx context.Context, schema *arrow.Schema) error {
	for !in.ended && in.rows < in.window {
		if err := ctx.Err(); err != nil {
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
		if adapter.IsNil(rec) {
			return fmt.Errorf("%w: input %d: a record is nil", ErrOption, in.number)
		}
		if err := sameFields(schema, rec.Schema()); err != nil {
			return fmt.Errorf("input %d: %w", in.number, err)
		}
		if rec.NumRows() == 0 {
			continue
		}
		rec.Retain()
		in.records = append(in.records, rec)
		in.rows += int(rec.NumRows())
	}
	return nil
}

// halve halves the windows of inputs; false when they have a single row each.
func halve(inputs []*mergeInput) (some bool) {
	for _, in := range inputs {
		some = some || in.given() > 1
		in.window = (in.given() + 1) / 2
	}
	return some
}

// given returns the number of rows of the window.
func (in *mergeInput) given() int { return min(in.rows, in.window) }

// open reports whether rows follow the window.
func (in *mergeInput) open() bool { return !in.ended || in.rows > in.window }

// addWindow adds the rows of the window to a run.
func (in *mergeInput) addWindow(s *concatenation, run int) error {
	left := in.given()
	for _, rec := range in.records {
		rows := min(left, int(rec.NumRows()))
		if rows == 0 {
			break
		}
		if err := s.appendHead(rec, rows, run); err != nil {
			return fmt.Errorf("input %d: %w", in.number, err)
		}
		left -= rows
	}
	return nil
}

// border appends the last row that is merged, if it is to be compared, and the first and the last row of the window.
func (in *mergeInput) border(rows []arrow.Record) ([]arrow.Record, error) {
	if in.last != nil {
		in.last.Retain()
		rows = append(rows, in.last)
	}
	for _, row := range []int{0, in.given() - 1} {
		rec, err := in.row(row)
		if err != nil {
			return rows, fmt.Errorf("input %d: %w", in.number, err)
		}
		rows = append(rows, rec)
	}
	return rows, nil
}

// row returns one of the rows.
func (in *mergeInput) row(row int) (one arrow.Record, err error) {
	i := 0
	for ; row >= int(in.records[i].NumRows()); i++ {
		row -= int(in.records[i].NumRows())
	}
	return adapter.SliceRecord(in.records[i], int64(row), int64(row)+1)
}

// drop releases the first rows.
func (in *mergeInput) drop(rows int) {
	all := rows == in.given()
	in.rows -= rows
	in.taken += rows
	if rows > 0 {
		releaseRecord(&in.last)
	}
	for rows > 0 {
		rec := in.records[0]
		n := int(rec.NumRows())
		if all && rows <= n && (in.rows > 0 || !in.ended) {
			in.last = rec.NewSlice(int64(rows-1), int64(rows))
		}
		if rows < n {
			in.records[0] = rec.NewSlice(int64(rows), int64(n))
			rec.Release()
			return
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

func releaseRecord(r *arrow.Record) {
	if *r != nil {
		(*r).Release()
		*r = nil
	}
}
