package host

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/stretchr/testify/require"
)

// TestJoinBits joins bitmaps of all small lengths, some of them empty, and of lengths around those of the tiles.
func TestJoinBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, lengths := range [][]int{
		{0}, {1}, {7, 1}, {8}, {9, 0, 0, 55}, {64}, {63, 2}, {1, 64, 65}, {3, 61, 64, 128, 5}, {200_000}, {65_535, 2},
		{65_536, 65_537, 13}, {5, 131_072, 0, 70_001},
	} {
		var parts []Bits
		var want []bool
		for _, n := range lengths {
			bitmap := make([]byte, (n+7)/8)
			for i := range bitmap {
				bitmap[i] = byte(r.Uint32())
			}
			for i := range n {
				want = append(want, buffers.Bit(bitmap, i))
			}
			parts = append(parts, Bits{bitmap, n})
		}
		for _, threads := range []int{1, 3} {
			dst := make([]byte, (len(want)+7)/8)
			for i := range dst {
				dst[i] = 0xaa
			}
			require.NoError(t, NewWorkers(t.Context(), threads).JoinBits(dst, parts))
			name := fmt.Sprintf("lengths %v, %d threads", lengths, threads)
			for i := range 8 * len(dst) {
				require.Equal(t, i < len(want) && want[i], buffers.Bit(dst, i), "%s: bit %d", name, i)
			}
		}
	}
}

// TestSetRun writes runs that begin and end at and between bytes.
func TestSetRun(t *testing.T) {
	for _, bits := range []int{0, 1, 9, 64, 70_001} {
		for _, first := range []int{0, 1, 7, 8, bits / 2, bits} {
			for _, end := range []int{first, bits / 3, bits - 1, bits} {
				dst := make([]byte, (bits+7)/8)
				for i := range dst {
					dst[i] = 0xaa
				}
				require.NoError(t, NewWorkers(t.Context(), 2).SetRun(dst, first, end))
				for i := range 8 * len(dst) {
					require.Equal(t, first <= i && i < end, buffers.Bit(dst, i), "%d to %d of %d: bit %d", first, end,
						bits, i)
				}
			}
		}
	}
}
