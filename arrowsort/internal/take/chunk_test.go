package take

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocatorFindsTheChunkOfEveryRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for trial := range 300 {
		chunks := make([]chunk, 1+rng.IntN(20))
		var want []int
		for c := range chunks {
			chunks[c].length = rng.IntN(4) * rng.IntN(30)
			for range chunks[c].length {
				want = append(want, c)
			}
		}
		for _, lookups := range []int{0, 100, 1 << 20} {
			loc, err := newLocator(chunks, lookups)
			require.NoError(t, err)
			require.EqualValues(t, len(want), loc.total())
			if len(chunks) < 2 {
				continue
			}
			rows := make([]uint32, len(want))
			for row := range want {
				require.Equal(t, want[row], loc.find(uint64(row)), "trial %d row %d of %v", trial, row, loc.starts)
				rows[row] = uint32(row)
			}
			for i, p := range selectRows(loc, rows).at(0, len(rows), make([]uint64, len(rows))) {
				require.EqualValues(t, want[i], p>>rowBits, "trial %d row %d", trial, i)
				require.EqualValues(t, uint64(i)-loc.starts[want[i]], p&rowMask, "trial %d row %d", trial, i)
			}
		}
	}
}

func TestLocatorRefusesChunksBeyondItsPositions(t *testing.T) {
	if rows := uint64(1) << rowBits; strconv.IntSize > 32 { // no narrower int holds them
		_, err := newLocator([]chunk{{length: int(rows)}}, 1)
		require.ErrorContains(t, err, "a chunk of 1099511627776 rows")
	}
	_, err := newLocator(make([]chunk, 1<<(64-rowBits)), 1)
	require.ErrorContains(t, err, "concatenate")
}
