package beamsort

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// A partitionFn reads a part, sorts it batch by batch, and cuts the sorted rows at the splitters. An element is the
// number of a shard, from 0, and a batch or, with a shuffle folder, the location of a batch.
type partitionFn struct{ Settings []byte }

func (f *partitionFn) ProcessElement(ctx context.Context, t inputPart, next func(*splitters) bool,
	emit func(int64, []byte)) error {
	with, err := decodeSettings(f.Settings)
	if err != nil {
		return err
	}
	var between splitters
	if next(&between) && next(new(splitters)) {
		return fmt.Errorf("there are splitters twice")
	}
	out, err := with.newSender(emit)
	if err != nil {
		return err
	}
	first, at := rowPosition{part: t.Number}, rowPosition{part: t.Number}
	err = with.read(ctx, t, nil, func(piece arrow.Table) error {
		sorted, cuts, err := with.cut(ctx, piece, between.Rows, first)
		if err != nil {
			return err
		}
		defer sorted.Release()
		first.number += piece.NumRows()
		return emitAll(sorted, cuts, &at, func(shard int64, b []byte) error {
			bytesShuffled.Inc(ctx, int64(len(b)))
			return out.send(shard, b)
		})
	})
	return errors.Join(err, out.close())
}

// cut sorts a batch and finds the ends of all shards but the last in it. first is the position of its first row. The
// caller releases the sorted rows.
func (s *settings) cut(ctx context.Context, piece arrow.Table, splitters [][]byte, first rowPosition) (arrow.Table,
	[]int64, error) {
	order, err := arrowsort.SortIndices32(ctx, piece, s.Keys, s.sorting())
	if err != nil {
		return nil, nil, err
	}
	defer order.Release()
	sorted, err := arrowsort.Take(ctx, piece, order, s.sorting())
	if err != nil || len(splitters) == 0 {
		return sorted, nil, err
	}
	keys, err := encodeKeys(ctx, sorted, s.Keys, s.sorting())
	if err != nil {
		sorted.Release()
		return nil, nil, err
	}
	defer keys.Release()
	cuts, rows := make([]int64, len(splitters)), order.Uint32Values()
	for i, splitter := range splitters {
		cuts[i] = int64(sort.Search(len(rows), func(row int) bool {
			at := rowPosition{first.part, first.number + int64(rows[row])}
			return compareRow(keys.Row(row), at, splitter) >= 0
		}))
	}
	return sorted, cuts, nil
}

// compareRow compares a row, by its keys and its position, with a splitter.
func compareRow(keys []byte, at rowPosition, splitter []byte) int {
	end := len(splitter) - positionBytes
	if c := bytes.Compare(keys, splitter[:end]); c != 0 {
		return c
	}
	return bytes.Compare(at.append(nil), splitter[end:])
}

// emitAll emits sorted rows to their shards, in batches.
func emitAll(sorted arrow.Table, cuts []int64, at *rowPosition, emit func(int64, []byte) error) error {
	rec, err := oneRecord(sorted)
	if err != nil {
		return err
	}
	defer rec.Release()
	most := max(batchBytes*rec.NumRows()/max(arraydata.TableBytes(sorted), 1), 1)
	start := int64(0)
	for shard, end := range append(cuts, rec.NumRows()) {
		send := func(b []byte) error { return emit(int64(shard), b) }
		for start < end {
			next := min(start+most, end)
			if err := emitRows(rec, start, next, at, send); err != nil {
				return err
			}
			start = next
		}
	}
	return nil
}

// emitRows emits rows as a batch, or as several if the rows are far larger than the average.
func emitRows(rec arrow.Record, start, end int64, at *rowPosition, emit func([]byte) error) error {
	b, err := encodeRows(rec, start, end)
	if err != nil {
		return err
	}
	return emitHalves(b, rec, start, end, func(b []byte) error {
		at.append(b[:0])
		at.number++
		return emit(b)
	})
}

// emitHalves emits a batch or, if it is too large, its halves. A batch whose halves are hardly smaller, because both
// hold the same dictionary, is emitted whole.
func emitHalves(b []byte, rec arrow.Record, start, end int64, emit func([]byte) error) error {
	if len(b) <= 2*batchBytes || end-start < 2 {
		return emit(b)
	}
	middle := start + (end-start)/2
	left, err := encodeRows(rec, start, middle)
	if err != nil {
		return err
	}
	right, err := encodeRows(rec, middle, end)
	if err != nil {
		return err
	}
	if len(left)+len(right) > len(b)*5/4 {
		return emit(b)
	}
	if err := emitHalves(left, rec, start, middle, emit); err != nil {
		return err
	}
	return emitHalves(right, rec, middle, end, emit)
}

// encodeRows encodes rows of a record as an element whose position is still empty.
func encodeRows(rec arrow.Record, start, end int64) ([]byte, error) {
	part := rec.NewSlice(start, end)
	defer part.Release()
	return encodeBatch(rowPosition{}, part)
}
