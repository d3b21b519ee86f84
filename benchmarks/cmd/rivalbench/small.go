package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// smallTime is how long one run of a small job repeats its call; the run reports the seconds of one call.
const smallTime = 200 * time.Millisecond

// smallWork compares the row numbers of a small record with slices.SortFunc on (key, row) pairs. The pairs are copied
// from prepared ones inside the clock, because SortFunc sorts in place; taking the row numbers out again is not
// counted.
func smallWork(rec arrow.Record, keys []arrowsort.Key) (*work, error) {
	column, ok := rec.Column(0).(*array.Int64)
	if !ok || column.NullN() > 0 {
		return nil, fmt.Errorf("mode small wants an int64 first column without nulls, got %s", rec.Column(0).DataType())
	}
	type pair struct {
		key int64
		row uint32
	}
	pairs := make([]pair, column.Len())
	for row, key := range column.Int64Values() {
		pairs[row] = pair{key, uint32(row)}
	}
	scratch := make([]pair, len(pairs))
	return &work{variants: []variant{
		{"arrowsort", func(ctx context.Context) (arrow.Record, measured, error) {
			m, err := repeat(func() error {
				rows, err := arrowsort.SortIndices(ctx, rec, keys, arrowsort.Options{})
				if err == nil {
					rows.Release()
				}
				return err
			})
			if err != nil {
				return nil, m, err
			}
			result, err := argsort(ctx, rec, keys)
			return result, m, err
		}},
		{"slices", func(context.Context) (arrow.Record, measured, error) {
			m, err := repeat(func() error {
				copy(scratch, pairs)
				slices.SortFunc(scratch, func(a, b pair) int {
					return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row))
				})
				return nil
			})
			return nil, m, err
		}},
	}}, nil
}

// repeat calls f for about smallTime and returns the mean of a call.
func repeat(f func() error) (measured, error) {
	start, calls := time.Now(), 0
	for time.Since(start) < smallTime {
		for range 8 {
			if err := f(); err != nil {
				return measured{}, err
			}
			calls++
		}
	}
	return measured{Seconds: time.Since(start).Seconds() / float64(calls)}, nil
}
