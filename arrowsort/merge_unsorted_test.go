package arrowsort_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// TestMergeReadersOfUnsortedWindows: readers whose windows end before they begin are not in order, whatever the others
// are, and are never taken for the end of the rows.
func TestMergeReadersOfUnsortedWindows(t *testing.T) {
	mem := arrowtest.Checked(t)
	numbers := func(value func(i int64) int64) arrow.Record {
		b := array.NewInt64Builder(mem)
		defer b.Release()
		for i := range int64(6000) {
			b.Append(value(i))
		}
		a := b.NewArray()
		defer a.Release()
		return record(t, []string{"key"}, a)
	}
	rising := numbers(func(i int64) int64 { return i })
	for _, rec := range []arrow.Record{numbers(func(i int64) int64 { return -i }),
		numbers(func(i int64) int64 { return (i + 500) % 1500 })} {
		for _, pieces := range []int64{6000, 500} {
			for _, others := range [][]arrow.Record{nil, {rising}} {
				readers := []array.RecordReader{streamOf(t, rec, pieces)}
				for _, other := range others {
					readers = append(readers, streamOf(t, other, pieces))
				}
				merged, err := arrowsort.MergeReaders(t.Context(), readers, byKey(),
					arrowsort.Options{BatchRows: 100, Allocator: mem})
				require.NoError(t, err)
				for merged.Next() {
				}
				require.ErrorIs(t, merged.Err(), arrowsort.ErrUnsorted)
				require.ErrorContains(t, merged.Err(), "input 0: row ")
				merged.Release()
			}
		}
	}
}
