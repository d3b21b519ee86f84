package tablefile

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// childRows are the rows of a child that lists refer to, in the order of the lists. They need memory only where they do
// not follow one another.
type childRows struct {
	begin, end int // of the rows, while they follow one another
	count      int
	rows       []uint64 // else
}

// add adds the rows from begin on and before end.
func (r *childRows) add(begin, end int) {
	switch {
	case begin == end:
		return
	case r.count == 0:
		r.begin, r.end = begin, end
	case r.rows == nil && begin == r.end:
		r.end = end
	default:
		if r.rows == nil {
			r.extend(r.begin, r.end)
		}
		r.extend(begin, end)
	}
	r.count += end - begin
}

func (r *childRows) extend(begin, end int) {
	for row := begin; row < end; row++ {
		r.rows = append(r.rows, uint64(row))
	}
}

// of returns the rows of a child. The caller releases it.
func (r *childRows) of(child arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	if r.rows == nil {
		return array.NewSliceData(child, int64(r.begin), int64(r.end)), nil
	}
	whole := array.MakeFromData(child)
	defer whole.Release()
	opts := take.Options{Allocator: mem, Threads: 1}
	taken, err := take.Take(context.Background(), child.DataType(), []arrow.Array{whole}, r.rows, opts)
	if err != nil {
		return nil, err
	}
	defer releaseAll(taken)
	taken[0].Data().Retain()
	return taken[0].Data(), nil
}
