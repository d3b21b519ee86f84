package adapter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRunRows(t *testing.T) {
	ends := []int16{1, 2, 4, 6, 10, 1000, 1750, 2000}
	for first := range 1990 {
		rows := make([]uint32, 10)
		runRows(rows, ends, first)
		for i, run := range rows {
			at := first + i
			require.Less(t, at, int(ends[run]))
			if run > 0 {
				require.GreaterOrEqual(t, at, int(ends[run-1]))
			}
		}
	}
	runRows(nil, ends, 2000)
	behind := make([]uint32, 3)
	runRows(behind, ends, 1998)
	require.Equal(t, []uint32{7, 7, 8}, behind)
}
