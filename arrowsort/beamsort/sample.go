package beamsort

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

const (
	samplesOfShard = 1000 // sampled rows of each shard: sizes of shards differ by about 3 %
	leastSamples   = 32   // sampled rows of a part
)

// A sample is random rows of a part.
type sample struct {
	// Rows are the sampled rows as bytes that compare as the rows do: the keys as package rows encodes them, then the
	// position.
	Rows [][]byte
	// Weight is the number of rows for which each of them stands.
	Weight float64
}

// A sampleFn draws the rows of a part whose numbers have the smallest hashes, so that a second try draws the same ones.
type sampleFn struct{ Settings []byte }

func (f *sampleFn) ProcessElement(ctx context.Context, t inputPart, emit func(sample)) error {
	with, err := decodeSettings(f.Settings)
	if err != nil {
		return err
	}
	if with.Shards == 1 {
		return nil // one shard needs no splitters
	}
	s := &sampler{settings: with, part: t.Number, most: max(samplesOfShard*with.Shards/with.Parts, leastSamples),
		limit: 1<<64 - 1}
	err = with.read(ctx, t, with.KeyColumns, func(piece arrow.Table) error { return s.add(ctx, piece) })
	if err != nil || s.rows == 0 {
		return err
	}
	emit(s.result())
	return nil
}

// A sampler draws rows from the batches of a part.
type sampler struct {
	settings *settings
	part     int64
	most     int    // rows
	limit    uint64 // rows with smaller hashes may be drawn
	rows     int64  // read so far
	drawn    []sampleRow
}

// A sampleRow is a row that was drawn, and its hash.
type sampleRow struct {
	row   int64
	hash  uint64
	bytes []byte // see sample.Rows
}

// add draws rows from the next batch.
func (s *sampler) add(ctx context.Context, piece arrow.Table) error {
	first := s.rows
	chosen := s.draw(piece.NumRows())
	if len(chosen) == 0 {
		return nil
	}
	numbers := array.NewUint64Builder(memory.DefaultAllocator)
	for _, d := range chosen {
		numbers.Append(uint64(d.row - first))
	}
	taken, err := arrowsort.Take(ctx, piece, numbers.NewArray(), s.settings.sorting())
	if err != nil {
		return err
	}
	defer taken.Release()
	encoded, err := encodeKeys(ctx, taken, s.settings.sampleKeys(), s.settings.sorting())
	if err != nil {
		return err
	}
	defer encoded.Release()
	for i, d := range chosen {
		chosen[i].bytes = rowPosition{s.part, d.row}.append(slices.Clone(encoded.Row(i)))
	}
	s.drawn = s.smallest(append(s.drawn, chosen...))
	return nil
}

// encodeKeys returns the keys of a table as bytes that compare as the keys do.
func encodeKeys(ctx context.Context, table arrow.Table, keys []arrowsort.Key, opts arrowsort.Options) (*rows.Rows,
	error) {
	converter, err := rows.ForKeys(table.Schema(), keys)
	if err != nil {
		return nil, err
	}
	return converter.Encode(ctx, table, rows.Options{Threads: opts.Threads})
}

// draw returns those of the next rows whose hashes may be among the smallest.
func (s *sampler) draw(rows int64) (found []sampleRow) {
	first := s.rows
	s.rows += rows
	for row := first; row < s.rows; row++ {
		if h := hash(uint64(s.part), uint64(row)); h < s.limit {
			if found = append(found, sampleRow{row: row, hash: h}); len(found) > 4*s.most {
				found = s.smallest(found)
			}
		}
	}
	return found
}

// smallest keeps the rows with the smallest hashes, and lowers the limit.
func (s *sampler) smallest(found []sampleRow) []sampleRow {
	slices.SortFunc(found, func(a, b sampleRow) int { return cmp.Compare(a.hash, b.hash) })
	if len(found) <= s.most {
		return found
	}
	s.limit = found[s.most].hash
	return found[:s.most]
}

// hash mixes two numbers by splitmix64.
func hash(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// result returns the sample.
func (s *sampler) result() sample {
	result := sample{Weight: float64(s.rows) / float64(len(s.drawn))}
	for _, d := range s.drawn {
		result.Rows = append(result.Rows, d.bytes)
	}
	return result
}

// splitters are the first rows of all shards but the first.
type splitters struct {
	// Rows are encoded as in sample.Rows, and in order.
	Rows [][]byte
}

// A splittersFn draws the splitters from the samples: rows at equal distances in the sorted order, one fewer than there
// are shards, or all rows if there are fewer.
type splittersFn struct{ Shards int }

// ProcessElement gets the samples of all parts.
func (f *splittersFn) ProcessElement(_ int, samples func(*sample) bool, emit func(splitters)) {
	var all []weighted
	for s := (sample{}); samples(&s); {
		for _, row := range s.Rows {
			all = append(all, weighted{row, s.Weight})
		}
	}
	slices.SortFunc(all, func(a, b weighted) int { return bytes.Compare(a.row, b.row) })
	emit(splitters{quantiles(all, f.Shards)})
}

// A weighted is a row of a sample and the number of rows for which it stands.
type weighted struct {
	row    []byte
	weight float64
}

// quantiles returns the rows that divide sorted rows into parts of about the same weight: each row once, and never the
// first.
func quantiles(sorted []weighted, parts int) (rows [][]byte) {
	total := 0.0
	for _, s := range sorted {
		total += s.weight
	}
	before, next := 0.0, 1
	for i, s := range sorted {
		if next < parts && i > 0 && before >= total*float64(next)/float64(parts) {
			rows = append(rows, s.row)
			for next < parts && before >= total*float64(next)/float64(parts) {
				next++
			}
		}
		before += s.weight
	}
	return rows
}
