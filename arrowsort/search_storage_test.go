package arrowsort_test

import (
	"fmt"
	"math/rand/v2"
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

// A storage is a way to store values: as a type, in a dictionary with indices of a type, in runs.
type storage struct {
	typ   arrow.DataType
	index arrow.DataType // nil: none
	runs  bool
}

func (s storage) String() string { return fmt.Sprint(s.typ, s.index, s.runs) }

// storages are each of the types, plain, in dictionaries and in runs.
func storages(types ...arrow.DataType) (all []storage) {
	indices := []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int32,
		arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int64}
	for i, typ := range types {
		all = append(all, storage{typ: typ}, storage{typ, indices[i%5], i%2 == 0},
			storage{typ, indices[(i+2)%5], i%2 != 0})
	}
	return append(all, storage{types[0], nil, true})
}

// texts of three bytes, so that fixed-size binary has them; nil is null.
var threeBytes = []any{nil, "aaa", "aab", "abc", "abd", "b\x00\x00", "b\x00\x01", "zzz", "\xff\xff\xff"}

// ofAnyLength have prefixes in common, and more bytes than a view holds.
var ofAnyLength = []any{nil, "", "a", "a\x00", "abcdefghijkl", "abcdefghijklm", "abcdefghijklmn",
	"longer than twelve bytes", "longer than twelve bytes, too", "z"}

// store returns an array of values in a storage. Nulls are null rows and null entries by turns; there are rows before
// it.
func (s storage) store(t *testing.T, mem memory.Allocator, values []any) arrow.Array {
	values = append([]any{values[0], nil}, values...)
	b := array.NewBuilder(mem, s.typ)
	defer b.Release()
	for _, v := range values {
		text, valid := v.(string)
		to, takesStrings := b.(interface{ Append(string) })
		switch {
		case !valid:
			b.AppendNull()
		case takesStrings:
			to.Append(text)
		case s.typ.ID() == arrow.FLOAT64:
			require.NoError(t, b.AppendValueFromString(text))
		default:
			b.(interface{ Append([]byte) }).Append([]byte(text))
		}
	}
	a := b.NewArray()
	if s.index != nil {
		a = inDictionary(mem, s.index, a)
	}
	if s.runs {
		a = inRuns(mem, a)
	}
	defer a.Release()
	slice := array.NewSlice(a, 2, int64(len(values)))
	t.Cleanup(slice.Release)
	return slice
}

// inDictionary returns an array, which it takes over, with an entry for each row. Null rows of even numbers have null
// indices.
func inDictionary(mem memory.Allocator, index arrow.DataType, a arrow.Array) arrow.Array {
	defer a.Release()
	b := array.NewBuilder(mem, index)
	defer b.Release()
	for i := range a.Len() {
		if a.IsNull(i) && i%2 == 0 {
			b.AppendNull()
		} else if err := b.AppendValueFromString(fmt.Sprint(i)); err != nil {
			panic(err)
		}
	}
	indices := b.NewArray()
	defer indices.Release()
	return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: index, ValueType: a.DataType()}, indices, a)
}

// inRuns returns an array, which it takes over, with a run for each row.
func inRuns(mem memory.Allocator, a arrow.Array) arrow.Array {
	defer a.Release()
	b := array.NewInt32Builder(mem)
	defer b.Release()
	for i := range a.Len() {
		b.Append(int32(i + 1))
	}
	ends := b.NewArray()
	defer ends.Release()
	return array.NewRunEndEncodedArray(ends, a, a.Len(), 0)
}

// drawn returns n of the values.
func drawn(rng *rand.Rand, n int, of []any) []any {
	values := make([]any, n)
	for i := range values {
		values[i] = of[rng.IntN(len(of))]
	}
	return values
}

// ordered returns values as Arrow sorts them.
func ordered(values []any, key arrowsort.Key) []any {
	sorted := slices.Clone(values)
	slices.SortStableFunc(sorted, func(a, b any) int {
		x, valid := a.(string)
		y, otherValid := b.(string)
		switch {
		case valid && otherValid && key.Order == arrowsort.Descending:
			return strings.Compare(y, x)
		case valid && otherValid:
			return strings.Compare(x, y)
		case valid == otherValid:
			return 0
		case valid == (key.Nulls == arrowsort.NullsAtEnd):
			return -1
		}
		return 1
	})
	return sorted
}

// TestSearchSortedInAnyStorage searches values in each storage among data in each storage: the places are those of data
// and values of one type.
func TestSearchSortedInAnyStorage(t *testing.T) {
	fixed := &arrow.FixedSizeBinaryType{ByteWidth: 3}
	for class, of := range map[string]struct {
		types  []arrow.DataType
		values []any
	}{
		"string": {[]arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
			arrow.BinaryTypes.StringView}, ofAnyLength},
		"binary": {[]arrow.DataType{arrow.BinaryTypes.Binary, fixed, arrow.BinaryTypes.BinaryView,
			arrow.BinaryTypes.LargeBinary}, threeBytes},
	} {
		t.Run(class, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			rng := rand.New(rand.NewPCG(uint64(len(of.types)), 3))
			for i, a := range storages(of.types...) {
				for k, b := range storages(of.types...) {
					key := allKeys("")[(i+k)%4]
					sorted, wanted := ordered(drawn(rng, 30, of.values), key), drawn(rng, 12, of.values)
					one := storage{typ: of.types[0]}
					wantLeft, wantRight := places(t, mem, one.store(t, mem, sorted), one.store(t, mem, wanted), key)
					left, right := places(t, mem, a.store(t, mem, sorted), b.store(t, mem, wanted), key)
					require.Equal(t, wantLeft, left, "%s among %s", b, a)
					require.Equal(t, wantRight, right, "%s among %s", b, a)
				}
			}
		})
	}
}

// TestSearchSortedOfNumbersInAnyStorage has NaNs, zeros of both signs and nulls.
func TestSearchSortedOfNumbersInAnyStorage(t *testing.T) {
	mem := arrowtest.Checked(t)
	sorted, wanted := []any{"-1", "0", "-0", "2", "NaN", nil}, []any{"NaN", "-0", nil, "1", "3"}
	for _, a := range storages(arrow.PrimitiveTypes.Float64) {
		for _, b := range storages(arrow.PrimitiveTypes.Float64) {
			left, right := places(t, mem, a.store(t, mem, sorted), b.store(t, mem, wanted))
			require.Equal(t, []uint64{4, 1, 5, 3, 4}, left, "%s among %s", b, a)
			require.Equal(t, []uint64{5, 3, 6, 3, 4}, right, "%s among %s", b, a)
		}
	}
}

// TestSearchSortedOfEmptyDictionaries: all rows are null, as there is no entry.
func TestSearchSortedOfEmptyDictionaries(t *testing.T) {
	mem := arrowtest.Checked(t)
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
		arrow.BinaryTypes.StringView} {
		nulls := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: typ},
			fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[null]`), fromJSON(t, mem, typ, `[]`))
		t.Cleanup(nulls.Release)
		plain := fromJSON(t, mem, arrow.BinaryTypes.String, `["a", null, null]`)
		left, right := places(t, mem, plain, nulls)
		require.Equal(t, []uint64{1, 3}, append(left, right...))
		left, right = places(t, mem, nulls, plain)
		require.Equal(t, []uint64{0, 0, 0, 0, 1, 1}, append(left, right...))
	}
}

// TestSearchSortedByFieldsInAnyStorage: structs whose fields are stored otherwise, with null structs.
func TestSearchSortedByFieldsInAnyStorage(t *testing.T) {
	mem := arrowtest.Checked(t)
	structs := func(typ arrow.DataType, values string) arrow.Array {
		return fromJSON(t, mem, arrow.StructOf(arrow.Field{Name: "s", Type: typ, Nullable: true},
			arrow.Field{Name: "n", Type: arrow.PrimitiveTypes.Int8}), values)
	}
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	sorted := `[{"s": "a", "n": 1}, {"s": "a", "n": 2}, {"s": "b", "n": 0}, {"s": null, "n": 3}, null]`
	wanted := `[null, {"s": "a", "n": 2}, {"s": "aa", "n": 0}, {"s": null, "n": 3}]`
	types := []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, dictionary}
	for _, a := range types {
		for _, b := range types {
			left, right := places(t, mem, structs(a, sorted), structs(b, wanted))
			require.Equal(t, []uint64{4, 1, 2, 3}, left, "%s among %s", b, a)
			require.Equal(t, []uint64{5, 2, 2, 4}, right, "%s among %s", b, a)
		}
	}
}

// TestSearchSortedByAKeyTwice compares each of its columns of values, the later ones among rows that tie with the
// first.
func TestSearchSortedByAKeyTwice(t *testing.T) {
	mem := arrowtest.Checked(t)
	numbers := fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[1, 2, 2, 3]`)
	wanted := record(t, []string{"x", "y"}, fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 2, 2, 3]`),
		fromJSON(t, mem, arrow.PrimitiveTypes.Int8, `[2, 1, 9, null]`))
	key := arrowsort.Key{Path: "n"}
	left, right := places(t, mem, record(t, []string{"n"}, numbers), wanted, key, key)
	require.Equal(t, []uint64{1, 1, 3, 4}, left)
	require.Equal(t, []uint64{3, 1, 3, 4}, right)
	descending := arrowsort.Key{Path: "n", Order: arrowsort.Descending}
	left, right = places(t, mem, record(t, []string{"n"}, numbers), wanted, key, descending)
	require.Equal(t, []uint64{1, 3, 1, 4}, left)
	require.Equal(t, []uint64{3, 3, 1, 4}, right)
}

// TestSearchSortedOfOtherTypes: values of another type than the key are not converted.
func TestSearchSortedOfOtherTypes(t *testing.T) {
	mem := arrowtest.Checked(t)
	of := func(typ arrow.DataType) arrow.Array { return fromJSON(t, mem, typ, `[]`) }
	text, binary := of(arrow.BinaryTypes.String), of(arrow.BinaryTypes.Binary)
	number := of(arrow.PrimitiveTypes.Int64)
	for _, pair := range [][2]arrow.Array{
		{text, binary}, {text, number}, {number, of(arrow.PrimitiveTypes.Int32)}, {number, of(arrow.Null)},
		{of(arrow.FixedWidthTypes.Timestamp_s), of(arrow.FixedWidthTypes.Timestamp_ns)},
		{of(arrow.StructOf(arrow.Field{Name: "a", Type: arrow.BinaryTypes.String})),
			of(arrow.StructOf(arrow.Field{Name: "b", Type: arrow.BinaryTypes.String}))},
		{of(arrowtest.NewExtension(arrow.PrimitiveTypes.Int64)), number},
	} {
		for i := range 2 {
			opts := arrowsort.Options{Allocator: mem}
			_, err := arrowsort.SearchSorted(t.Context(), pair[i], pair[1-i], nil, 0, opts)
			require.ErrorIs(t, err, arrowsort.ErrSchema, "%s, %s", pair[i].DataType(), pair[1-i].DataType())
			require.ErrorContains(t, err, "cast the values")
		}
	}
}

// TestSearchSortedOfADamagedDictionary has an index without an entry.
func TestSearchSortedOfADamagedDictionary(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int64, ValueType: arrow.BinaryTypes.String}
	entries := fromJSON(t, mem, arrow.BinaryTypes.String, `["a"]`).Data().(*array.Data)
	plain := fromJSON(t, mem, arrow.BinaryTypes.LargeString, `["a"]`)
	for _, index := range []int64{1, -1, 1 << 32} {
		indices := memory.NewBufferBytes(arrow.Int64Traits.CastToBytes([]int64{index}))
		data := array.NewDataWithDictionary(typ, 1, []*memory.Buffer{nil, indices}, 0, 0, entries)
		damaged := array.MakeFromData(data)
		data.Release()
		for _, pair := range [][2]arrow.Array{{plain, damaged}, {damaged, plain}} {
			_, err := arrowsort.SearchSorted(t.Context(), pair[0], pair[1], nil, 0, arrowsort.Options{Allocator: mem})
			require.ErrorIs(t, err, arrow.ErrInvalid, "index %d", index)
		}
		damaged.Release()
	}
}

// TestSearchSortedOfDictionariesWithoutEntries: nulls of a dictionary of dictionaries, none of which has an entry.
func TestSearchSortedOfDictionariesWithoutEntries(t *testing.T) {
	mem := arrowtest.Checked(t)
	index := arrow.PrimitiveTypes.Int8
	inner := &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}
	nulls := fromJSON(t, mem, index, `[null, null, null]`)
	entries := array.NewDictionaryArray(inner, fromJSON(t, mem, index, `[]`), fromJSON(t, mem, inner.ValueType, `[]`))
	defer entries.Release()
	values := array.NewDictionaryArray(&arrow.DictionaryType{IndexType: index, ValueType: inner}, nulls, entries)
	defer values.Release()
	sorted := fromJSON(t, mem, inner.ValueType, `["a", "b", null]`)
	found, err := arrowsort.SearchSorted(t.Context(), sorted, values, nil, arrowsort.Left,
		arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	defer found.Release()
	require.Equal(t, []uint64{2, 2, 2}, found.Uint64Values())
}
