// Package curveorder sorts the rows of files along a space-filling curve: by a column of places on the curve, which is
// appended to the rows and not written.
package curveorder

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/curve"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
)

// An Order is an order of rows along a curve. It is not changed.
type Order struct {
	Curve arrowsort.Curve
	grid  *curve.Grid
}

// Column is the column of places that Coded appends.
var Column = arrow.Field{Name: "place on the curve", Type: arrow.PrimitiveTypes.Uint64}

// CheckCount returns an error for a number of keys that a curve cannot have.
func CheckCount(c arrowsort.Curve, keys int) error { return ofOption(curve.CheckKeys(c, keys)) }

// ofOption returns an ErrOption in the words of parquetsort.
func ofOption(err error) error {
	if text, ok := strings.CutPrefix(fmt.Sprint(err), errkind.ErrOption.Error()+": "); ok {
		return fmt.Errorf("%w: Curve: %s", errkind.ErrFileOption, text)
	}
	return err
}

// Check is CheckCount, and returns an error for a column that is a key twice. The keys are found in the schema.
func Check(c arrowsort.Curve, schema *arrow.Schema, keys []arrowsort.Key) error {
	if err := CheckCount(c, len(keys)); err != nil {
		return err
	}
	return find(schema, keys...)
}

// CheckKey returns an error for a key that a curve cannot have, whatever the others are.
func CheckKey(schema *arrow.Schema, key arrowsort.Key) error { return find(schema, key) }

func find(schema *arrow.Schema, keys ...arrowsort.Key) error {
	in := adapter.OfSchema(schema)
	_, err := curve.Find(&in, pathsOf(keys))
	return ofOption(err)
}

// Sample returns the order of the rows of a dataset, of which it reads the keys.
func Sample(ctx context.Context, d *dataset.Dataset, rows dataset.Projection, c arrowsort.Curve,
	opts arrowsort.Options, progress func(done, total int64)) (*Order, error) {
	pool := allocators.NewRecycler(opts.Allocator, 0)
	defer pool.Release()
	keys := rows.OnlyKeys()
	s := sampler(keys.Keys, opts)
	empty := array.NewTableFromSlice(keys.Schema, make([][]arrow.Array, keys.Schema.NumFields()))
	defer empty.Release()
	if err := add(ctx, s, empty); err != nil { // the types of the keys
		return nil, err
	}
	scan := dataset.ScanOptions{Columns: keys, Pool: pool, Progress: progress}
	_, err := d.Scan(ctx, scan, func(_ int, batch arrow.Table) error { return add(ctx, s, batch) })
	if err != nil {
		return nil, err
	}
	return grid(ctx, s, c)
}

// SampleTable returns the order of the rows of a table.
func SampleTable(ctx context.Context, table arrow.Table, keys []arrowsort.Key, c arrowsort.Curve,
	opts arrowsort.Options) (*Order, error) {
	s := sampler(keys, opts)
	if err := add(ctx, s, table); err != nil {
		return nil, err
	}
	return grid(ctx, s, c)
}

func sampler(keys []arrowsort.Key, opts arrowsort.Options) *curve.Sampler {
	return curve.NewSampler(pathsOf(keys), working(opts))
}

func grid(ctx context.Context, s *curve.Sampler, c arrowsort.Curve) (*Order, error) {
	g, err := s.Grid(ctx)
	if err != nil {
		return nil, err
	}
	return &Order{c, g}, nil
}

func add(ctx context.Context, s *curve.Sampler, table arrow.Table) error {
	var in adapter.Input
	if err := in.Open(table); err != nil {
		return err
	}
	return s.Add(ctx, &in)
}

// Codes returns the places of the rows of a table on the curve as a table of Column, which the caller releases.
func (o *Order) Codes(ctx context.Context, table arrow.Table, keys []arrowsort.Key, opts arrowsort.Options) (
	arrow.Table, error) {
	var in adapter.Input
	if err := in.Open(table); err != nil {
		return nil, err
	}
	work := working(opts)
	bytes, err := engine.Allocate(work.Allocator, in.Rows*arrow.Uint64SizeBytes)
	if err != nil {
		return nil, err
	}
	places := memory.NewBufferWithAllocator(bytes, work.Allocator)
	defer places.Release()
	codes := arrow.Uint64Traits.CastFromBytes(bytes)
	if err := o.grid.Codes(ctx, o.Curve, &in, pathsOf(keys), codes, work); err != nil {
		return nil, err
	}
	data := array.NewData(Column.Type, in.Rows, []*memory.Buffer{nil, places}, nil, 0, 0)
	defer data.Release()
	column := array.NewUint64Data(data)
	defer column.Release()
	return array.NewTableFromSlice(arrow.NewSchema([]arrow.Field{Column}, nil), [][]arrow.Array{{column}}), nil
}

// Coded returns a table with the places of its rows on the curve as a further column. The caller releases it.
func (o *Order) Coded(ctx context.Context, table arrow.Table, keys []arrowsort.Key, opts arrowsort.Options) (
	arrow.Table, error) {
	codes, err := o.Codes(ctx, table, keys, opts)
	if err != nil {
		return nil, err
	}
	defer codes.Release()
	columns := make([]arrow.Column, table.NumCols()+1)
	for i := range columns[:table.NumCols()] {
		columns[i] = *table.Column(i)
	}
	columns[table.NumCols()] = *codes.Column(0)
	return array.NewTable(dataset.WithColumn(table.Schema(), Column), columns, table.NumRows()), nil
}

// pathsOf returns keys as package curve takes them.
func pathsOf(keys []arrowsort.Key) []keypath.Key {
	paths := make([]keypath.Key, len(keys))
	for i, k := range keys {
		paths[i] = keypath.Of(k.Path, k.At, k.Order, k.Nulls, k.Function, k.Collation)
	}
	return paths
}

// working returns the options of package curve.
func working(opts arrowsort.Options) curve.Options {
	return curve.Options{Allocator: allocators.Unzeroed(opts.Allocator), Threads: opts.Threads}
}
