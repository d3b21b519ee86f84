package arrowsort

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Take returns the rows of the data that the row numbers name, in their order, with all columns. A row may be named
// more than once, or not at all.
//
// The row numbers are an array of any integer type, without nulls. With Options.Limit only the first of them are taken.
// The type of the result, ownership and cancellation are those of Sort.
//
// It fails with ErrIndex when a row number is null or out of range, or rows is no integer array; with ErrOffsets when a
// column of a record or an array would be too long; with ErrDictionary as Sort does; or with an error that matches
// engine.ErrMemory. In take of Arrow C++ a null row number makes a null row.
func Take[T Data](ctx context.Context, data T, rows arrow.Array, opts Options) (T, error) {
	return as[T](takeData(ctx, data, rows, opts))
}

func takeData(ctx context.Context, data Data, rows arrow.Array, opts Options) (Data, error) {
	opts, err := opts.resolved(ctx, operation{"Take", optionLimit})
	if err != nil {
		return nil, err
	}
	var d dataset
	if err := d.Open(data); err != nil {
		return nil, err
	}
	if rows == nil {
		return nil, fmt.Errorf("%w: the row numbers are nil", ErrOption)
	}
	var n dataset
	if err := n.Open(rows); err != nil {
		return nil, fmt.Errorf("the row numbers: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	numbers, err := newRowNumbers(rows, opts.limited(n.Rows), d.Rows, opts.Allocator)
	if err != nil {
		return nil, err
	}
	defer numbers.release()
	columns := make([][]arrow.Array, len(d.Columns))
	for i, c := range d.Columns {
		if columns[i], err = numbers.take(ctx, c, opts, d.splits()); err != nil {
			adapter.ReleaseAll(columns)
			return nil, fmt.Errorf("column %s: %w", d.Label(i), err)
		}
	}
	return d.assemble(columns, numbers.count), nil
}

// rowNumbers are checked row numbers: narrow ones, or wide ones for data of 2^32 rows and more.
type rowNumbers struct {
	count  int
	narrow []uint32
	wide   []uint64
	mem    memory.Allocator
	buf    []byte // temporary memory that holds them; nil when they are borrowed
}

func (n *rowNumbers) release() {
	if n.buf != nil {
		n.mem.Free(n.buf)
		n.buf = nil
	}
}

// take gathers a column.
func (n *rowNumbers) take(ctx context.Context, c adapter.Column, opts Options, split bool) ([]arrow.Array, error) {
	o := take.Options{Allocator: opts.Allocator, Threads: opts.Threads, Split: split}
	if n.wide != nil {
		return take.Take(ctx, c.Type, c.Chunks, n.wide, o)
	}
	return take.Take(ctx, c.Type, c.Chunks, n.narrow, o)
}

// newRowNumbers checks the first count of rows against data of limit rows.
func newRowNumbers(rows arrow.Array, count, limit int, mem memory.Allocator) (*rowNumbers, error) {
	if rows.Data().NullN() != 0 {
		for i := range count {
			if rows.IsNull(i) {
				return nil, fmt.Errorf("%w: the row number at position %d is null", ErrIndex, i)
			}
		}
	}
	n := &rowNumbers{count: count, mem: mem}
	switch a := rows.(type) {
	case *array.Int8:
		return convert(n, a.Int8Values(), limit)
	case *array.Int16:
		return convert(n, a.Int16Values(), limit)
	case *array.Int32:
		return convert(n, a.Int32Values(), limit)
	case *array.Int64:
		return convert(n, a.Int64Values(), limit)
	case *array.Uint8:
		return convert(n, a.Uint8Values(), limit)
	case *array.Uint16:
		return convert(n, a.Uint16Values(), limit)
	case *array.Uint32:
		if err := check(a.Uint32Values()[:count], limit); err != nil {
			return nil, err
		}
		n.narrow = a.Uint32Values()[:count]
		return n, nil
	case *array.Uint64:
		return convert(n, a.Uint64Values(), limit)
	}
	return nil, fmt.Errorf("%w: an array of type %s; give integers", ErrIndex, rows.DataType())
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// convert checks row numbers of any integer type and brings them to the size that the data needs.
func convert[V integer](n *rowNumbers, values []V, limit int) (*rowNumbers, error) {
	values = values[:n.count]
	if err := check(values, limit); err != nil || n.count == 0 {
		return n, err
	}
	size := 4
	if int64(limit) > math.MaxUint32 {
		size = 8
	}
	var err error
	if n.buf, err = engine.Allocate(n.mem, size*n.count); err != nil {
		return nil, err
	}
	if size == 4 {
		n.narrow = arrow.Uint32Traits.CastFromBytes(n.buf)
		for i, v := range values {
			n.narrow[i] = uint32(v)
		}
		return n, nil
	}
	n.wide = arrow.Uint64Traits.CastFromBytes(n.buf)
	for i, v := range values {
		n.wide[i] = uint64(v)
	}
	return n, nil
}

// check reports the first row number that is negative or not below limit.
func check[V integer](values []V, limit int) error {
	for i, v := range values {
		if v < 0 || uint64(v) >= uint64(limit) {
			return fmt.Errorf("%w: the row number at position %d is %d, the data has %d rows", ErrIndex, i, v, limit)
		}
	}
	return nil
}
