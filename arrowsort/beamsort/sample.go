package beamsort

import (
	"cmp"
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
)

const (
	samplesOfShard = 1000 // rows that are sampled for each shard: it is about 3 % too large or small
	leastSamples   = 32   // of a part
)

// A sampleFn draws rows of a part: those with the smallest hash of their number, so that a second try draws the same.
// An element is a table: the key columns, then number of the row, number of the part, and weight, the rows that it
// stands for. These have no names, which no key has.
type sampleFn struct{ Settings []byte }

func (f *sampleFn) ProcessElement(ctx context.Context, t task, emit func([]byte)) error {
	with, err := decodeSettings(f.Settings)
	if err != nil {
		return err
	}
	s := &sample{part: t.Number, most: max(samplesOfShard*with.Shards/with.Parts, leastSamples), limit: 1<<64 - 1}
	defer s.release()
	if with.Shards == 1 {
		s.most = 0 // there is nothing to divide
	}
	opts := with.parquet()
	opts.Keys = with.sampleKeys()
	err = with.read(ctx, t, with.KeyColumns, opts, func(piece arrow.Table) error {
		return s.add(ctx, piece, with.sorting())
	})
	if err != nil || len(s.records) == 0 {
		return err
	}
	b, err := s.encode(ctx, with.sorting())
	if err != nil {
		return err
	}
	emit(b)
	return nil
}

// A sample is rows that are drawn from a part.
type sample struct {
	part    int64
	most    int    // rows
	limit   uint64 // hashes from here on are not among the smallest
	rows    int64  // seen so far
	records []arrow.Record
}

// A drawn is a row of a piece and its hash.
type drawn struct {
	row  int64
	hash uint64
}

// add draws from the next piece. Records have the key columns, numbers of rows and hashes.
func (s *sample) add(ctx context.Context, piece arrow.Table, opts arrowsort.Options) error {
	chosen := s.draw(piece.NumRows())
	if len(chosen) == 0 {
		return nil
	}
	local, rows, hashes := array.NewUint64Builder(memory.DefaultAllocator),
		array.NewUint64Builder(memory.DefaultAllocator), array.NewUint64Builder(memory.DefaultAllocator)
	for _, d := range chosen {
		local.Append(uint64(d.row - (s.rows - piece.NumRows())))
		rows.Append(uint64(d.row))
		hashes.Append(d.hash)
	}
	taken, err := arrowsort.Take(ctx, piece, local.NewArray(), opts)
	if err != nil {
		return err
	}
	defer taken.Release()
	rec, err := oneRecord(taken)
	if err != nil {
		return err
	}
	defer rec.Release()
	s.records = append(s.records, withColumns(rec, rows.NewArray(), hashes.NewArray()))
	return nil
}

// draw finds the rows of a piece of some rows that may have the smallest hashes, in their order.
func (s *sample) draw(rows int64) []drawn {
	var found []drawn
	first := s.rows
	s.rows += rows
	if s.most == 0 {
		return nil
	}
	for row := first; row < s.rows; row++ {
		h := hash(uint64(s.part), uint64(row))
		if h >= s.limit {
			continue
		}
		if found = append(found, drawn{row, h}); len(found) > 4*s.most {
			slices.SortFunc(found, func(a, b drawn) int { return cmp.Compare(a.hash, b.hash) })
			s.limit = found[s.most].hash
			found = found[:s.most]
		}
	}
	slices.SortFunc(found, func(a, b drawn) int { return cmp.Compare(a.row, b.row) })
	return found
}

// hash mixes two numbers: splitmix64.
func hash(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// encode is the sample as an element.
func (s *sample) encode(ctx context.Context, opts arrowsort.Options) ([]byte, error) {
	table := joined(s.records[0].Schema(), s.records)
	defer table.Release()
	columns := int(table.NumCols())
	opts.Limit = s.most
	sorted, err := arrowsort.Sort(ctx, table, []arrowsort.Key{{Index: columns - 1}}, opts)
	if err != nil {
		return nil, err
	}
	defer sorted.Release()
	rec, err := oneRecord(sorted)
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	parts, weights := array.NewUint64Builder(memory.DefaultAllocator), array.NewFloat64Builder(memory.DefaultAllocator)
	for range rec.NumRows() {
		parts.Append(uint64(s.part))
		weights.Append(float64(s.rows) / float64(rec.NumRows()))
	}
	all := withColumns(withoutLast(rec), parts.NewArray(), weights.NewArray())
	defer all.Release()
	return encodeBatch(place{}, all)
}

func (s *sample) release() {
	for _, rec := range s.records {
		rec.Release()
	}
	s.records = nil
}

// withColumns is a record with further columns without names.
func withColumns(rec arrow.Record, more ...arrow.Array) arrow.Record {
	fields, columns := slices.Clone(rec.Schema().Fields()), slices.Clone(rec.Columns())
	for _, a := range more {
		fields, columns = append(fields, arrow.Field{Type: a.DataType()}), append(columns, a)
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, rec.NumRows())
}

// withoutLast is a record without its last column.
func withoutLast(rec arrow.Record) arrow.Record {
	n := int(rec.NumCols()) - 1
	return array.NewRecord(arrow.NewSchema(rec.Schema().Fields()[:n], nil), rec.Columns()[:n], rec.NumRows())
}
