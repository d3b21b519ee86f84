//go:build cuda && linux && amd64

package gpu

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestDigitsOfCodes sorts by two keys, the first of which is constant, so that the second makes a word as it lies
// there. Its lower bits are constant: the digits of its codes are not those of its numbers.
func TestDigitsOfCodes(t *testing.T) {
	e := openForTest(t)
	keepThresholds(t)
	thresholds.smallSortRows = 0
	for _, rows := range []int{40_005, 2_000_003} {
		constant, values := make([]byte, 4*rows), make([]byte, 4*rows)
		for i := range rows {
			k := uint32(i) * 2654435761 >> 7 % 1000 // few values, so that they are sorted by digits
			binary.LittleEndian.PutUint32(values[4*i:], (k*k*16+k)<<8)
		}
		job := &engine.Job{Rows: rows, RowNumbers: 4, Keys: []keyencode.Key{{Column: 0}, {Column: 1}},
			Columns: []keyencode.Column{
				{Kind: keyencode.Uint32, Chunks: []keyencode.Chunk{{Rows: rows, Values: constant}}},
				{Kind: keyencode.Uint32, Chunks: []keyencode.Chunk{{Rows: rows, Values: values}}}}}
		requireOrder(t, e, job, stableOrder(values, rows, 4), fmt.Sprintf("%d rows", rows))
	}
}
