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
