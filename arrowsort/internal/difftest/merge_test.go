package difftest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestMergeOfRandomTables cuts tables into 1 to 20 parts, of which some are empty, sorts these, and merges them: the
// result has to be the table in the order of the model.
func TestMergeOfRandomTables(t *testing.T) {
	compareCalls(t, 9000, testrun.Count(1500, 120), (*table).checkMerge)
}

// TestMergeOfEveryKey has every type of key, order, null placement and shape, in one chunk and in several.
func TestMergeOfEveryKey(t *testing.T) {
	compareCallsOfEveryKey(t, (*table).checkMerge)
}

func (t *table) checkMerge(tt *testing.T, r *rand.Rand, opts arrowsort.Options) error {
	order := model.NewOrder(t.columns, t.modelKeys)
	want, err := t.sortedRows(tt, order, opts)
	if err != nil {
		return err
	}
	var parts []arrowsort.Data
	defer func() {
		for _, p := range parts {
			p.Release()
		}
	}()
	lo := 0
	for _, rows := range cut(r, t.rows, 1+r.IntN(20)) {
		part, err := t.sortedPart(tt, r, lo, lo+rows, opts)
		if err != nil {
			return err
		}
		parts, lo = append(parts, part), lo+rows
	}
	got, err := arrowsort.Merge(tt.Context(), parts, t.keys, opts)
	if err != nil {
		return fmt.Errorf("Merge of %d parts: %w", len(parts), err)
	}
	defer got.Release()
	if err := t.sameRows(got, want); err != nil {
		return fmt.Errorf("Merge of %d parts: %w", len(parts), err)
	}
	opts.Limit = 1 + r.IntN(t.rows+3)
	first, err := arrowsort.Merge(tt.Context(), parts, t.keys, opts)
	if err != nil {
		return fmt.Errorf("Merge of %d parts, limit %d: %w", len(parts), opts.Limit, err)
	}
	defer first.Release()
	if err := t.sameRows(first, want[:min(opts.Limit, t.rows)]); err != nil {
		return fmt.Errorf("Merge of %d parts, limit %d: %w", len(parts), opts.Limit, err)
	}
	if _, ok := t.data.(arrow.Record); ok {
		return t.checkMergeReaders(tt, r, parts, want, opts)
	}
	return nil
}

// sortedPart is rows lo..hi-1 of the table in order, after some rows that its arrays hold in addition.
func (t *table) sortedPart(tt *testing.T, r *rand.Rand, lo, hi int, opts arrowsort.Options) (arrowsort.Data, error) {
	part := sliceData(t.data, lo, hi)
	defer part.Release()
	sorted, err := arrowsort.SortIndices(tt.Context(), part, t.keys, opts)
	if err != nil {
		return nil, err
	}
	defer sorted.Release()
	b := array.NewUint64Builder(opts.Allocator)
	defer b.Release()
	more := 0
	if hi > lo {
		more = r.IntN(9)
	}
	for range more {
		b.Append(uint64(r.IntN(hi - lo)))
	}
	b.AppendValues(sorted.Uint64Values(), nil)
	rows := b.NewArray()
	defer rows.Release()
	taken, err := arrowsort.Take(tt.Context(), part, rows, opts)
	if err != nil {
		return nil, err
	}
	defer taken.Release()
	return sliceData(taken, more, more+hi-lo), nil
}

var errBroken = errors.New("broken")

// checkMergeReaders streams the parts in records of random sizes, up to a limit, and with a reader that fails.
func (t *table) checkMergeReaders(tt *testing.T, r *rand.Rand, parts []arrowsort.Data, want []uint64,
	opts arrowsort.Options) error {
	if r.IntN(2) == 0 {
		opts.Limit = 0
	}
	batch := 1 + r.IntN(2*t.rows/(1+r.IntN(20))+2)
	opts.BatchRows = batch
	merged, err := t.merged(tt, r, parts, -1, opts)
	defer releaseAll(merged)
	if err != nil {
		return fmt.Errorf("MergeReaders of %d parts, batches of %d: %w", len(parts), batch, err)
	}
	kept := len(want)
	if opts.Limit > 0 {
		kept = min(opts.Limit, kept)
	}
	if err := t.sameRecords(merged, want[:kept], batch); err != nil {
		return fmt.Errorf("MergeReaders of %d parts, batches of %d, limit %d: %w", len(parts), batch, opts.Limit, err)
	}
	opts.Limit = 0
	part := r.IntN(len(parts))
	start, err := t.merged(tt, r, parts, part, opts)
	defer releaseAll(start)
	if !errors.Is(err, errBroken) {
		return fmt.Errorf("MergeReaders with a broken reader: error %v", err)
	}
	rows := 0
	for _, rec := range start {
		rows += int(rec.NumRows())
	}
	return t.sameRecords(start, want[:min(rows, len(want))], batch)
}

// merged are the records of a stream over the parts; the reader of part broken fails somewhere.
func (t *table) merged(tt *testing.T, r *rand.Rand, parts []arrowsort.Data, broken int, opts arrowsort.Options,
) (merged []arrow.Record, err error) {
	var readers []array.RecordReader
	for i, part := range parts {
		rec := part.(arrow.Record)
		reader := &pieceReader{rec: rec, r: r, fails: -1}
		if i == broken {
			reader.fails = r.IntN(int(rec.NumRows()) + 1)
		}
		readers = append(readers, reader)
	}
	reader, err := arrowsort.MergeReaders(tt.Context(), readers, t.keys, opts)
	if err != nil {
		return nil, err
	}
	defer reader.Release()
	for reader.Next() {
		rec := reader.Record()
		rec.Retain()
		merged = append(merged, rec)
	}
	if reader.Next() || reader.Record() != nil {
		return merged, errors.New("the reader goes on after its end")
	}
	return merged, reader.Err()
}

// sameRecords compares records, one after another, with rows of the table.
func (t *table) sameRecords(records []arrow.Record, rows []uint64, batch int) error {
	for _, rec := range records {
		n := int(rec.NumRows())
		if n == 0 || n > batch || n > len(rows) {
			return fmt.Errorf("a record of %d rows, the batch has %d and there are %d more", n, batch, len(rows))
		}
		if err := t.sameRows(rec, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	if len(rows) > 0 {
		return fmt.Errorf("%d rows are missing", len(rows))
	}
	return nil
}

func releaseAll(records []arrow.Record) {
	for _, rec := range records {
		rec.Release()
	}
}

// A pieceReader reads a record in pieces of random sizes, some of them empty, and may fail at a row.
type pieceReader struct {
	rec   arrow.Record
	r     *rand.Rand
	fails int
	at    int
	piece arrow.Record
	err   error
}

func (p *pieceReader) Retain() {}
func (p *pieceReader) Release() {
	if p.piece != nil {
		p.piece.Release()
		p.piece = nil
	}
}
func (p *pieceReader) Schema() *arrow.Schema { return p.rec.Schema() }
func (p *pieceReader) Record() arrow.Record  { return p.piece }
func (p *pieceReader) Err() error            { return p.err }

func (p *pieceReader) Next() bool {
	p.Release()
	rows := int(p.rec.NumRows())
	if p.fails >= 0 {
		rows = p.fails
	}
	if p.at == rows {
		if p.fails >= 0 {
			p.err = errBroken
		}
		return false
	}
	n := min(rows-p.at, slices.Min([]int{p.r.IntN(8), p.r.IntN(rows + 1)})*(1+p.r.IntN(rows/8+1)))
	p.piece = p.rec.NewSlice(int64(p.at), int64(p.at+n))
	p.at += n
	return true
}
