package take

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// ChildRows are the rows of a child that lists refer to, in the order of the lists. They need memory only where they do
// not follow one another.
type ChildRows struct {
	begin, end int // of the rows, while they follow one another
	Count      int
	rows       []uint64 // else
}

// Add adds the rows from begin on and before end.
func (r *ChildRows) Add(begin, end int) {
	switch {
	case begin == end:
		return
	case r.Count == 0:
		r.begin, r.end = begin, end
	case r.rows == nil && begin == r.end:
		r.end = end
	default:
		if r.rows == nil {
			r.extend(r.begin, r.end)
		}
		r.extend(begin, end)
	}
	r.Count += end - begin
}

func (r *ChildRows) extend(begin, end int) {
	for row := begin; row < end; row++ {
		r.rows = append(r.rows, uint64(row))
	}
}

// Of returns the rows of a child. The caller releases it.
func (r *ChildRows) Of(child arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	if r.rows == nil {
		return array.NewSliceData(child, int64(r.begin), int64(r.end)), nil
	}
	whole := array.MakeFromData(child)
	defer whole.Release()
	opts := Options{Allocator: mem, Threads: 1}
	taken, err := Take(context.Background(), child.DataType(), []arrow.Array{whole}, r.rows, opts)
	if err != nil {
		return nil, err
	}
	defer taken[0].Release()
	taken[0].Data().Retain()
	return taken[0].Data(), nil
}
