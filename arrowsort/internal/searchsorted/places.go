// Package searchsorted has search_sorted of Arrow C++, for the compute functions of both versions of Arrow.
package searchsorted

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
)

// Places returns the place of each needle in values, which are in ascending order with nulls at either end: an array or
// a chunked array each. A null has none and is null. Other needles are compared with the values that are not null;
// their places count the nulls at the start. NaNs among the values are at the end of those that are not null, or at
// their start.
func Places(
	ctx context.Context, values, needles arrowsort.Data, side arrowsort.Side, opts arrowsort.Options,
) (*array.Uint64, error) {
	nulls, rest, err := withoutNulls(values)
	if err != nil {
		return nil, err
	}
	defer rest.Release()
	places, err := arrowsort.SearchSorted(ctx, rest, needles, nil, side, opts)
	if errors.Is(err, arrowsort.ErrUnsorted) {
		nansFirst := []arrowsort.Key{{Nulls: arrowsort.NullsAtStart}}
		if again, other := arrowsort.SearchSorted(ctx, rest, needles, nansFirst, side, opts); other == nil {
			places, err = again, nil
		}
	}
	if err != nil && nulls > 0 {
		return nil, fmt.Errorf("after %d nulls: %w", nulls, err)
	}
	if err != nil {
		return nil, err
	}
	for i := range places.Uint64Values() {
		places.Uint64Values()[i] += uint64(nulls)
	}
	return withNulls(ctx, places, needles, opts.Allocator)
}

// withoutNulls is the values after the nulls at the start, and how many these are; all values when all are null. The
// caller releases them.
func withoutNulls(values arrowsort.Data) (nulls int, rest arrowsort.Data, err error) {
	defer adapter.CatchMalformed(&err)
	total := 0
	leading := true
	for _, chunk := range chunksOf(values) {
		total += chunk.Len()
		for i := 0; leading && i < chunk.Len(); i++ {
			if leading = isNull(chunk, i); leading {
				nulls++
			}
		}
	}
	if nulls == 0 || nulls == total {
		values.Retain()
		return 0, values, nil
	}
	if c, ok := values.(*arrow.Chunked); ok {
		return nulls, adapter.SliceChunked(c, int64(nulls), int64(total)), nil
	}
	rest, err = adapter.Slice(values.(arrow.Array), int64(nulls), int64(total))
	return nulls, rest, err
}

// withNulls is places, which it takes over, with nulls for those of needles that are null.
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
			if !isNull(chunk, i) {
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

// ones is a bitmap of n ones.
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

// isNull reports whether the value of a row is null: the row, its entry in a dictionary, or its run.
func isNull(a arrow.Array, i int) bool {
	switch a := a.(type) {
	case *array.Null:
		return true
	case *array.Dictionary:
		return a.IsNull(i) || isNull(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return isNull(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return isNull(a.Storage(), i)
	}
	return a.IsNull(i)
}
