package arrowsort_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// places returns those of SearchSorted on both sides.
func places(t *testing.T, mem memory.Allocator, data, values arrowsort.Data, keys ...arrowsort.Key) (l, r []uint64) {
	for side, out := range map[arrowsort.Side]*[]uint64{arrowsort.Left: &l, arrowsort.Right: &r} {
		got, err := arrowsort.SearchSorted(t.Context(), data, values, keys, side, arrowsort.Options{Allocator: mem})
		require.NoError(t, err)
		*out = slices.Clone(got.Uint64Values())
		got.Release()
	}
	return l, r
}

func TestSearchSorted(t *testing.T) {
	mem := arrowtest.Checked(t)
	data := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[1, 3, 3, 3, 7, null]`)
	values := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[3, 0, 8, null, 7, 2]`)
	left, right := places(t, mem, data, values)
	require.Equal(t, []uint64{1, 0, 5, 5, 4, 1}, left)
	require.Equal(t, []uint64{4, 0, 5, 6, 5, 1}, right)
}

func TestSearchSortedDescendingWithNullsFirst(t *testing.T) {
	mem := arrowtest.Checked(t)
	b := array.NewFloat64Builder(mem)
	defer b.Release()
	b.AppendNull()
	b.AppendValues([]float64{math.NaN(), math.Inf(1), 2, 0, math.Copysign(0, -1), -1}, nil)
	data := b.NewArray()
	defer data.Release()
	b.AppendNull()
	b.AppendValues([]float64{0, -math.NaN(), 3, math.Inf(-1)}, nil)
	values := b.NewArray()
	defer values.Release()
	left, right := places(t, mem, data, values,
		arrowsort.Key{Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart})
	require.Equal(t, []uint64{0, 4, 1, 3, 7}, left)
	require.Equal(t, []uint64{1, 6, 2, 3, 7}, right)
}

// TestSearchSortedOfManyWords has keys that take several words each, so that ties go on from word to word.
func TestSearchSortedOfManyWords(t *testing.T) {
	mem := arrowtest.Checked(t)
	text, number := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	data := record(t, []string{"s", "n"},
		fromJSON(t, mem, text, `["a long prefix and a", "a long prefix and b", "a long prefix and b", "b"]`),
		fromJSON(t, mem, number, `[5, -9000000000000000000, 9000000000000000000, 0]`))
	values := record(t, []string{"x", "y"},
		fromJSON(t, mem, text, `["a long prefix and b", "a long prefix and b", "a long prefix", "b"]`),
		fromJSON(t, mem, number, `[9000000000000000000, 0, 0, 0]`))
	left, right := places(t, mem, data, values, arrowsort.Key{Path: "s"}, arrowsort.Key{Path: "n"})
	require.Equal(t, []uint64{2, 2, 0, 3}, left)
	require.Equal(t, []uint64{3, 2, 0, 4}, right)
}

// TestSearchSortedByFields has keys that are fields of structs, the values plain columns, and a struct key.
func TestSearchSortedByFields(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := arrow.StructOf(
		arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8, Nullable: true},
		arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true},
	)
	structs := fromJSON(t, mem, typ,
		`[{"a": 1, "b": "x"}, {"a": 1, "b": "z"}, {"a": 2, "b": "a"}, {"a": null, "b": "q"}, null]`)
	data := record(t, []string{"s"}, structs)
	left, right := places(t, mem, data,
		record(t, []string{"v"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[1, null, 3]`)),
		arrowsort.Key{Path: "s.a"})
	require.Equal(t, []uint64{0, 3, 3}, left)
	require.Equal(t, []uint64{2, 5, 3}, right)

	left, right = places(t, mem, structs,
		fromJSON(t, mem, typ, `[{"a": 1, "b": "y"}, null, {"a": 2, "b": "a"}, {"a": null, "b": "q"}]`))
	require.Equal(t, []uint64{1, 4, 2, 3}, left)
	require.Equal(t, []uint64{1, 5, 3, 4}, right)
}

func TestSearchSortedOfNothing(t *testing.T) {
	mem := arrowtest.Checked(t)
	none := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[]`)
	some := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[4, null]`)
	left, right := places(t, mem, none, some)
	require.Equal(t, []uint64{0, 0}, left)
	require.Equal(t, []uint64{0, 0}, right)
	left, right = places(t, mem, some, none)
	require.Empty(t, left)
	require.Empty(t, right)
}

// TestSearchSortedOfManyRows compares strips of sorted words, for many values, and a few without them, with bisections.
func TestSearchSortedOfManyRows(t *testing.T) {
	mem := arrowtest.Checked(t)
	r := rand.New(rand.NewPCG(5, 5))
	for _, most := range []uint64{1000, math.MaxUint64} { // with ties and the greatest number
		for _, rows := range []int{1, 1<<14 - 1, 1 << 14, 100_000} {
			for _, searched := range []int{3, rows/128 + 1, 70_000} {
				data, values := drawUint64(r, mem, rows, most), drawUint64(r, mem, searched, most)
				sorted := slices.Clone(data.Uint64Values())
				slices.Sort(sorted)
				copy(data.Uint64Values(), sorted)
				left, right := places(t, mem, data, values)
				for i, v := range values.Uint64Values() {
					want, _ := slices.BinarySearch(sorted, v)
					require.EqualValues(t, want, left[i], "%d of %d rows", i, rows)
					if v < math.MaxUint64 {
						want, _ = slices.BinarySearch(sorted, v+1)
					} else {
						want = len(sorted)
					}
					require.EqualValues(t, want, right[i], "%d of %d rows", i, rows)
				}
				data.Release()
				values.Release()
			}
		}
	}
}

func drawUint64(r *rand.Rand, mem memory.Allocator, n int, most uint64) *array.Uint64 {
	b := array.NewUint64Builder(mem)
	defer b.Release()
	for range n {
		b.Append(min(r.Uint64(), r.Uint64(), most-1)%most + uint64(r.IntN(2)))
	}
	if most == math.MaxUint64 && n > 0 {
		b.Append(most)
	}
	return b.NewUint64Array()
}

func TestSearchSortedLimit(t *testing.T) {
	mem := arrowtest.Checked(t)
	data := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[1, 2, 3]`)
	values := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[3, 1, 2]`)
	got, err := arrowsort.SearchSorted(t.Context(), data, values, nil, arrowsort.Left,
		arrowsort.Options{Allocator: mem, Limit: 2})
	require.NoError(t, err)
	defer got.Release()
	require.Equal(t, []uint64{2, 0}, got.Uint64Values())
}

func TestSearchSortedErrors(t *testing.T) {
	mem := arrowtest.Checked(t)
	number := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[1, 3, 2, 0]`)
	sorted := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[1, 2, 3, 4]`)
	text := fromJSON(t, mem, arrow.BinaryTypes.String, `["1"]`)
	list := fromJSON(t, mem, arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval), `[[]]`)
	data := record(t, []string{"n"}, sorted)
	one := []arrowsort.Key{{Path: "n"}}
	for _, c := range []struct {
		data, values arrowsort.Data
		keys         []arrowsort.Key
		side         arrowsort.Side
		opts         arrowsort.Options
		err          error
		says         string
	}{
		{number, sorted, nil, 0, arrowsort.Options{}, arrowsort.ErrUnsorted, "row 2 of the data sorts before row 1"},
		{sorted, text, nil, 0, arrowsort.Options{}, arrowsort.ErrSchema, "type utf8, its key #0 type int64"},
		{data, data, append(one, one...), 0, arrowsort.Options{}, arrowsort.ErrSchema, "1 columns for 2 keys"},
		{data, sorted, nil, 0, arrowsort.Options{}, arrowsort.ErrNoKeys, ""},
		{data, sorted, []arrowsort.Key{{Path: "m"}}, 0, arrowsort.Options{}, arrowsort.ErrColumn, `"m"`},
		{list, list, nil, 0, arrowsort.Options{}, arrowsort.ErrKeyType, "#0.item"},
		{list, text, nil, 0, arrowsort.Options{}, arrowsort.ErrKeyType, "key #0.item has type day_time_interval"},
		{data, sorted, one, 2, arrowsort.Options{}, arrowsort.ErrOption, "side 2"},
		{data, nil, one, 0, arrowsort.Options{}, arrowsort.ErrOption, "type <nil>"},
		{data, sorted, one, 0, arrowsort.Options{Limit: -1}, arrowsort.ErrOption, "Limit"},
		{data, sorted, []arrowsort.Key{{Path: "n", Order: 2}}, 0, arrowsort.Options{}, arrowsort.ErrOption, "order 2"},
	} {
		c.opts.Allocator = mem
		_, err := arrowsort.SearchSorted(t.Context(), c.data, c.values, c.keys, c.side, c.opts)
		require.ErrorIs(t, err, c.err)
		require.ErrorContains(t, err, c.says)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := arrowsort.SearchSorted(ctx, sorted, sorted, nil, arrowsort.Left, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, context.Canceled)
}

// TestSearchSortedByAStructWithoutFields: all rows tie.
func TestSearchSortedByAStructWithoutFields(t *testing.T) {
	mem := arrowtest.Checked(t)
	data := array.NewData(arrow.StructOf(), 3, []*memory.Buffer{nil}, nil, 0, 0)
	defer data.Release()
	rows := array.MakeFromData(data)
	defer rows.Release()
	for side, want := range map[arrowsort.Side]uint64{arrowsort.Left: 0, arrowsort.Right: 3} {
		places, err := arrowsort.SearchSorted(t.Context(), rows, rows, nil, side, arrowsort.Options{Allocator: mem})
		require.NoError(t, err)
		require.Equal(t, []uint64{want, want, want}, places.Uint64Values())
		places.Release()
	}
}
