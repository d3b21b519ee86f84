package host

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// texts is a column of strings in chunks, some of them null, and what they are; "null" for those.
func texts(r *rand.Rand, kind keyencode.Kind, sizes []int) (keyencode.Column, []string) {
	c := keyencode.Column{Kind: kind}
	var all []string
	for _, rows := range sizes {
		offset := r.IntN(9)
		k := keyencode.Chunk{Rows: rows, Offset: offset}
		if r.IntN(2) == 0 {
			k.Validity = make([]byte, (offset+rows+7)/8)
		}
		data := []byte("before")
		put := func() {
			if kind == keyencode.Binary {
				k.Values = binary.LittleEndian.AppendUint32(k.Values, uint32(len(data)))
			} else {
				k.Values = binary.LittleEndian.AppendUint64(k.Values, uint64(len(data)))
			}
		}
		for range offset + 1 {
			put()
		}
		for i := range rows {
			text := fmt.Sprint(r.Uint64())[:r.IntN(10)]
			data = append(data, text...)
			put()
			if k.Validity != nil {
				if r.IntN(3) == 0 {
					text = "null"
				} else {
					k.Validity[(offset+i)/8] |= 1 << ((offset + i) % 8)
				}
			}
			all = append(all, text)
		}
		k.Data = [][]byte{data}
		c.Chunks = append(c.Chunks, k)
	}
	return c, all
}

func TestGatherStrings(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		sizes := []int{r.IntN(50)}
		if seed%3 > 0 {
			sizes = []int{r.IntN(40), 0, 1 + r.IntN(3*GatherTile), 5}
		}
		kind := []keyencode.Kind{keyencode.Binary, keyencode.LargeBinary}[seed%2]
		c, all := texts(r, kind, sizes)
		rows := make([]uint32, len(all))
		for i := range rows {
			rows[i] = uint32(r.IntN(len(all)))
		}
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		a := arena.New(t.Context(), mem)
		out, err := GatherStrings(NewWorkers(t.Context(), 2), a, &c, rows)
		require.NoError(t, err)
		require.Equal(t, wantTexts(all, rows), readTexts(kind, out, len(rows)), "seed %d", seed)
		a.Release()
		mem.AssertSize(t, 0)
	}
}

func wantTexts(all []string, rows []uint32) []string {
	want := make([]string, len(rows))
	for i, row := range rows {
		want[i] = all[row]
	}
	return want
}

func readTexts(kind keyencode.Kind, c engine.Column, n int) []string {
	got := make([]string, n)
	for i := range got {
		lo, hi := 0, 0
		if kind == keyencode.Binary {
			lo, hi = int(buffers.View[int32](c.Values)[i]), int(buffers.View[int32](c.Values)[i+1])
		} else {
			lo, hi = int(buffers.View[int64](c.Values)[i]), int(buffers.View[int64](c.Values)[i+1])
		}
		got[i] = string(c.Data[lo:hi])
		if c.Validity != nil && c.Validity[i/8]>>(i%8)&1 == 0 {
			got[i] = "null"
		}
	}
	return got
}

// TestGatherStringsOfMoreThan2GiB gathers the same megabyte again and again.
func TestGatherStringsOfMoreThan2GiB(t *testing.T) {
	const size = 1 << 20
	c := keyencode.Column{Kind: keyencode.Binary, Chunks: []keyencode.Chunk{{
		Rows: 1, Values: binary.LittleEndian.AppendUint32(make([]byte, 4), size), Data: [][]byte{make([]byte, size)},
	}}}
	rows := make([]uint32, math.MaxInt32/size+1)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	_, err := GatherStrings(NewWorkers(t.Context(), 1), arena.New(t.Context(), mem), &c, rows)
	require.ErrorIs(t, err, engine.ErrOffsets)
}

func TestFirstValid(t *testing.T) {
	bitmap := func(n, one int) []byte {
		b := make([]byte, n/8+1)
		b[one/8] |= 1 << (one % 8)
		return b
	}
	for _, one := range []int{3, 4, 66, 67, 131, 202} {
		c := keyencode.Column{Kind: keyencode.Binary, Chunks: []keyencode.Chunk{
			{Rows: 70, Validity: make([]byte, 9)}, {}, {Rows: 200, Offset: 3, Validity: bitmap(203, one)},
		}}
		require.Equal(t, 70+one-3, FirstValid(&c))
		c.Chunks[2].Rows = one - 3
		require.Zero(t, FirstValid(&c), "all are null")
		c.Chunks = append(c.Chunks, keyencode.Chunk{Rows: 1})
		require.Equal(t, 70+one-3, FirstValid(&c), "a chunk without nulls")
	}
}
