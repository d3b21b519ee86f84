//go:build cuda && linux && amd64

package gpu

import (
	"testing"

	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A drawnKey is a key column of a distribution.
type drawnKey struct {
	kind  keyencode.Kind
	name  string // of the distribution
	nulls int    // percent
	low   bool   // the lowest bits of the draw rather than the top ones
}

// TestKeysAsOneColumn sorts by several keys that are read as one column: their types have no more values than a number,
// or a sample finds ranges that do.
func TestKeysAsOneColumn(t *testing.T) {
	e := openForTest(t)
	e.tuning.SmallSortRows, e.tuning.KeysRows, e.tuning.RangesRows = 0, 0, 0
	const sorted, declined, either = 1, 2, 3
	mode := 0
	check := func(rows, want int, drawn ...drawnKey) {
		t.Helper()
		var keys []numberKey
		for _, d := range drawn {
			k := numberKey{kind: d.kind, null: percent(d.nulls, uint64(mode))}
			bytes := max(1, k.bytes())
			if d.low {
				bytes = 8
			}
			k.value = draws[d.name].by(rows, bytes, uint64(mode))
			keys = append(keys, k.in(mode))
			mode++
		}
		d := checkNumbers(t, e, "as one column", rows, keys...).Decision
		is := declined
		if d.Accepted == 1 {
			is = sorted
		}
		expect(t, e, is&want != 0, "%d rows by %+v: reason %d", rows, drawn, d.Reason)
		mode++
	}
	key := func(kind keyencode.Kind, nulls int) drawnKey { return drawnKey{kind, "uniform", nulls, false} }
	int8s, int16s, int32s, int64s := keyencode.Int8, keyencode.Int16, keyencode.Int32, keyencode.Int64
	for _, rows := range []int{20_000, 2 * kernels.PartitionWideTile, 2*kernels.PartitionWideTile + 1} {
		check(rows, sorted, key(int32s, 0), key(keyencode.Uint32, 0))
		check(rows, sorted, key(int16s, 0), key(keyencode.Float32, 10), key(keyencode.Uint8, 30))
		check(rows, either, key(keyencode.Bool, 20), drawnKey{int32s, "low bits", 5, true}, key(keyencode.Float16, 0))
		check(rows, sorted, key(keyencode.Float32, 0), key(keyencode.Float32, 25))
	}
	check(20_000, either, drawnKey{int32s, "five values", 0, false}, key(int32s, 0))
	check(9000, either, drawnKey{int32s, "constant", 0, false}, drawnKey{int32s, "sorted", 0, false})
	for _, rows := range []int{2, 33, 300} {
		check(rows, either, key(int16s, 0), key(int16s, 0), key(int8s, 0))
	}
	for _, nulls := range []int{0, 15} { // ranges of a sample
		want := sorted
		if nulls > 0 {
			want = either
		}
		range24 := drawnKey{int32s, "24-bit range", 0, false}
		check(30_000, want, key(int16s, nulls), drawnKey{int64s, "40 live bits", 0, true})
		check(20_000, want, drawnKey{keyencode.Uint64, "32 live bits", nulls, true}, range24)
		check(20_000, sorted, range24, key(keyencode.Uint32, nulls), key(int8s, 0))
	}
	check(9000, sorted, key(int64s, 0), key(int8s, 0))
	for _, rows := range []int{20_000, 25_001, 30_000, 30_007, 40_003} { // values that a sample does not see
		check(rows, either, key(int16s, 0), drawnKey{int64s, "two outliers", 0, true})
		check(rows, declined, drawnKey{int64s, "one odd value", 0, true}, key(int32s, 0))
		check(rows, either, drawnKey{int64s, "two outliers", 20, true}, key(keyencode.Float32, 0))
	}
	check(9000, either, key(keyencode.Float64, 0), key(int64s, 0))
}
