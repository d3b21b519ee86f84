package scatter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScatterAndGather moves rows of every width to random places, and gathers them from there.
func TestScatterAndGather(t *testing.T) {
	for _, width := range []int{1, 2, 3, 4, 8, 12, 16, 20, 32, 40} {
		for _, rows := range []int{0, 1, 3, 4, 5, 1001} {
			t.Run(fmt.Sprintf("width=%d/rows=%d", width, rows), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(width), uint64(rows)))
				src, dst, back := make([]byte, rows*width), make([]byte, rows*width), make([]byte, rows*width)
				places := make([]uint32, rows)
				for i, place := range r.Perm(rows) {
					places[i] = uint32(place)
				}
				for i := range src {
					src[i] = byte(r.Uint32())
				}
				Scatter(dst, src, places, width)
				for i, place := range places {
					want := src[i*width : (i+1)*width]
					require.True(t, bytes.Equal(want, dst[int(place)*width:][:width]), "row %d", i)
				}
				Gather(back, dst, places, width)
				require.Equal(t, src, back)
			})
		}
	}
}

// TestPlaces: rows of a bin take its places one after another, and so do their records.
func TestPlaces(t *testing.T) {
	bins := []uint16{2, 0, 2, 2, 1, 0}
	places, next := make([]uint32, len(bins)), []uint32{0, 2, 3}
	Places(bins, places, next)
	require.Equal(t, []uint32{3, 0, 4, 5, 2, 1}, places)
	require.Equal(t, []uint32{2, 3, 6}, next)

	codes := []uint64{0xabc, 0x123, 0xfff, 0, 0x10, 0x7f}
	records := make([]uint64, len(codes))
	Records(records, codes, bins, []uint32{0, 2, 3}, 4, 8, 100)
	MakeRecords(codes, 4, 8, 100)
	for i, place := range places {
		require.Equal(t, codes[i], records[place], "row %d", i)
	}
	require.Equal(t, []uint64{0xab<<8 | 100, 0x12<<8 | 101, 0xff<<8 | 102, 103, 1<<8 | 104, 7<<8 | 105}, codes)
}
