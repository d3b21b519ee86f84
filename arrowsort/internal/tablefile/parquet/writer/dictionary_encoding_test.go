package writer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// TestAllDiffer has columns of a row group with as many values as a dictionary may have, and with more.
func TestAllDiffer(t *testing.T) {
	const rows = DefaultRowGroupRows
	r := rand.New(rand.NewPCG(3, 4))
	column := func(value func(row int) int64) bool {
		values := make([]int64, rows)
		for i := range values {
			values[i] = value(i)
		}
		return new(distinctSample).mostlyDistinct(&flatValues{rows: rows},
			func(row int) uint64 { return hash(values[row]) })
	}
	require.True(t, column(func(int) int64 { return r.Int64() }))
	require.True(t, column(func(row int) int64 { return int64(row) }))
	require.False(t, column(func(int) int64 { return r.Int64N(numberEntries) }))
	require.False(t, column(func(row int) int64 { return int64(row / 2) }))
	require.False(t, column(func(row int) int64 { return int64(max(row, rows/2)) }), "the second half is all the same")
	require.False(t, column(func(int) int64 { return 7 }))
	few := &flatValues{rows: 1000}
	require.False(t, new(distinctSample).mostlyDistinct(few, func(row int) uint64 { return uint64(row) }),
		"too few rows to leave any out")
	nulls := &flatValues{rows: rows, nulls: rows - 1, validity: make([]byte, rows/8)}
	require.False(t, new(distinctSample).mostlyDistinct(nulls, func(row int) uint64 { return hash(int64(row)) }),
		"nulls differ from nothing")
}

func TestIntegersAreNumbered(t *testing.T) {
	table := new(integerTable)
	values := []int64{-1, 0, 1 << 62, -1 << 63}
	for range 2 { // the table is used again
		var rows []int64
		bitmap := []byte{0b11101110, 0xff, 0xff, 0xff}
		for i := range 32 {
			rows = append(rows, values[i/2%4])
		}
		v := &flatValues{rows: len(rows), validity: bitmap, nulls: 2}
		numbers := make([]int32, len(rows))
		entries := dictionaryEncode(table, rows, v, numbers, 4)
		require.Equal(t, []int64{-1, 0, 1 << 62, -1 << 63}, entries)
		for i, x := range rows {
			if v.valid(i) {
				require.Equal(t, x, entries[numbers[i]], i)
			}
		}
		require.Nil(t, dictionaryEncode(table, rows, v, numbers, 3))
		require.Empty(t, dictionaryEncode[int64](table, nil, v, nil, 3))
		require.NotNil(t, dictionaryEncode[int64](table, nil, v, nil, 3))
	}
}

func TestIntegersThatShareASlot(t *testing.T) {
	table := new(integerTable)
	var rows []int64
	for x, slots := int64(0), uint64(1)<<hashBits(3); len(rows) < 3; x++ { // the last slot is followed by the first
		if hash(x)>>(64-hashBits(3)) == slots-1 {
			rows = append(rows, x)
		}
	}
	numbers := make([]int32, 3)
	require.Equal(t, rows, dictionaryEncode(table, rows, &flatValues{rows: 3}, numbers, 3))
	require.Equal(t, []int32{0, 1, 2}, numbers)
}

func TestTextsAreNumbered(t *testing.T) {
	table := new(textTable)
	rows := []string{"b", "", "a", "b", "not there", "a", ""}
	at := func(row int) []byte { return []byte(rows[row]) }
	v := &flatValues{rows: len(rows), validity: []byte{0b1101111}, nulls: 1}
	for range 2 { // the table is used again
		numbers := make([]int32, len(rows))
		require.Equal(t, []int32{0, 1, 2}, table.dictionaryEncode(at, v, numbers, 3))
		require.Equal(t, []int32{0, 1, 2, 0}, numbers[:4])
		require.Equal(t, []int32{2, 1}, numbers[5:])
		require.Nil(t, table.dictionaryEncode(at, v, numbers, 2))
		require.NotNil(t, table.dictionaryEncode(at, v, nil, 2))
	}
	long := func(row int) []byte { return fmt.Appendf(nil, "%d%s", row, strings.Repeat("x", 1000)) }
	all := &flatValues{rows: 2000}
	require.Nil(t, table.dictionaryEncode(long, all, make([]int32, 2000), 2000), "the dictionary passes its bytes")
	require.Len(t, table.dictionaryEncode(long, all, make([]int32, 1000), 2000), 1000)
}

// TestTextKeepsUsedEntriesOnly takes slices of dictionary arrays with indices of every width.
func TestTextKeepsUsedEntriesOnly(t *testing.T) {
	s := new(encodeBuffers)
	for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16,
		arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64} {
		typ := &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}
		whole, err := array.DictArrayFromJSON(memory.DefaultAllocator, typ, `[0, 3, null, 1, 3, 1, 4]`,
			`["unused", "b", "x", "a", "z"]`)
		require.NoError(t, err)
		d := array.NewSlice(whole, 1, 6).(*array.Dictionary)
		v := &flatValues{rows: 5, validity: d.NullBitmapBytes(), offset: 1, nulls: 1}
		require.True(t, v.setEntries(d, s), index)
		require.Equal(t, 2, v.count)
		require.Equal(t, "\x01\x00\x00\x00b\x01\x00\x00\x00a", string(v.entries))
		require.Equal(t, []int32{1, 0, 1, 0}, []int32{v.indices[0], v.indices[2], v.indices[3], v.indices[4]})
		require.Equal(t, 1, v.width())
		d.Release()
		whole.Release()
	}
}

func TestTextThatHasNoDictionaryOfItsOwn(t *testing.T) {
	for _, entries := range []string{`["a", null]`, `["a", "a"]`, `[1, 2]`} {
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
		if entries == `[1, 2]` {
			typ.ValueType = arrow.PrimitiveTypes.Int64
		}
		d, err := array.DictArrayFromJSON(memory.DefaultAllocator, typ, `[0, 1]`, entries)
		require.NoError(t, err)
		require.False(t, new(flatValues).setEntries(d.(*array.Dictionary), new(encodeBuffers)), entries)
		d.Release()
	}
}

func TestWidthOfIndices(t *testing.T) {
	for count, width := range map[int]int{0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 256: 8, 257: 9,
		dictionary.MaxEntries: 16} {
		require.Equal(t, width, (&flatValues{count: count}).width(), count)
	}
}
