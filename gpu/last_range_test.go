//go:build cuda && linux && amd64

package gpu

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestWholeRanges sorts rows that fill bucket ranges completely, so that the last one ends where the rows do.
func TestWholeRanges(t *testing.T) {
	e, err := Open(Options{})
	require.NoError(t, err, "this test needs a GPU")
	defer func() { require.NoError(t, e.Close()) }()
	e.tuning.SmallSortRows = 0
	for _, kind := range []keyencode.Kind{keyencode.Uint32, keyencode.Int64} {
		for _, count := range []int{1, 5} {
			requireRowsInOrder(t, e, kind, count*kernels.BucketRangeRows)
		}
	}
}

// requireRowsInOrder sorts random values of four or eight bytes.
func requireRowsInOrder(t *testing.T, e *Engine, kind keyencode.Kind, rows int) {
	job := randomJob(goMemory{}, kind, rows, 1)
	job.RowNumbers = 8
	values := job.Columns[0].Chunks[0].Values
	got, err := e.Sort(t.Context(), job, goMemory{})
	require.NoError(t, err)
	number := func(row int) int64 {
		if kind == keyencode.Uint32 {
			return int64(binary.LittleEndian.Uint32(values[4*row:]))
		}
		return int64(binary.LittleEndian.Uint64(values[8*row:]))
	}
	seen, before := make([]bool, rows), 0
	for i := range rows {
		row := int(binary.LittleEndian.Uint64(got.RowNumbers[8*i:]))
		if seen[row] {
			t.Fatalf("%d rows: row %d comes twice", rows, row)
		}
		if i > 0 && (number(before) > number(row) || number(before) == number(row) && before > row) {
			t.Fatalf("%d rows: place %d is out of order", rows, i)
		}
		seen[row], before = true, row
	}
}
