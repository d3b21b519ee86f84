//go:build cuda && !standin && linux && amd64

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestManyRows sorts more rows than one launch bins, by 1 byte and by 4, and proves order, stability and that no row is
// there twice.
func TestManyRows(t *testing.T) {
	e := openForTest(t)
	rows := kernels.StripRows + 12_345_677
	if least := int64(rows) * 40; e.Device().Memory < least { // a small device: strips are tested by TestStrips
		rows = int(e.Device().Memory / 80)
	}
	for _, kind := range []keyencode.Kind{keyencode.Uint8, keyencode.Uint32} {
		c := keyencode.Column{Kind: kind}
		values := make([]byte, rows*c.ValueBytes()+8)
		fill(values, uint64(kind))
		c.Chunks = []keyencode.Chunk{{Rows: rows, Values: values}}
		job := &engine.Job{Rows: rows, RowNumbers: 4, Keys: []keyencode.Key{{}}, Columns: []keyencode.Column{c}}
		res, err := e.Sort(t.Context(), job, goMemory{})
		require.NoError(t, err)
		order := buffers.View[uint32](res.RowNumbers)
		bad := prove(order, func(row uint32) uint64 {
			if kind == keyencode.Uint8 {
				return uint64(values[row])
			}
			return uint64(buffers.View[uint32](values)[row])
		})
		require.Zero(t, bad, "kind %d, %d rows: wrong places", kind, rows)
	}
}

// TestMostRowsEqual sorts columns most of whose rows have one value, so that these are split off.
func TestMostRowsEqual(t *testing.T) {
	e := openForTest(t)
	for _, kind := range []keyencode.Kind{keyencode.Uint32, keyencode.Uint64} {
		for _, share := range []uint64{5, 5000} { // one of share rows has another value
			const rows = 1<<24 + 77
			c := keyencode.Column{Kind: kind}
			values := make([]byte, rows*c.ValueBytes())
			number := func(row uint32) uint64 { return buffers.View[uint64](values)[row] }
			if kind == keyencode.Uint32 {
				number = func(row uint32) uint64 { return uint64(buffers.View[uint32](values)[row]) }
			}
			r := rand.New(rand.NewPCG(share, uint64(kind)))
			for i := range rows {
				if r.Uint64N(share) == 0 {
					values[i*c.ValueBytes()+r.IntN(c.ValueBytes())] = byte(1 << r.IntN(8))
				}
			}
			c.Chunks = []keyencode.Chunk{{Rows: rows, Values: values}}
			job := &engine.Job{Rows: rows, RowNumbers: 4, Keys: []keyencode.Key{{}}, Columns: []keyencode.Column{c}}
			res, err := e.Sort(t.Context(), job, goMemory{})
			require.NoError(t, err)
			wrong := prove(buffers.View[uint32](res.RowNumbers), number)
			require.Zero(t, wrong, "kind %d, one in %d: wrong places", kind, share)
		}
	}
}
