package arrow18

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/bridge"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// Merge merges inputs that are in the order of the keys into one: arrowsort.Merge for data of v18. Schema, types and
// metadata of the result, which the caller releases, are those of the first input.
func Merge[T Data](ctx context.Context, inputs []T, keys []arrowsort.Key, opts Options) (T, error) {
	var none T
	shared, cores := &convert.BufferMap{}, make([]arrowsort.Data, len(inputs))
	for i, input := range inputs {
		core, err := bridge.Borrow(input, shared)
		if err != nil {
			return none, bridge.Translate(fmt.Errorf("input %d: %w", i, err))
		}
		defer core.Release()
		cores[i] = core
	}
	merged, err := arrowsort.Merge(ctx, cores, keys, opts.core())
	if err != nil {
		return none, bridge.Translate(err)
	}
	return result(inputs[0], merged, shared)
}

// MergeReaders is Merge for streams: arrowsort.MergeReaders for readers of v18. Records have at most
// Options.BatchRows rows and the schema of the first reader.
//
// The result keeps a reference to each reader until it is released. A record is valid until the next call of Next,
// unless it is retained.
func MergeReaders(
	ctx context.Context, readers []array.RecordReader, keys []arrowsort.Key, opts Options,
) (array.RecordReader, error) {
	for i, r := range readers {
		if adapter.IsNil(r) || r.Schema() == nil {
			return nil, bridge.Translate(fmt.Errorf("%w: reader %d is nil, or its schema is", arrowsort.ErrOption, i))
		}
	}
	if i, k, ok := adapter.Repeated(readers); ok {
		return nil, bridge.Translate(fmt.Errorf("%w: readers %d and %d are the same, whose rows can be read only once",
			arrowsort.ErrOption, i, k))
	}
	sources := make([]array15.RecordReader, len(readers))
	for i, r := range readers {
		s, err := bridge.NewSource(r)
		if err != nil {
			return nil, bridge.Translate(fmt.Errorf("input %d: %w", i, err))
		}
		defer s.Release()
		sources[i] = s
	}
	core, err := arrowsort.MergeReaders(ctx, sources, keys, opts.core())
	if err != nil {
		return nil, bridge.Translate(err)
	}
	return bridge.NewReader(core, readers[0].Schema()), nil
}
