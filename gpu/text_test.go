//go:build cuda && linux && amd64

package gpu

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// texts is a column of random strings in chunks, some of them null, some of them long.
func texts(r *rand.Rand, kind keyencode.Kind, rows int) keyencode.Column {
	c := keyencode.Column{Kind: kind}
	for left := rows; left > 0; {
		k := keyencode.Chunk{Rows: min(left, 1+r.IntN(rows)), Offset: r.IntN(9)}
		data := make([]byte, r.IntN(100))
		for i := range k.Offset + k.Rows + 1 {
			if kind == keyencode.Binary {
				k.Values = binary.LittleEndian.AppendUint32(k.Values, uint32(len(data)))
			} else {
				k.Values = binary.LittleEndian.AppendUint64(k.Values, uint64(len(data)))
			}
			length := r.IntN(20)
			if i%1000 == 7 {
				length *= 500
			}
			for range length {
				data = append(data, byte(r.Uint32()))
			}
		}
		if r.IntN(2) == 0 {
			k.Validity = make([]byte, (k.Offset+k.Rows+7)/8)
			for i := range k.Validity {
				k.Validity[i] = byte(r.Uint32())
			}
		}
		k.Data = [][]byte{data}
		c.Chunks = append(c.Chunks, k)
		left -= k.Rows
	}
	return c
}

// TestTexts gathers strings on the device and on the host.
func TestTexts(t *testing.T) {
	e := openForTest(t)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 5))
		rows := 1 + r.IntN(9000)
		job := &engine.Job{Rows: rows, Keys: []keyencode.Key{{}}, RowNumbers: 4, Gather: []int{1, 0, 2, 1},
			Limit: int(seed%2) * rows / 2}
		values := make([]byte, 8*rows)
		fill(values, seed)
		job.Columns = []keyencode.Column{
			{Kind: keyencode.Int64, Chunks: []keyencode.Chunk{{Rows: rows, Values: values}}},
			texts(r, keyencode.Binary, rows), texts(r, keyencode.LargeBinary, rows),
		}
		e.tuning.TextRows = 1 << 40
		want, err := e.Sort(t.Context(), job, mem)
		require.NoError(t, err)
		e.tuning.TextRows = 1
		got, err := e.Sort(t.Context(), job, mem)
		require.NoError(t, err)
		for i, at := range job.Gather {
			require.Equal(t, want.Columns[i], got.Columns[i], "seed %d, %d rows: column %d", seed, rows, at)
		}
		want.Release(mem)
		got.Release(mem)
	}
}

// TestTextsOfMoreThan2GiB has rows of the result whose bytes are too many for offsets of 32 bits.
func TestTextsOfMoreThan2GiB(t *testing.T) {
	e := openForTest(t)
	e.tuning.TextRows = 1
	const rows, size = 3, 1 << 30
	c := keyencode.Column{Kind: keyencode.Binary}
	data := make([]byte, size)
	for range rows {
		values := binary.LittleEndian.AppendUint32(make([]byte, 4), size)
		c.Chunks = append(c.Chunks, keyencode.Chunk{Rows: 1, Values: values, Data: [][]byte{data}})
	}
	keys := keyencode.Column{Kind: keyencode.Uint8, Chunks: []keyencode.Chunk{{Rows: rows, Values: []byte{3, 1, 2}}}}
	job := &engine.Job{Rows: rows, Keys: []keyencode.Key{{}}, Gather: []int{1}, Columns: []keyencode.Column{keys, c}}
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	_, err := e.Sort(t.Context(), job, mem)
	require.ErrorIs(t, err, engine.ErrOffsets)
}
