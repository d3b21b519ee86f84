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
	samplesOfShard = 1000 // rows that are sampled for each shard: it is about 3 % too large or small
	leastSamples   = 32   // of a part
)

// A sampled is rows that are drawn from a part.
type sampled struct {
	// Rows are keys and places as bytes, which compare as the rows do: those of package rows, then a place.
	Rows [][]byte
	// Weight is the number of rows that each stands for.
	Weight float64
}

// A sampleFn draws rows of a part: those with the smallest hash of their number, so that a second try draws the same.
type sampleFn struct{ Settings []byte }

func (f *sampleFn) ProcessElement(ctx context.Context, t task, emit func(sampled)) error {
	with, err := decodeSettings(f.Settings)
	if err != nil {
		return err
	}
	if with.Shards == 1 {
		return nil // there is nothing to divide
	}
	s := &sampler{settings: with, part: t.Number, most: max(samplesOfShard*with.Shards/with.Parts, leastSamples),
		limit: 1<<64 - 1}
	opts := with.parquet()
	opts.Keys = with.sampleKeys()
	err = with.read(ctx, t, with.KeyColumns, opts, func(piece arrow.Table) error { return s.add(ctx, piece) })
	if err != nil || s.rows == 0 {
		return err
	}
	emit(s.result())
	return nil
}

// A sampler draws rows from the pieces of a part.
type sampler struct {
	settings *settings
	part     int64
	most     int    // rows
	limit    uint64 // hashes from here on are not among the smallest
	rows     int64  // seen so far
	drawn    []drawn
}

// A drawn is a row that is drawn, and its hash.
type drawn struct {
	row   int64
	hash  uint64
	bytes []byte // of sampled.Rows
}

// add draws from the next piece.
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
		chosen[i].bytes = place{s.part, d.row}.append(slices.Clone(encoded.Row(i)))
	}
	s.drawn = s.smallest(append(s.drawn, chosen...))
	return nil
}

// encodeKeys are the keys of a table as bytes that compare as they do.
func encodeKeys(ctx context.Context, table arrow.Table, keys []arrowsort.Key, opts arrowsort.Options) (*rows.Rows,
	error) {
	converter, err := rows.ForKeys(table.Schema(), keys)
	if err != nil {
		return nil, err
	}
	return converter.Encode(ctx, table, rows.Options{Threads: opts.Threads})
}

// draw finds those of the next rows that may have the smallest hashes.
func (s *sampler) draw(rows int64) (found []drawn) {
	first := s.rows
	s.rows += rows
	for row := first; row < s.rows; row++ {
		if h := hash(uint64(s.part), uint64(row)); h < s.limit {
			if found = append(found, drawn{row: row, hash: h}); len(found) > 4*s.most {
				found = s.smallest(found)
			}
		}
	}
	return found
}

// smallest are the rows with the smallest hashes.
func (s *sampler) smallest(found []drawn) []drawn {
	slices.SortFunc(found, func(a, b drawn) int { return cmp.Compare(a.hash, b.hash) })
	if len(found) <= s.most {
		return found
	}
	s.limit = found[s.most].hash
	return found[:s.most]
}

// hash mixes two numbers: splitmix64.
func hash(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 + b + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// result is what is drawn.
func (s *sampler) result() sampled {
	drawn := sampled{Weight: float64(s.rows) / float64(len(s.drawn))}
	for _, d := range s.drawn {
		drawn.Rows = append(drawn.Rows, d.bytes)
	}
	return drawn
}

// A limits is the splitters.
type limits struct {
	// Rows are as those of sampled, in their order: rows before one of them are in a shard to the left of it, the row
	// itself is to the right.
	Rows [][]byte
}

// A splittersFn makes the splitters of the samples: rows at equal distances in the sorted order, one fewer than there
// are shards, or as many as there are rows.
type splittersFn struct{ Shards int }

// ProcessElement gets the samples of all parts.
func (f *splittersFn) ProcessElement(_ int, samples func(*sampled) bool, emit func(limits)) {
	var all []weighted
	for s := (sampled{}); samples(&s); {
		for _, row := range s.Rows {
			all = append(all, weighted{row, s.Weight})
		}
	}
	slices.SortFunc(all, func(a, b weighted) int { return bytes.Compare(a.row, b.row) })
	emit(limits{quantiles(all, f.Shards)})
}

// A weighted is a row of a sample and the number of rows that it stands for.
type weighted struct {
	row    []byte
	weight float64
}

// quantiles are the rows that divide sorted ones into parts of about the same weight. None is there twice, and never
// the first.
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
