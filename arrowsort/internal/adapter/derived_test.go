package adapter

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// derivedValues returns the values of a function of an array.
func derivedValues(ctx context.Context, t *testing.T, a arrow.Array, of keyfunction.Function) (Values, error) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	var in Input
	require.NoError(t, in.Open(a))
	r := &RawColumns{}
	r.Start(ctx, Options{Allocator: mem, Threads: 2})
	t.Cleanup(func() {
		r.Release()
		mem.AssertSize(t, 0)
	})
	return r.Values(&in, Leaf{Path: []int{0}, Type: a.DataType(), Function: of})
}

// TestFunctionsOfWrongArrays: buffers that an array lacks, and a decimal that is none, are errors, but the latter not
// under a null.
func TestFunctionsOfWrongArrays(t *testing.T) {
	for _, typ := range listTypes {
		short := memory.NewBufferBytes(make([]byte, 4))
		lists := array.NewData(typ, 3, []*memory.Buffer{nil, short, short}, []arrow.ArrayData{elementsOf(typ, 0)}, 0, 0)
		_, err := lengthsOf(t, newSlice(cutShort{lists}, 3))
		require.ErrorIs(t, err, arraydata.ErrMalformed, typ)
		_, err = lengthsOf(t, newSlice(cutShort{array.NewData(typ, 3, lists.Buffers(), nil, 0, 0)}, 3))
		require.ErrorContains(t, err, "0 children in place of 1", typ)
	}
	least := make([]byte, 64) // 0, and -2^255
	binary.LittleEndian.PutUint64(least[56:], 1<<63)
	typ := &arrow.Decimal256Type{Precision: 76}
	for valid, wrong := range map[byte]bool{0b11: true, 0b01: false} {
		buffers := []*memory.Buffer{memory.NewBufferBytes([]byte{valid}), memory.NewBufferBytes(least)}
		data := array.NewData(typ, 2, buffers, nil, array.UnknownNullCount, 0)
		_, err := derivedValues(t.Context(), t, array.NewDecimal256Data(data), keyfunction.Abs)
		require.Equal(t, wrong, err != nil)
		if wrong {
			require.ErrorIs(t, err, arrow.ErrInvalid)
			require.EqualError(t, err, "chunk 0: invalid: row 1 is -2^255, whose absolute value no decimal256 has")
		}
	}
}

// cutShort is data that no constructor has looked at.
type cutShort struct{ arrow.ArrayData }

var listTypes = []arrow.DataType{
	arrow.ListOf(arrow.PrimitiveTypes.Int8), arrow.LargeListOf(arrow.PrimitiveTypes.Int8),
	arrow.MapOf(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int8), arrow.ListViewOf(arrow.PrimitiveTypes.Int8),
	arrow.LargeListViewOf(arrow.PrimitiveTypes.Int8), arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8),
}

// elementsOf returns n elements of lists of a type.
func elementsOf(typ arrow.DataType, n int) arrow.ArrayData {
	return arraydata.Nulls(memory.NewGoAllocator(), typ.(arrow.ListLikeType).Elem(), n).Data()
}

// lengthsOf returns the lengths of slices of lists, -1 of nulls.
func lengthsOf(t *testing.T, parts ...arraySlice) (lengths []int64, err error) {
	mem := arrowtest.Checked(t)
	r := RawColumns{ctx: t.Context(), mem: mem, threads: 2}
	defer r.Release()
	c, err := r.derived(parts[0].data.DataType(), parts, derivation{Function: keyfunction.Length})
	if err != nil {
		return nil, err
	}
	for _, k := range c.Chunks {
		for i := k.Offset; i < k.Offset+k.Rows; i++ {
			if k.Validity != nil && !buffers.Bit(k.Validity, i) {
				lengths = append(lengths, -1)
				continue
			}
			lengths = append(lengths, int64(binary.LittleEndian.Uint64(k.Values[8*i:])))
		}
	}
	return lengths, nil
}

// A listCase is three lists of 4 elements by their offsets, and sizes if they are views.
type listCase struct {
	offsets, sizes []int64
	lengths        []int64
	bad            int // a list that is not within the elements; -1: none
}

var listCases = []listCase{
	{[]int64{0, 1, 3, 4}, nil, []int64{1, 2, 1}, -1},
	{[]int64{4, 4, 4, 4}, nil, []int64{0, 0, 0}, -1},
	{[]int64{0, 3, 1, 4}, nil, []int64{3, -2, 3}, 1},
	{[]int64{-1, 1, 3, 4}, nil, []int64{2, 2, 1}, 0},
	{[]int64{0, 1, 3, 5}, nil, []int64{1, 2, 2}, 2},
	{[]int64{5, 4, 4, 4}, nil, []int64{-1, 0, 0}, 0},
}

var viewCases = []listCase{
	{[]int64{3, 0, 4}, []int64{1, 2, 0}, []int64{1, 2, 0}, -1},
	{[]int64{-1, 0, 1}, []int64{1, 2, 0}, []int64{1, 2, 0}, 0},
	{[]int64{0, 1, 0}, []int64{1, -1, 4}, []int64{1, -1, 4}, 1},
	{[]int64{0, 1, 3}, []int64{4, 3, 2}, []int64{4, 3, 2}, 2},
	{[]int64{4, 4, 5}, []int64{0, 0, 0}, []int64{0, 0, 0}, 2},
	{[]int64{0, math.MaxInt32, 0}, []int64{0, math.MaxInt32, 0}, []int64{0, math.MaxInt32, 0}, 1},
}

// slice returns the lists from a row on, those that are valid.
func (c listCase) slice(typ arrow.DataType, valid byte, from int) arraySlice {
	width := arrow.Int32SizeBytes
	if id := typ.ID(); id == arrow.LARGE_LIST || id == arrow.LARGE_LIST_VIEW {
		width = arrow.Int64SizeBytes
	}
	ints := func(values []int64) *memory.Buffer {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))[:len(b)+width]
		}
		return memory.NewBufferBytes(b)
	}
	all := []*memory.Buffer{memory.NewBufferBytes([]byte{valid}), ints(c.offsets), ints(c.sizes)}
	elements := []arrow.ArrayData{elementsOf(typ, 4)}
	return newSlice(cutShort{array.NewData(typ, 3-from, all, elements, array.UnknownNullCount, from)}, 3-from)
}

// TestLengthsOfLists: a list that is not within the elements of its array is an error that names its row, in a chunk
// after others and sliced, but not under a null.
func TestLengthsOfLists(t *testing.T) {
	for _, typ := range listTypes[:5] {
		cases := listCases
		if typ.ID() == arrow.LIST_VIEW || typ.ID() == arrow.LARGE_LIST_VIEW {
			cases = viewCases
		}
		good := cases[0]
		for _, c := range cases {
			text := fmt.Sprintf("%s: %v %v", typ, c.offsets, c.sizes)
			requireLengths(t, c.lengths, c.bad, text, c.slice(typ, 0b111, 0))
			requireLengths(t, c.lengths[1:], c.bad-1, text, c.slice(typ, 0b111, 1))
			for null := range 3 {
				lengths, bad := slices.Concat(good.lengths, c.lengths), c.bad+3
				if lengths[3+null] = -1; c.bad < 0 || c.bad == null {
					bad = -1
				}
				requireLengths(t, lengths, bad, text, good.slice(typ, 0b111, 0), c.slice(typ, 0b111&^(1<<null), 0))
			}
		}
	}
	fixed := func(elements int, valid byte) arraySlice {
		all := []*memory.Buffer{memory.NewBufferBytes([]byte{valid})}
		return newSlice(cutShort{array.NewData(listTypes[5], 3, all,
			[]arrow.ArrayData{elementsOf(listTypes[5], elements)}, array.UnknownNullCount, 0)}, 3)
	}
	requireLengths(t, []int64{2, 2, 2}, -1, "fixed size", fixed(6, 0b111))
	requireLengths(t, []int64{2, 2, 2}, 2, "fixed size", fixed(5, 0b111))
	requireLengths(t, []int64{2, 2, 2, 2, 2, 2}, 5, "fixed size", fixed(6, 0b111), fixed(5, 0b111))
	requireLengths(t, []int64{2, 2, -1}, -1, "fixed size", fixed(5, 0b011))
}

// requireLengths requires lengths of slices of lists, or an error that names the bad one.
func requireLengths(t *testing.T, want []int64, bad int, text string, parts ...arraySlice) {
	got, err := lengthsOf(t, parts...)
	if bad < 0 {
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		return
	}
	require.ErrorIs(t, err, arraydata.ErrMalformed, text)
	require.ErrorContains(t, err, fmt.Sprintf("row %d has %d elements", bad, want[bad]), text)
}

// TestMalformedText: offsets that fall or lead out of the bytes, and views of bytes that are not there, are errors of
// all functions and collations; those of views not under a null.
func TestMalformedText(t *testing.T) {
	words := func(values ...uint32) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	text, large, view := arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView
	for _, c := range []struct {
		typ    arrow.DataType
		values []byte // of three rows, with 4 bytes of data; the second one is wrong
		want   string
	}{
		{text, words(0, 3, 1, 4), "row 1: offsets fall from 3 to 1"},
		{text, words(0, 1, math.MaxUint32, math.MaxUint32), "row 1: offset 4294967295 in 4 bytes"},
		{text, words(0, 1, 5, 5), "row 1: offset 5 in 4 bytes"},
		{large, words(0, 0, 3, 0, 1, 0, 4, 0), "row 1: offsets fall from 3 to 1"},
		{large, words(0, 0, 1, 0, 5, 0, 5, 0), "row 1: offset 5 in 4 bytes"},
		{view, words(0, 0, 0, 0, 13, 0, 0, 0, 1, 'a', 0, 0), "row 1: view of 13 bytes at 0 of buffer 0"},
		{view, words(0, 0, 0, 0, 13, 0, 1, 0, 1, 'a', 0, 0), "row 1: view of 13 bytes at 0 of buffer 1"},
		{view, words(0, 0, 0, 0, math.MaxUint32, 0, 0, 0, 1, 'a', 0, 0), "row 1: view of 4294967295 bytes"},
	} {
		for _, valid := range []byte{0b111, 0b101} {
			buffers := []*memory.Buffer{memory.NewBufferBytes([]byte{valid}), memory.NewBufferBytes(c.values),
				memory.NewBufferBytes([]byte("abcd"))}
			rows := newSlice(cutShort{array.NewData(c.typ, 3, buffers, nil, array.UnknownNullCount, 0)}, 3)
			for _, by := range []derivation{{Function: keyfunction.Lower}, {Function: keyfunction.Length},
				{Function: keyfunction.Hash(0)}, {Collation: "de"}, {Collation: "nocase"}, {Collation: "natural"},
				{Collation: "numeric"}, {Function: keyfunction.Lower, Collation: "de"}} {
				r := RawColumns{ctx: t.Context(), mem: memory.NewGoAllocator(), threads: 1}
				_, err := r.derived(c.typ, []arraySlice{rows}, by)
				if valid == 0b101 && c.typ == view {
					require.NoError(t, err, "%v", by)
					continue
				}
				require.ErrorIs(t, err, arrow.ErrInvalid, "%v", by)
				require.ErrorContains(t, err, c.want, "%v", by)
			}
		}
	}
}

// TestFunctionsEnd with the context.
func TestFunctionsEnd(t *testing.T) {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	b.AppendValues([]string{"a", "b"}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, of := range []keyfunction.Function{keyfunction.Lower, keyfunction.Length, keyfunction.Hash(1)} {
		a := b.NewArray()
		_, err := derivedValues(ctx, t, a, of)
		require.ErrorIs(t, err, context.Canceled)
		b.AppendValues([]string{"a", "b"}, nil)
	}
}
