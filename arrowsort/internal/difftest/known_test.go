package difftest

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// fromJSON is an array, released when the test ends.
func fromJSON(t *testing.T, mem memory.Allocator, typ arrow.DataType, json string) arrow.Array {
	t.Helper()
	arr, _, err := array.FromJSON(mem, typ, strings.NewReader(json), array.WithUseNumber())
	require.NoError(t, err)
	t.Cleanup(arr.Release)
	return arr
}

// floatChunks is a chunked float64 column; nil stands for null.
func floatChunks(t *testing.T, mem memory.Allocator, chunks ...[]any) *arrow.Chunked {
	var arrays []arrow.Array
	for _, values := range chunks {
		b := array.NewFloat64Builder(mem)
		for _, v := range values {
			if f, ok := v.(float64); ok {
				b.Append(f)
			} else {
				b.AppendNull()
			}
		}
		arrays = append(arrays, b.NewArray())
		b.Release()
	}
	chunked := arrow.NewChunked(arrow.PrimitiveTypes.Float64, arrays)
	for _, a := range arrays {
		a.Release()
	}
	t.Cleanup(chunked.Release)
	return chunked
}

func requireRows(t *testing.T, mem memory.Allocator, data arrowsort.Data, want []uint64, keys ...arrowsort.Key) {
	t.Helper()
	rows, err := arrowsort.SortIndices(t.Context(), data, keys, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer rows.Release()
	require.Equal(t, want, append([]uint64{}, rows.Uint64Values()...), "keys %+v", keys)
}

const (
	ascending, descending = arrowsort.Ascending, arrowsort.Descending
	atEnd, atStart        = arrowsort.NullsAtEnd, arrowsort.NullsAtStart
)

var nan = math.NaN()

// TestNaNsAcrossChunks is a case that arrow-go v18.8 gets wrong: NaNs of a later chunk end up among the values.
func TestNaNsAcrossChunks(t *testing.T) {
	mem := arrowtest.Checked(t)
	chunked := floatChunks(t, mem, []any{1.0, nan, 5.0}, []any{3.0, nan, 7.0})
	requireRows(t, mem, chunked, []uint64{0, 3, 2, 5, 1, 4}, arrowsort.Key{Order: ascending, Nulls: atEnd})
	requireRows(t, mem, chunked, []uint64{5, 2, 3, 0, 1, 4}, arrowsort.Key{Order: descending, Nulls: atEnd})
	requireRows(t, mem, chunked, []uint64{1, 4, 0, 3, 2, 5}, arrowsort.Key{Order: ascending, Nulls: atStart})
	requireRows(t, mem, chunked, []uint64{1, 4, 5, 2, 3, 0}, arrowsort.Key{Order: descending, Nulls: atStart})
}

// TestNoChunks is another one: it fails on a chunked array without chunks.
func TestNoChunks(t *testing.T) {
	mem := arrowtest.Checked(t)
	empty := arrow.NewChunked(arrow.PrimitiveTypes.Float64, nil)
	t.Cleanup(empty.Release)
	requireRows(t, mem, empty, []uint64{})
	sorted, err := arrowsort.Sort(t.Context(), empty, nil, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	require.Zero(t, sorted.Len())
	sorted.Release()
}

// TestNullsDoNotFlip is what cuDF does otherwise: its nulls change sides with the direction.
func TestNullsDoNotFlip(t *testing.T) {
	mem := arrowtest.Checked(t)
	arr := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[2, null, 1, null, 3]`)
	requireRows(t, mem, arr, []uint64{2, 0, 4, 1, 3}, arrowsort.Key{Order: ascending, Nulls: atEnd})
	requireRows(t, mem, arr, []uint64{4, 0, 2, 1, 3}, arrowsort.Key{Order: descending, Nulls: atEnd})
	requireRows(t, mem, arr, []uint64{1, 3, 2, 0, 4}, arrowsort.Key{Order: ascending, Nulls: atStart})
	requireRows(t, mem, arr, []uint64{1, 3, 4, 0, 2}, arrowsort.Key{Order: descending, Nulls: atStart})
}

// TestZerosTie is what arrow-rs does otherwise: it puts -0.0 before 0.0, and NaNs in an order of their bits.
func TestZerosTie(t *testing.T) {
	mem := arrowtest.Checked(t)
	minus := math.Copysign(0, -1)
	chunked := floatChunks(
		t, mem, []any{0.0, minus, math.Float64frombits(math.MaxUint64), 0.0, minus, nan, -1.0, 1.0, nil},
	)
	requireRows(t, mem, chunked, []uint64{6, 0, 1, 3, 4, 7, 2, 5, 8}, arrowsort.Key{Order: ascending, Nulls: atEnd})
	requireRows(t, mem, chunked, []uint64{7, 0, 1, 3, 4, 6, 2, 5, 8}, arrowsort.Key{Order: descending, Nulls: atEnd})
	requireRows(t, mem, chunked, []uint64{8, 2, 5, 6, 0, 1, 3, 4, 7}, arrowsort.Key{Order: ascending, Nulls: atStart})
	requireRows(t, mem, chunked, []uint64{8, 2, 5, 7, 0, 1, 3, 4, 6}, arrowsort.Key{Order: descending, Nulls: atStart})
}

// TestNarrowingTraps are keys at which shortcuts of radix sorts fail: the ends of a type (its width overflows, its ends
// look like sentinels), a largest value of 0, and bits that differ between far rows only.
func TestNarrowingTraps(t *testing.T) {
	mem := arrowtest.Checked(t)
	for _, c := range []struct {
		typ  arrow.DataType
		json string
		want []uint64
	}{
		{arrow.PrimitiveTypes.Int64, `[0, 9223372036854775807, -9223372036854775808, null, -1, 9223372036854775807]`,
			[]uint64{2, 4, 0, 1, 5, 3}},
		{arrow.PrimitiveTypes.Uint64, `[18446744073709551615, null, 0, 18446744073709551614]`, []uint64{2, 3, 0, 1}},
		{arrow.PrimitiveTypes.Int64, `[0, -3, 0, -9223372036854775808]`, []uint64{3, 1, 0, 2}},
		{arrow.PrimitiveTypes.Uint8, `[255, 0, null, 254, 255, null, 1]`, []uint64{1, 6, 3, 0, 4, 2, 5}},
		{arrow.PrimitiveTypes.Int8, `[127, -128, null, 126, -127]`, []uint64{1, 4, 3, 0, 2}},
	} {
		arr := fromJSON(t, mem, c.typ, c.json)
		requireRows(t, mem, arr, c.want)
		// Descending keeps ties and nulls where they are.
		values := len(c.want) - arr.NullN()
		want := slices.Clone(c.want)
		slices.Reverse(want[:values])
		for i := 1; i < values; i++ {
			if arr.ValueStr(int(want[i-1])) == arr.ValueStr(int(want[i])) {
				want[i-1], want[i] = want[i], want[i-1]
			}
		}
		requireRows(t, mem, arr, want, arrowsort.Key{Order: descending})
	}
	const rows = 200_000
	b := array.NewInt64Builder(mem)
	defer b.Release()
	want := make([]uint64, 0, rows)
	for i := range rows {
		b.Append(1<<40 - int64(i>>16)<<32) // four values, far apart
	}
	for block := 3; block >= 0; block-- {
		for i := block << 16; i < min(rows, (block+1)<<16); i++ {
			want = append(want, uint64(i))
		}
	}
	far := b.NewArray()
	defer far.Release()
	requireRows(t, mem, far, want)
}
