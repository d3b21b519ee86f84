package take

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestRunSourceFindsTheRunOfEveryRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	g := newGatherer(t.Context(), Options{Allocator: mem}, 0)
	for trial := range 300 {
		var ends []int32
		var want []int
		for run := range 1 + rng.IntN(50) {
			for range 1 + rng.IntN(1+rng.IntN(40)) {
				want = append(want, run)
			}
			ends = append(ends, int32(len(want)))
		}
		for _, lookups := range []int{0, 1, 50, 10_000} {
			offset := rng.IntN(len(want))
			s := runSource[int32]{ends: ends, offset: offset, rows: len(want) - offset, values: len(ends)}
			table, err := s.index(g, lookups)
			require.NoError(t, err)
			for row := range s.rows {
				require.Equal(
					t, want[offset+row], s.find(row), "trial %d, %d look-ups, row %d after %d", trial, lookups, row,
					offset,
				)
			}
			table.Release()
		}
	}
	mem.AssertSize(t, 0)
}
