package functions

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// SearchSorted is search_sorted of Arrow C++: it returns the place of each needle in values, which are in the ascending
// order of sort_indices with nulls at the start or at the end: an array or a chunked array each. The place of a null is
// null.
func SearchSorted(
	ctx context.Context, values, needles arrowsort.Data, side arrowsort.Side, opts arrowsort.Options,
) (*array.Uint64, error) {
	sides, err := placements(values)
	if err != nil {
		return nil, err
	}
	places, err := placesIn(ctx, values, needles, sides[0], side, opts)
	if len(sides) > 1 && errors.Is(err, arrowsort.ErrUnsorted) {
		if other, failed := placesIn(ctx, values, needles, sides[1], side, opts); failed == nil {
			places, err = other, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return withNulls(ctx, places, needles, opts.Allocator)
}

func placesIn(
	ctx context.Context, values, needles arrowsort.Data, nulls arrowsort.NullPlacement, side arrowsort.Side,
	opts arrowsort.Options,
) (*array.Uint64, error) {
	return arrowsort.SearchSorted(ctx, values, needles, []arrowsort.Key{{Nulls: nulls}}, side, opts)
}

// placements returns the sides that nulls, and NaNs with them, may be on: that of the nulls, or both without any, where
// only NaNs show it.
func placements(values arrowsort.Data) (sides []arrowsort.NullPlacement, err error) {
	defer arraydata.Guard(&err)
	first, last := false, false // null
	some := false
	for _, chunk := range chunksOf(values) {
		if n := chunk.Len(); n > 0 {
			if last = arraydata.IsNull(chunk, n-1); !some {
				first, some = arraydata.IsNull(chunk, 0), true
			}
		}
	}
	switch {
	case last:
		return []arrowsort.NullPlacement{arrowsort.NullsAtEnd}, nil
	case first:
		return []arrowsort.NullPlacement{arrowsort.NullsAtStart}, nil
	}
	return []arrowsort.NullPlacement{arrowsort.NullsAtEnd, arrowsort.NullsAtStart}, nil
}

// withNulls returns places, which it takes over, with nulls for those of needles that are null.
func withNulls(
	ctx context.Context, places *array.Uint64, needles arrowsort.Data, mem memory.Allocator,
) (*array.Uint64, error) {
	var valid *memory.Buffer
	nulls, row := 0, 0
	for _, chunk := range chunksOf(needles) {
		for i := range chunk.Len() {
			if i%(1<<16) == 0 && ctx.Err() != nil {
				places.Release()
				return nil, context.Cause(ctx)
			}
			if !arraydata.IsNull(chunk, i) {
				row++
				continue
			}
			if valid == nil {
				var err error
				if valid, err = ones(places.Len(), mem); err != nil {
					places.Release()
					return nil, err
				}
				defer valid.Release()
			}
			bitutil.ClearBit(valid.Bytes(), row)
			places.Uint64Values()[row] = 0
			nulls++
			row++
		}
	}
	if nulls == 0 {
		return places, nil
	}
	defer places.Release()
	buffers := []*memory.Buffer{valid, places.Data().Buffers()[1]}
	data := array.NewData(places.DataType(), places.Len(), buffers, nil, nulls, places.Data().Offset())
	defer data.Release()
	return array.NewUint64Data(data), nil
}

// ones returns a bitmap of n ones.
func ones(n int, mem memory.Allocator) (*memory.Buffer, error) {
	bits, err := engine.Allocate(mem, (n+7)/8)
	if err != nil {
		return nil, err
	}
	for i := range bits {
		bits[i] = 0xff
	}
	return memory.NewBufferWithAllocator(bits, mem), nil
}

func chunksOf(data arrowsort.Data) []arrow.Array {
	if c, ok := data.(*arrow.Chunked); ok {
		return c.Chunks()
	}
	return []arrow.Array{data.(arrow.Array)}
}
