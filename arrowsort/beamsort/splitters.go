package beamsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// A splittersFn makes the splitters of the samples: rows at equal distances in the sorted order, one fewer than there
// are shards, or as many as there are rows. Rows before a splitter are in a shard to the left of it, the splitter
// itself to the right.
type splittersFn struct{ Settings []byte }

// ProcessElement gets the samples of all parts. The element that it emits is a table: the key columns, then number of
// the row and number of the part, in the order of part and row.
func (f *splittersFn) ProcessElement(ctx context.Context, _ int, samples func(*[]byte) bool,
	emit func([]byte)) error {
	with, err := decodeSettings(f.Settings)
	if err != nil {
		return err
	}
	var records []arrow.Record
	defer func() {
		for _, rec := range records {
			rec.Release()
		}
	}()
	for b := []byte(nil); samples(&b); {
		rec, err := decodeBatch(b)
		if err != nil {
			return err
		}
		records = append(records, rec)
	}
	b, err := with.splitters(ctx, records)
	if err == nil {
		emit(b)
	}
	return err
}

func (s *settings) splitters(ctx context.Context, records []arrow.Record) ([]byte, error) {
	table, opts := joined(records[0].Schema(), records), s.sorting()
	defer table.Release()
	row, part := int(table.NumCols())-3, int(table.NumCols())-2
	keys := append(s.sampleKeys(), arrowsort.Key{Index: part}, arrowsort.Key{Index: row})
	sorted, err := arrowsort.Sort(ctx, table, keys, opts)
	if err != nil {
		return nil, err
	}
	defer sorted.Release()
	rec, err := oneRecord(sorted)
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	weights := rec.Column(int(rec.NumCols()) - 1).(*array.Float64).Float64Values()
	numbers := array.NewUint64Builder(memory.DefaultAllocator)
	numbers.AppendValues(quantiles(weights, s.Shards), nil)
	chosen, err := arrowsort.Take(ctx, withoutLast(rec), numbers.NewArray(), opts)
	if err != nil {
		return nil, err
	}
	defer chosen.Release()
	byPlace, err := arrowsort.Sort(ctx, chosen, []arrowsort.Key{{Index: part}, {Index: row}}, opts)
	if err != nil {
		return nil, err
	}
	defer byPlace.Release()
	return encodeBatch(place{}, byPlace)
}

// quantiles are the numbers of rows, of some weights, that divide them into parts of about the same weight. None is
// named twice, and never the first.
func quantiles(weights []float64, parts int) []uint64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	var rows []uint64
	before, next := 0.0, 1
	for i, w := range weights {
		if next < parts && i > 0 && before >= total*float64(next)/float64(parts) {
			rows = append(rows, uint64(i))
			for next < parts && before >= total*float64(next)/float64(parts) {
				next++
			}
		}
		before += w
	}
	return rows
}
