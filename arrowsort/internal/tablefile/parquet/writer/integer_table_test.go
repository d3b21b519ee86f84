package writer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
		entries := enumerate(table, rows, v, numbers, 4)
		require.Equal(t, []int64{-1, 0, 1 << 62, -1 << 63}, entries)
		for i, x := range rows {
			if v.valid(i) {
				require.Equal(t, x, entries[numbers[i]], i)
			}
		}
		require.Nil(t, enumerate(table, rows, v, numbers, 3))
		require.Empty(t, enumerate[int64](table, nil, v, nil, 3))
		require.NotNil(t, enumerate[int64](table, nil, v, nil, 3))
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
	require.Equal(t, rows, enumerate(table, rows, &flatValues{rows: 3}, numbers, 3))
	require.Equal(t, []int32{0, 1, 2}, numbers)
}
