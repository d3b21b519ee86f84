package writer

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
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
		return new(stretchTable).allDiffer(&flatValues{rows: rows}, func(row int) uint64 { return hash(values[row]) })
	}
	require.True(t, column(func(int) int64 { return r.Int64() }))
	require.True(t, column(func(row int) int64 { return int64(row) }))
	require.False(t, column(func(int) int64 { return r.Int64N(numberEntries) }))
	require.False(t, column(func(row int) int64 { return int64(row / 2) }))
	require.False(t, column(func(row int) int64 { return int64(max(row, rows/2)) }), "the second half is all the same")
	require.False(t, column(func(int) int64 { return 7 }))
	few := &flatValues{rows: 1000}
	require.False(t, new(stretchTable).allDiffer(few, func(row int) uint64 { return uint64(row) }),
		"too few rows to leave any out")
	nulls := &flatValues{rows: rows, nulls: rows - 1, validity: make([]byte, rows/8)}
	require.False(t, new(stretchTable).allDiffer(nulls, func(row int) uint64 { return hash(int64(row)) }),
		"nulls differ from nothing")
}
