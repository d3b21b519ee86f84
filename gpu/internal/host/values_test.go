package host

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestGatherValues gathers columns in chunks, with nulls and without.
func TestGatherValues(t *testing.T) {
	kinds := []keyencode.Kind{keyencode.Bool, keyencode.Uint8, keyencode.Int32, keyencode.Float64, keyencode.Decimal256}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := keyencode.Column{Kind: kinds[seed%5]}
		for range 1 + seed%3 {
			k := keyencode.Chunk{Rows: r.IntN(3 * GatherTile / 2), Offset: r.IntN(11)}
			k.Values = make([]byte, (k.Offset+k.Rows+8)*max(1, c.ValueBytes()))
			if r.IntN(2) == 0 {
				k.Validity = make([]byte, (k.Offset+k.Rows+7)/8)
			}
			for _, b := range [][]byte{k.Values, k.Validity} {
				for i := range b {
					b[i] = byte(r.Uint32())
				}
			}
			c.Chunks = append(c.Chunks, k, keyencode.Chunk{})
		}
		total := c.Rows()
		if total == 0 {
			continue
		}
		rows := make([]uint32, 1+r.IntN(2*GatherTile))
		for i := range rows {
			rows[i] = uint32(r.IntN(total))
		}
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		a := arena.New(t.Context(), mem)
		out, err := GatherValues(NewWorkers(t.Context(), 2), a, &c, rows)
		require.NoError(t, err)
		requireValues(t, seed, &c, rows, out.Values, out.Validity, out.Nulls)
		a.Release()
		mem.AssertSize(t, 0)
	}
}

func requireValues(t *testing.T, seed uint64, c *keyencode.Column, rows []uint32, values, validity []byte, nulls int) {
	width := c.ValueBytes()
	for i, row := range rows {
		at, in := 0, int(row)
		for in >= c.Chunks[at].Rows {
			in -= c.Chunks[at].Rows
			at++
		}
		k := &c.Chunks[at]
		if c.Kind == keyencode.Bool {
			require.Equal(t, buffers.Bit(k.Values, k.Offset+in), buffers.Bit(values, i), "seed %d, place %d", seed, i)
		} else {
			require.Equal(t, k.Values[(k.Offset+in)*width:][:width], values[i*width:][:width], "seed %d, place %d",
				seed, i)
		}
		null := k.Validity != nil && !buffers.Bit(k.Validity, k.Offset+in)
		require.Equal(t, null, validity != nil && !buffers.Bit(validity, i), "seed %d, place %d", seed, i)
		if null {
			nulls--
		}
	}
	require.Zero(t, nulls, "seed %d", seed)
}
