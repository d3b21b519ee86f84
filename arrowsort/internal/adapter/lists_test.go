package adapter

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// listsOf returns n lists of some elements, a part of them null, with elements under the nulls.
func listsOf(rng *rand.Rand, typ arrow.DataType, elements arrow.Array, n int, nulls float64) arrow.Array {
	ends := make([]int, n+1)
	for i := range ends {
		ends[i] = rng.IntN(elements.Len() + 1)
	}
	slices.Sort(ends)
	var offsets []byte
	for _, end := range ends {
		if typ.ID() == arrow.LARGE_LIST {
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(end))
		} else {
			offsets = binary.LittleEndian.AppendUint32(offsets, uint32(end))
		}
	}
	validity := make([]byte, (n+7)/8)
	count := 0
	for i := range n {
		if rng.Float64() < nulls {
			count++
		} else {
			validity[i/8] |= 1 << (i % 8)
		}
	}
	buffers := []*memory.Buffer{memory.NewBufferBytes(validity), memory.NewBufferBytes(offsets)}
	data := array.NewData(typ, n, buffers, []arrow.ArrayData{elements.Data()}, count, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// sortedLists sorts chunks of lists by random numbers, and returns the column, and whether the engine has moved it.
func sortedLists(t *testing.T, chunks []arrow.Array, keys []int64, mem memory.Allocator) (got arrow.Array, moved bool) {
	t.Helper()
	key := array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, len(keys),
		[]*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(keys))}, nil, 0, 0))
	in := &Input{Rows: len(keys), Columns: []Column{
		{Name: "key", Type: key.DataType(), Chunks: []arrow.Array{key}},
		{Name: "lists", Type: chunks[0].DataType(), Chunks: chunks},
	}}
	w := newWork(in, Options{Allocator: mem, Ranker: cpu.New(), Threads: 2})
	defer w.Release()
	leaf := Leaf{Path: []int{0}, Name: "key", Type: key.DataType()}
	require.NoError(t, w.AddKey(leaf, keyencode.Ascending, keyencode.NullsAtEnd))
	require.NoError(t, w.AddPayloads())
	result, err := cpu.New().Sort(t.Context(), &w.Job, mem)
	require.NoError(t, err)
	columns, err := w.Assemble(result)
	require.NoError(t, err)
	columns[0][0].Release()
	require.Len(t, columns[1], 1)
	return columns[1][0], w.Job.RowNumbers == 0
}

// TestListsMoveAsTheyAreTaken sorts lists of elements of every flat type, in slices, with nulls and elements under
// them: the result is what take makes of the sorted row numbers. Those of a fixed size and without nulls move.
func TestListsMoveAsTheyAreTaken(t *testing.T) {
	mem := arrowtest.Checked(t)
	rng := rand.New(rand.NewPCG(testrun.Seed(), 3))
	for _, elem := range arrowtest.Flat() {
		for _, typ := range []arrow.DataType{arrow.ListOf(elem), arrow.LargeListOf(elem)} {
			for _, nulls := range []float64{0, 0.3, 1} {
				var chunks []arrow.Array
				rows := 0
				fixed := true
				for range 3 {
					n := rng.IntN(300)
					elements := arrowtest.RandomSlice(
						rng, elem, rng.IntN(900), rng.IntN(20), 0, memory.NewGoAllocator())
					fixed = fixed && elements.NullN() == 0
					lists := listsOf(rng, typ, elements, n+20, nulls)
					from := rng.IntN(20)
					chunks = append(chunks, array.NewSlice(lists, int64(from), int64(from+n)))
					rows += n
				}
				keys, order := make([]int64, rows), make([]uint32, rows)
				for i := range keys {
					keys[i], order[i] = rng.Int64N(1000), uint32(i)
				}
				slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
				want, err := take.Take(t.Context(), typ, chunks, order, take.Options{Allocator: mem})
				require.NoError(t, err)
				got, moved := sortedLists(t, chunks, keys, mem)
				where := fmt.Sprintf("%s, %v of them null, seed %d", typ, nulls, testrun.Seed())
				require.True(t, array.Equal(want[0], got), where)
				_, has := listLayoutOf(typ)
				require.Equal(t, has && fixed, moved, where)
				got.Release()
				want[0].Release()
			}
		}
	}
}

// TestListsWithNullElementsAreTaken, and so are those whose bytes are too many for offsets of 32 bits.
func TestListsWithNullElementsAreTaken(t *testing.T) {
	l, ok := listLayoutOf(arrow.ListOf(arrow.PrimitiveTypes.Int32))
	require.True(t, ok)
	slice := func(a arrow.Array) []arraySlice { return []arraySlice{newSlice(a.Data(), a.Len())} }
	require.True(t, l.holds(slice(arrowtest.FromJSON(t, arrow.ListOf(l.elem), `[[1, 2], null]`))))
	require.False(t, l.holds(slice(arrowtest.FromJSON(t, arrow.ListOf(l.elem), `[[1, null], null]`))))

	elements := array.NewData(l.elem, math.MaxInt32/4+1, []*memory.Buffer{nil, nil}, nil, 0, 0)
	for _, last := range []int32{math.MaxInt32 / 4, math.MaxInt32/4 + 1} {
		offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, last}))
		data := array.NewData(
			arrow.ListOf(l.elem), 1, []*memory.Buffer{nil, offsets}, []arrow.ArrayData{elements}, 0, 0)
		require.Equal(t, last == math.MaxInt32/4, l.holds([]arraySlice{newSlice(data, 1)}))
	}
	for _, elem := range []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		&arrow.FixedSizeBinaryType{}, arrow.ListOf(arrow.PrimitiveTypes.Int8),
	} {
		_, ok := listLayoutOf(arrow.ListOf(elem))
		require.False(t, ok, "%s", elem)
	}
}

// TestMalformedListsAreTaken, which judges each row that is not null: offsets that fall, begin below zero or lead out
// of the elements, and too few of them.
func TestMalformedListsAreTaken(t *testing.T) {
	l, _ := listLayoutOf(arrow.ListOf(arrow.PrimitiveTypes.Int32))
	elements := arrowtest.FromJSON(t, l.elem, `[1, 2, 3, 4]`)
	for _, c := range []struct {
		offsets []int32
		moves   bool
	}{
		{[]int32{0, 2, 2, 4}, true}, {[]int32{1, 2, 3, 3}, true},
		{[]int32{0, 2, 1, 3}, false}, {[]int32{-1, 0, 1, 2}, false}, {[]int32{0, 1, 2, 5}, false},
		{[]int32{0, 1, 2}, false}, {nil, false},
	} {
		validity := memory.NewBufferBytes([]byte{0b101})
		offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(c.offsets))
		data := array.NewData(
			arrow.ListOf(l.elem), 3, []*memory.Buffer{validity, offsets}, []arrow.ArrayData{elements.Data()}, 1, 0)
		require.Equal(t, c.moves, l.holds([]arraySlice{newSlice(data, 3)}), "%v", c.offsets)
	}
}

// TestListsWithoutTheirValuesAreRefused: the buffer of the elements is shorter than they are.
func TestListsWithoutTheirValuesAreRefused(t *testing.T) {
	l, _ := listLayoutOf(arrow.ListOf(arrow.PrimitiveTypes.Int32))
	elements := array.NewData(l.elem, 5, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 16))}, nil, 0, 0)
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1, 2, 4}))
	data := array.NewData(
		arrow.ListOf(l.elem), 3, []*memory.Buffer{nil, offsets}, []arrow.ArrayData{elements}, 0, 0)
	w := newWork(&Input{}, Options{Allocator: memory.DefaultAllocator})
	defer w.Release()
	_, err := w.raw.payloadColumn(&payload{lists: l}, l.layout, []arraySlice{newSlice(data, 3)})
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.ErrorContains(t, err, "16 bytes of values where 20 are needed")
}

// TestFewListsAreTaken: a limit of few rows does not read all offsets.
func TestFewListsAreTaken(t *testing.T) {
	lists := arrowtest.FromJSON(t, arrow.ListOf(arrow.PrimitiveTypes.Int32), "["+strings.Repeat("[1],", 99)+"[2]]")
	for limit, takes := range map[int]bool{0: false, 11: true, 12: false, 100: false} {
		in := &Input{Rows: 100, Columns: []Column{{Name: "l", Type: lists.DataType(), Chunks: []arrow.Array{lists}}}}
		w := newWork(in, Options{Allocator: memory.DefaultAllocator})
		w.Job.Limit = limit
		require.NoError(t, w.AddPayloads())
		require.Equal(t, takes, w.Job.RowNumbers != 0, "limit %d", limit)
		w.Release()
	}
}
