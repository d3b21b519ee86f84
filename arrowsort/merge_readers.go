package arrowsort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

// minWindowRows is the least number of rows of each reader in memory: smaller rounds cost more than they save.
const minWindowRows = 1 << 10

// MergeReaders is Merge for streams: it reads records from readers, each in the order of the keys across its records,
// and returns a reader of the merged rows. Records have at most Options.BatchRows rows and the schema of the first
// reader. No reader may be given twice.
//
// Memory is that of Options.BatchRows rows of the inputs in total, at least 1,024 of each, or of one record of each
// input where those are larger, and that of a merge of these rows. Records are read from the calling goroutine as they
// are needed. Options.Limit ends the stream; Options.OnPlan is passed the plan of each round.
//
// The result holds a reference to each reader until it is released. Next returns false at the end and after an error.
// Err is then an error of a reader, with the number of the input; the error of the context, which ends Next within
// about 50 ms; or an error of Merge. Rows in ErrUnsorted count from the start of the stream. Errors in arguments are
// returned at once.
func MergeReaders(
	ctx context.Context, readers []array.RecordReader, keys []Key, opts Options,
) (array.RecordReader, error) {
	if err := withoutRandom("MergeReaders", keys); err != nil {
		return nil, err
	}
	opts, err := opts.resolved(ctx, operation{"MergeReaders", optionLimit | optionOnPlan | optionBatchRows})
	if err != nil {
		return nil, err
	}
	opts.BatchRows = cmp.Or(opts.BatchRows, DefaultBatchRows)
	if err := checkReaders(readers); err != nil {
		return nil, err
	}
	schema := readers[0].Schema()
	d := dataset{Input: adapter.OfSchema(schema)}
	if _, err := d.resolve(keys); err != nil {
		return nil, err
	}
	for i, reader := range readers {
		if err := sameFields(schema, reader.Schema()); err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
	}
	r := &mergeReader{ctx: ctx, keys: keys, opts: opts, columns: &d.Input, left: math.MaxInt64}
	if opts.Limit > 0 {
		r.left, r.opts.Limit = int64(opts.Limit), 0
	}
	for i, reader := range readers {
		reader.Retain()
		window := max(minWindowRows, opts.BatchRows/len(readers))
		r.inputs = append(r.inputs, &mergeInput{number: i, window: window, reader: reader})
	}
	return arraydata.NewRecords(schema, r.next, r.release), nil
}

// checkReaders returns an error if a reader is nil, has no schema, or is given twice.
func checkReaders(readers []array.RecordReader) error {
	if len(readers) == 0 {
		return fmt.Errorf("%w: no readers to merge; give one or more", ErrOption)
	}
	for i, reader := range readers {
		if adapter.IsNil(reader) || reader.Schema() == nil {
			return fmt.Errorf("%w: reader %d to merge is nil, or its schema is", ErrOption, i)
		}
	}
	if i, k, ok := adapter.Repeated(readers); ok {
		return fmt.Errorf("%w: readers %d and %d are the same, whose rows can be read only once", ErrOption, i, k)
	}
	return nil
}

// A mergeReader merges in rounds. In each it has the next rows of every input in memory, a window. A window is open if
// rows follow it. The open window that ends first sets the limit: rows that sort up to its last row are complete
// (completeRows of package cpu) and are merged.
type mergeReader struct {
	ctx     context.Context
	keys    []Key
	opts    Options
	columns *adapter.Input // without rows
	left    int64          // rows until Options.Limit

	inputs []*mergeInput
	merged arrow.Record // the rows of the round
	given  int64        // rows of it that were returned
}

func (r *mergeReader) release() {
	r.close()
	for _, in := range r.inputs {
		in.reader.Release()
	}
}

// close releases all records.
func (r *mergeReader) close() {
	releaseRecord(&r.merged)
	for _, in := range r.inputs {
		in.close()
	}
}

// next returns the next record; nil after the last.
func (r *mergeReader) next() (arrow.Record, error) {
	if r.left == 0 {
		r.close()
		return nil, nil
	}
	record, err := r.cut()
	if err != nil {
		r.close()
	}
	return record, translate(err)
}

// cut returns rows of the current round or, after its last rows, of the next one; nil when there are none.
func (r *mergeReader) cut() (arrow.Record, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if r.merged == nil {
		if more, err := r.round(); err != nil || !more {
			return nil, err
		}
	}
	n := min(int64(r.opts.BatchRows), r.merged.NumRows()-r.given, r.left)
	record, err := adapter.SliceRecord(r.merged, r.given, r.given+n)
	r.left -= n
	if r.given += n; r.given == r.merged.NumRows() {
		releaseRecord(&r.merged)
	}
	return record, err
}

// round merges the next rows; false when there are none.
func (r *mergeReader) round() (bool, error) {
	for _, in := range r.inputs {
		if err := in.fill(r.ctx, r.columns.Schema); err != nil {
			return false, err
		}
	}
	inputs, err := r.overlapping()
	if err != nil || len(inputs) == 0 {
		return false, err
	}
	err = r.mergeWindows(inputs)
	for errors.Is(translate(err), ErrOffsets) && halve(inputs) {
		err = r.mergeWindows(inputs)
	}
	return err == nil, err
}

// overlapping returns the inputs that have rows before the first end of an open window: the others wait.
func (r *mergeReader) overlapping() ([]*mergeInput, error) {
	var live, owners []*mergeInput // owners of rows
	var rows []arrow.Record
	defer func() {
		for _, row := range rows {
			row.Release()
		}
	}()
	for _, in := range r.inputs {
		if in.rows == 0 {
			continue
		}
		live = append(live, in)
		var err error
		if rows, err = in.border(rows); err != nil {
			return nil, err
		}
		for len(owners) < len(rows) {
			owners = append(owners, in)
		}
	}
	if len(live) == 0 {
		return nil, nil
	}
	order, err := r.orderOf(rows)
	if err != nil {
		return nil, err
	}
	return firstOverlap(order, owners)
}

// orderOf returns the sorted order of rows, each of which is a record.
func (r *mergeReader) orderOf(rows []arrow.Record) ([]uint32, error) {
	c := &call{opts: Options{Allocator: r.opts.Allocator, Engine: cpu.New(), Threads: 1}}
	s := concatenation{data: &c.data}
	defer s.release()
	s.setSchema(r.columns)
	for _, row := range rows {
		if err := s.appendHead(row, 1, 0); err != nil {
			return nil, err
		}
	}
	if err := c.start(r.ctx, r.keys); err != nil {
		return nil, err
	}
	defer c.work.Release()
	sorted, err := c.sortedRows(r.ctx)
	if err != nil {
		return nil, err
	}
	defer sorted.Release(r.opts.Allocator)
	return slices.Clone(arrow.Uint32Traits.CastFromBytes(sorted.RowNumbers)), nil
}

// firstOverlap goes through the borders of all inputs in their order: two or three rows of each, as border returns
// them.
func firstOverlap(order []uint32, owners []*mergeInput) (inputs []*mergeInput, err error) {
	compared := map[*mergeInput]bool{} // its last merged row was seen
	begun := map[*mergeInput]bool{}    // the first row of its window was seen
	for i, limited := 0, false; i < len(order); i++ {
		row := int(order[i])
		in := owners[row]
		switch {
		case row+1 == len(owners) || owners[row+1] != in: // the end of the window
			if !begun[in] { // it is not in order; the merge finds the row
				return []*mergeInput{in}, nil
			}
			limited = limited || in.open()
		case row+2 < len(owners) && owners[row+2] == in:
			compared[in] = true
		case in.last != nil && !compared[in]:
			return nil, unsortedError(in.number, in.taken)
		default:
			if begun[in] = true; !limited {
				inputs = append(inputs, in)
			}
		}
	}
	slices.SortFunc(inputs, func(a, b *mergeInput) int { return a.number - b.number })
	return inputs, nil
}

// mergeWindows merges what is complete in the windows of inputs.
func (r *mergeReader) mergeWindows(inputs []*mergeInput) error {
	c := &call{opts: r.opts}
	s := concatenation{data: &c.data}
	defer s.release()
	s.setSchema(r.columns)
	open := make([]bool, len(inputs))
	for i, in := range inputs {
		open[i] = in.open()
		if err := in.addWindow(&s, i); err != nil {
			return err
		}
	}
	merged, taken, err := c.merge(r.ctx, r.keys, cpu.Runs{Ends: s.ends, Open: open})
	if err != nil {
		return runError(err, func(run int) (input, row int) { return inputs[run].number, inputs[run].taken })
	}
	r.merged, r.given = merged.(arrow.Record), 0
	for i, in := range inputs {
		in.drop(taken[i])
	}
	return nil
}
