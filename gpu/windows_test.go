//go:build cuda && linux && amd64

package gpu

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestWindows gathers columns in windows, as only large ones are otherwise.
func TestWindows(t *testing.T) {
	e := openForTest(t)
	e.tuning.WindowBytes = 0
	for _, e.tuning.WindowRows = range []int{1, 1 << 12} {
		for _, rows := range []int{1, 300, kernels.ScatterTile, kernels.ScatterTile + 1, 5*kernels.ScatterTile - 3} {
			job := &engine.Job{Rows: rows, Keys: []keyencode.Key{{}}, RowNumbers: 4, Gather: []int{0, 1, 2, 1}}
			for i, kind := range []keyencode.Kind{keyencode.Uint32, keyencode.Int64, keyencode.Float32} {
				c := keyencode.Column{Kind: kind}
				values := make([]byte, rows*c.ValueBytes()+8)
				fill(values, uint64(i))
				c.Chunks = []keyencode.Chunk{{Rows: rows, Values: values}}
				job.Columns = append(job.Columns, c)
			}
			res, err := e.Sort(t.Context(), job, goMemory{})
			require.NoError(t, err)
			for i, at := range job.Gather {
				src := job.Columns[at]
				width := src.ValueBytes()
				for k := range rows {
					row := int(binary.LittleEndian.Uint32(res.RowNumbers[4*k:]))
					what := fmt.Sprintf("windows of %d, %d rows, column %d: place %d",
						e.tuning.WindowRows, rows, at, k)
					require.Equal(t, src.Chunks[0].Values[row*width:][:width], res.Columns[i].Values[k*width:][:width],
						what)
				}
			}
		}
	}
}
