// Package curve orders rows by their places on a space-filling curve over several keys. A sample of the rows shows how
// the values of each key are distributed; a Grid divides each key into cells of about as many rows, and the place of a
// row is that of its cells on the curve.
//
//	rows ── Sampler ──▶ sample ──▶ Grid: borders of the cells of each key, and their coordinates
//	rows -> Grid.Codes: values -> cells -> coordinates -> keyencode.Interleave -> keyencode.Curve.Codes
package curve

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/arrowsort/internal/textorder"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Options are the options of a call.
type Options struct {
	Allocator memory.Allocator
	Threads   int // as of workers.Count
}

// CheckKeys returns an error for a number of keys that a curve cannot have.
func CheckKeys(curve keyencode.Curve, keys int) error {
	if curve.String() == "" {
		return fmt.Errorf("%w: curve %d; give Hilbert or ZOrder", errkind.ErrOption, curve)
	}
	if keys < keyencode.MinCurveKeys || keys > keyencode.MaxCurveKeys {
		return fmt.Errorf("%w: a %s curve of %d keys; give %d to %d, or sort by the keys without a curve",
			errkind.ErrOption, curve, keys, keyencode.MinCurveKeys, keyencode.MaxCurveKeys)
	}
	return nil
}

// Find returns the columns of each key in an input: a struct has one for each field. A column that is the key twice is
// an error.
func Find(in *adapter.Input, keys []keypath.Key) ([][]keypath.Column, error) {
	found, paths := make([][]keypath.Column, len(keys)), make([][]int, len(keys))
	for i, key := range keys {
		column, err := keypath.Find(in, i, key)
		if err != nil {
			return nil, err
		}
		if key.Function != keyfunction.None {
			return nil, fmt.Errorf("%w: key %s of a curve is a function, and curves take columns; leave it out",
				errkind.ErrOption, column.Name)
		}
		if column.Collation != textorder.Bytes {
			return nil, fmt.Errorf("%w: key %s of a curve has the collation %s, and curves take text by its bytes; "+
				"leave it out", errkind.ErrOption, column.Name, column.Collation)
		}
		paths[i] = column.Path
		if slices.ContainsFunc(paths[:i], func(p []int) bool { return slices.Equal(p, column.Path) }) {
			return nil, fmt.Errorf("%w: key %s of a curve is given twice; leave one out", errkind.ErrOption,
				column.Name)
		}
		if found[i], err = keypath.Expand(nil, column); err != nil {
			return nil, err
		}
		for _, f := range found[i] {
			if adapter.Nested(f.Type) {
				return nil, fmt.Errorf("%w: key %s of a curve has type %s", errkind.ErrKeyType, f.Name, f.Type)
			}
		}
		if len(found[i]) == 0 {
			return nil, fmt.Errorf("%w: key %s of a curve is a struct without fields; leave it out",
				errkind.ErrOption, column.Name)
		}
	}
	return found, nil
}

// sampleRows is the number of rows of a sample: a cell of 1/512 of the rows has 32 of them, so that its size is right
// within a fifth, and the place of its border within 1/128 of the rows at worst. With maxText bytes of text from 8
// keys they take 8 MiB, half of the smallest memory budget.
const sampleRows = 1 << 14

// A Sampler takes the sample of rows that are added in any number of pieces. The sample depends on the rows and their
// numbers only: it is those with the least hashes of their numbers. It is used by one goroutine.
type Sampler struct {
	keys   []keypath.Key
	opts   Options
	axes   [][]keypath.Column // of the data that was added first
	values []values           // of the columns of all axes

	rows   uint64   // that were added
	limit  uint64   // the greatest hash that is kept
	hashes []uint64 // of the rows of the sample
	sorted []uint64 // memory of lowerLimit
}

// NewSampler returns a sampler of rows by keys.
func NewSampler(keys []keypath.Key, opts Options) *Sampler {
	return &Sampler{keys: keys, opts: opts, limit: ^uint64(0)}
}

// Add adds the next rows. The columns of the keys have the same types in all data.
func (s *Sampler) Add(ctx context.Context, in *adapter.Input) error {
	axes, err := Find(in, s.keys)
	if err != nil {
		return err
	}
	if s.axes == nil {
		s.axes = axes
		for _, column := range slices.Concat(axes...) {
			s.values = append(s.values, newValues(column.Type))
		}
	}
	rows, hashes := s.choose(in.Rows)
	s.rows += uint64(in.Rows)
	if len(rows) == 0 {
		return ctx.Err()
	}
	for i, column := range slices.Concat(axes...) {
		if err := s.addValues(ctx, &s.values[i], in, column.Leaf, rows); err != nil {
			return fmt.Errorf("key %s of type %s: %w", column.Name, column.Type, err)
		}
	}
	if s.hashes = append(s.hashes, hashes...); len(s.hashes) > sampleRows {
		s.reduce()
	}
	return nil
}

// choose returns which of the next n rows have hashes up to the limit, no more than a sample has, and their hashes.
func (s *Sampler) choose(n int) (rows, hashes []uint64) {
	rows, hashes = make([]uint64, 0, min(n, 2*sampleRows)), make([]uint64, 0, min(n, 2*sampleRows))
	lower := func() {
		s.lowerLimit(hashes)
		to := 0
		for i, h := range hashes {
			if h <= s.limit {
				rows[to], hashes[to] = rows[i], h
				to++
			}
		}
		rows, hashes = rows[:to], hashes[:to]
	}
	for row := range uint64(n) {
		if h := hash(s.rows + row); h <= s.limit {
			rows, hashes = append(rows, row), append(hashes, h)
		}
		if len(rows) == 2*sampleRows {
			lower()
		}
	}
	if len(rows) > sampleRows {
		lower()
	}
	return rows, hashes
}

// lowerLimit sets the limit that as many of some hashes reach as a sample has, of more.
func (s *Sampler) lowerLimit(hashes []uint64) {
	s.sorted = append(s.sorted[:0], hashes...)
	slices.Sort(s.sorted)
	s.limit = s.sorted[sampleRows-1] // no two rows have the same hash
}

// hash returns a number for the number of a row, another for each, that looks like chance: the finalizer of SplitMix64
// (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
func hash(row uint64) uint64 {
	row += 0x9e3779b97f4a7c15
	row = (row ^ row>>30) * 0xbf58476d1ce4e5b9
	row = (row ^ row>>27) * 0x94d049bb133111eb
	return row ^ row>>31
}

// addValues adds the values of a leaf in some rows.
func (s *Sampler) addValues(ctx context.Context, to *values, in *adapter.Input, leaf adapter.Leaf,
	rows []uint64) error {
	column := in.Columns[leaf.Path[0]]
	opts := take.Options{Allocator: s.opts.Allocator, Threads: s.opts.Threads, Split: true}
	taken, err := take.Take(ctx, column.Type, column.Chunks, rows, opts)
	if err != nil {
		return err
	}
	column.Chunks = taken
	defer adapter.ReleaseAll([][]arrow.Array{taken})
	sampled := adapter.Input{Shape: in.Shape, Rows: len(rows), Columns: slices.Clone(in.Columns)}
	sampled.Columns[leaf.Path[0]] = column
	var raw adapter.RawColumns
	raw.Start(ctx, adapter.Options{Allocator: s.opts.Allocator, Ranker: cpu.New(), Threads: s.opts.Threads})
	defer raw.Release()
	plain, err := raw.PlainValues(&sampled, leaf)
	if err == nil {
		to.append(&plain)
	}
	return err
}

// reduce leaves out the rows of the greatest hashes.
func (s *Sampler) reduce() {
	s.lowerLimit(s.hashes)
	kept := make([]int, 0, sampleRows)
	for i, h := range s.hashes {
		if h <= s.limit {
			s.hashes[len(kept)] = h
			kept = append(kept, i)
		}
	}
	s.hashes = s.hashes[:len(kept)]
	for i := range s.values {
		s.values[i].keep(kept)
	}
}

// Grid returns the grid of all rows that were added. Those of an input without rows have been added too, so that the
// types of the keys are known.
func (s *Sampler) Grid(ctx context.Context) (*Grid, error) {
	g := &Grid{Rows: len(s.hashes), Axes: make([]Axis, len(s.axes))}
	var first []int // value of each axis
	n := 0
	for _, columns := range s.axes {
		first = append(first, n)
		n += len(columns)
	}
	err := workers.Each(ctx, len(g.Axes), s.opts.Threads, func(i int) (err error) {
		sampled := s.values[first[i]:][:len(s.axes[i])]
		g.Axes[i], err = divide(ctx, s.axes[i], sampled, g.Rows)
		return err
	})
	return g, err
}
