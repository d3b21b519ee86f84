//go:build cuda && linux && amd64

package gpu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

func openForTest(t *testing.T) *Engine {
	e, err := Open(Options{})
	require.NoError(t, err, "this test needs a GPU")
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// requireOrder sorts a job that wants row numbers of four bytes, and compares them.
func requireOrder(t *testing.T, e *Engine, job *engine.Job, order []uint32, what string) {
	res, err := e.Sort(t.Context(), job, goMemory{})
	require.NoError(t, err, what)
	for i, row := range order {
		if is := binary.LittleEndian.Uint32(res.RowNumbers[4*i:]); is != row {
			t.Fatalf("%s: place %d has row %d, not %d", what, i, is, row)
		}
	}
}

// TestStrips bins rows in several launches, as only sorts of more than 2^29 rows do otherwise: packed and wide records,
// a first word and further ones.
func TestStrips(t *testing.T) {
	e := openForTest(t)
	keepThresholds(t)
	thresholds.smallSortRows = 0
	for _, strip := range []int{3072, kernels.MediumTile, 50_000, 300_000} {
		thresholds.stripRows = strip
		for _, rows := range []int{strip, strip + 1, 2*strip + 77, 5 * strip} {
			for _, width := range []int{2, 16} {
				what := fmt.Sprintf("strips of %d, %d rows of %d bytes", strip, rows, width)
				values := make([]byte, rows*width)
				r := rand.New(rand.NewPCG(uint64(strip), uint64(rows)))
				for i := range values {
					values[i] = byte(r.Uint32() & r.Uint32())
				}
				kind := map[int]keyencode.Kind{2: keyencode.Uint16, 16: keyencode.Decimal128}[width]
				job := &engine.Job{Rows: rows, RowNumbers: 4, Keys: []keyencode.Key{{}},
					Columns: []keyencode.Column{{Kind: kind, Chunks: []keyencode.Chunk{{Rows: rows, Values: values}}}}}
				requireOrder(t, e, job, stableOrder(values, rows, width), what)
			}
		}
	}
}

// stableOrder sorts row numbers by little-endian integers, those of 16 bytes signed.
func stableOrder(values []byte, rows, width int) []uint32 {
	order := make([]uint32, rows)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		x, y := values[int(a)*width:][:width], values[int(b)*width:][:width]
		for k := width - 1; k >= 0; k-- {
			p, q := int(x[k]), int(y[k])
			if k == 15 {
				p, q = int(int8(x[k])), int(int8(y[k]))
			}
			if p != q {
				return p - q
			}
		}
		return 0
	})
	return order
}
