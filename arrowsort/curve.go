package arrowsort

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/curve"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Curve is a space-filling curve over several keys: an order of the rows in which rows that are near each other are
// near in every key, so that readers of files skip rows by filters on any of them. The zero value is none.
type Curve = keyencode.Curve

// The curves.
const (
	// Hilbert is the curve to take: it passes from each cell to a neighbour.
	Hilbert = keyencode.Hilbert
	// ZOrder compares the bits of all keys in turn, as other tools do. It jumps, and costs a little less.
	ZOrder = keyencode.ZOrder
)

// CurveIndex returns the place of each row of the data on a curve over 2 to 8 keys of any type that Sort sorts, but no
// lists, maps or unions. Rows sorted by these numbers follow the curve; SortIndices of them keeps ties in the order of
// the rows.
//
// The coordinate of a row in a key is the rank of its value among those of a sample of 16,384 rows, which the numbers
// of the rows choose: equal numbers of rows lie between equal distances, whatever the distribution of the values. Order
// and Nulls of a key place NaNs and nulls and give the direction. The coordinates divide 64 bits evenly; up to 16 of
// them are used. Values that the sample does not tell apart have one coordinate: 512 or more differ for each key. Of
// text only the first 64 bytes count.
//
// The numbers depend on the rows and the keys, and not on chunks or threads. Those of other data do not compare with
// them. Package parquetsort sorts files of any size in this order.
//
// The result has a number for each row; the caller releases it. Temporary memory is 8 bytes per row. It fails with
// ErrOption for another curve, for fewer than 2 or more than 8 keys, and for a column that is a key twice; otherwise
// with the errors of SortIndices. Source: C. Hamilton, "Compact Hilbert Indices", 2006.
func CurveIndex(ctx context.Context, data Data, keys []Key, c Curve, opts Options) (_ *array.Uint64, err error) {
	defer translated(&err)
	if opts, err = opts.resolved(ctx, operation{name: "CurveIndex"}); err != nil {
		return nil, err
	}
	var d dataset
	if err := d.Open(data); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%w; a curve has %d to %d", ErrNoKeys, keyencode.MinCurveKeys, keyencode.MaxCurveKeys)
	}
	if err := curve.CheckKeys(c, len(keys)); err != nil {
		return nil, err
	}
	if int64(d.Rows) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d; give fewer than 2^32 at once", ErrRows, d.Rows)
	}
	paths := make([]keypath.Key, len(keys))
	for i, k := range keys {
		paths[i] = keypath.Of(k.Path, k.At, k.Order, k.Nulls, k.Function, k.Collation)
	}
	work := curve.Options{Allocator: opts.Allocator, Threads: opts.Threads}
	sampler := curve.NewSampler(paths, work)
	if err := sampler.Add(ctx, &d.Input); err != nil {
		return nil, err
	}
	grid, err := sampler.Grid(ctx)
	if err != nil {
		return nil, err
	}
	return newUint64(ctx, d.Rows, opts.Allocator, func(codes []uint64) error {
		return grid.Codes(ctx, c, &d.Input, paths, codes, work)
	})
}
