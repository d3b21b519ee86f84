package arrowsort

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
)

// Side is the place that SearchSorted chooses among rows that tie.
type Side uint8

// The zero value is Left.
const (
	Left  Side = iota // the first place: the number of rows that sort before the value
	Right             // the last place: the number of rows that sort before the value or tie with it
)

// SearchSorted returns, for each row of values, the place in the data where it would be inserted to keep the order of
// the keys: a number from 0 to the number of rows. Places of a value on the Left and on the Right enclose the rows that
// tie with it.
//
// The data is in the order of the keys. Values have one column for each key, in the order of the keys; an array or a
// chunked array is one column. A column that is a key twice is compared with both of its columns of values. The columns
// have the values of the key's type, but may store them in another way: plain, in a dictionary with indices of any
// width, or in runs; strings with 32-bit or 64-bit offsets or as views; binary likewise, or in a fixed size. All other
// types must be equal. Nulls, NaNs and structs among the values have the place that the order gives them. Options.Limit
// searches the first rows of values only.
//
// The data is checked in one sequential read of its keys, so that searching many values at once pays. Keys,
// cancellation and ownership are those of SortIndices. Values are searched block by block: a block has the number of
// rows of the data, but at least 2^24 values. Temporary memory is 10 bytes per value of a block and 640 KiB per thread.
// Values in another layout than the data take 4 to 16 bytes each, and string views also their bytes; data of fixed-size
// binary or of a dictionary then takes 4 bytes per row.
//
// It fails with ErrUnsorted, naming the row; with ErrSchema when the columns of values do not match the keys; and with
// the errors of SortIndices, ErrRows when data and values have 2^32 rows or more together. It is search_sorted of
// Polars and searchsorted of NumPy. That of Arrow C++ returns null for a null, and takes nulls and NaNs of the data on
// either side: docs/ordering.md compares them, and package computefn has it.
func SearchSorted(ctx context.Context, data, values Data, keys []Key, side Side, opts Options) (*array.Uint64, error) {
	places, err := searchSorted(ctx, data, values, keys, side, opts)
	return arrayOf(array.NewUint64Data, places, err)
}

func searchSorted(ctx context.Context, data, values Data, keys []Key, side Side, opts Options) (*array.Data, error) {
	if err := withoutRandom("SearchSorted", keys); err != nil {
		return nil, err
	}
	opts, err := opts.resolved(ctx, operation{"SearchSorted", optionLimit})
	if err != nil {
		return nil, err
	}
	if side > Right {
		return nil, fmt.Errorf("%w: side %d; give Left or Right", ErrOption, side)
	}
	var d, v dataset
	if err := errors.Join(d.Open(data), v.Open(values)); err != nil {
		return nil, err
	}
	v.Rows = opts.limited(v.Rows)
	pairs, err := d.match(&v, keys)
	if err != nil {
		return nil, err
	}
	if int64(d.Rows)+int64(v.Rows) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: %d rows and %d values; search fewer than 2^32 together", ErrRows, d.Rows, v.Rows)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var work adapter.JobBuilder
	work.Start(ctx, &d.Input, adapter.Options{Allocator: opts.Allocator, Ranker: cpu.New(), Threads: opts.Threads})
	defer work.Release()
	work.Job.Rows = d.Rows + v.Rows
	for _, p := range pairs {
		if err := keypath.AddKeyOfBoth(&work, p.Column, &v.Input, p.values); err != nil {
			return nil, fmt.Errorf("key %s of type %s: %w", p.Name, p.Type, err)
		}
	}
	result, err := cpu.Search(ctx, &work.Job, d.Rows, side == Right, opts.Allocator)
	var unsorted *cpu.UnsortedError
	if errors.As(err, &unsorted) {
		return nil, fmt.Errorf("%w: row %d of the data sorts before row %d; sort the data by the keys first",
			ErrUnsorted, unsorted.Row, unsorted.Row-1)
	}
	if err != nil {
		return nil, err
	}
	return adapter.RowNumbers(result, arrow.PrimitiveTypes.Uint64, opts.Allocator), nil
}

// A pair is a key of the data and the leaf of the values that is compared with it.
type pair struct {
	keypath.Column
	values adapter.Leaf
}

// match finds the keys, structs expanded to their fields, and the column of values of each. A column that is a key
// twice is compared with each of its columns of values.
func (d *dataset) match(values *dataset, keys []Key) ([]pair, error) {
	keys, err := d.given(keys)
	if err != nil {
		return nil, err
	}
	if len(values.Columns) != len(keys) {
		return nil, fmt.Errorf("%w: the values have %d columns for %d keys; give one for each key",
			ErrSchema, len(values.Columns), len(keys))
	}
	var pairs []pair
	for i, k := range keys {
		found, err := keypath.Find(&d.Input, i, keypath.Of(k.Path, k.At, k.Order, k.Nulls, k.Function, k.Collation))
		if err != nil {
			return nil, err
		}
		left, err := keypath.Expand(nil, found)
		if err != nil {
			return nil, err
		}
		column := found
		column.Path, column.Name, column.Type = keypath.To(i), values.Label(i), values.Columns[i].Type
		if !adapter.SameValues(found.Type, column.Type) {
			return nil, fmt.Errorf("%w: column %s of the values has type %s, its key %s type %s; cast the values",
				ErrSchema, column.Name, column.Type, found.Name, found.Type)
		}
		right, err := keypath.Expand(nil, column)
		if err != nil {
			return nil, err
		}
		for k := range left {
			pairs = append(pairs, pair{left[k], right[k].Leaf})
		}
	}
	return pairs, nil
}
