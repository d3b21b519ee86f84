//go:build cuda && linux && amd64

package gpu

import (
	"encoding/binary"
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestColumnsInOrder sorts columns whose sample is in order: all rows are, or all but a few, or the second half is not,
// so that the sort restarts.
func TestColumnsInOrder(t *testing.T) {
	e := openForTest(t)
	keepThresholds(t)
	thresholds.smallSortRows = 0
	const most = 7 * 100_000
	for what, key := range map[string]func(row, rows int) int{
		"in order":    func(row, rows int) int { return row / 3 },
		"in reverse":  func(row, rows int) int { return rows - row },
		"all equal":   func(row, rows int) int { return 7 },
		"two astray":  func(row, rows int) int { return map[int]int{5: 1 << 30, rows / 2: 0}[row] + row },
		"in two runs": func(row, rows int) int { return row % (rows / 2) },
	} {
		rows := most + map[string]int{"two astray": 1, "in two runs": 1}[what] // what the stand-in goes by
		values := make([]byte, 4*rows)
		for i := range rows {
			binary.LittleEndian.PutUint32(values[4*i:], uint32(key(i, rows)))
		}
		job := &engine.Job{Rows: rows, RowNumbers: 4, Keys: []keyencode.Key{{}},
			Columns: []keyencode.Column{{Kind: keyencode.Uint32,
				Chunks: []keyencode.Chunk{{Rows: rows, Values: values}}}}}
		requireOrder(t, e, job, stableOrder(values, rows, 4), what)
	}
}
