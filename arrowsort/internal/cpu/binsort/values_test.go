package binsort

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSortValues compares bins of values with the definition, in the orders of all types.
func TestSortValues(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for name, shape := range binShapes {
		for _, n := range []int{1, 2, 3, 17, 300, 5000, MaxRows} {
			argsort, after := testArgsort(n)
			f := &Sorter{Argsort: argsort}
			for _, flip := range []uint32{0, 1 << 31, 1<<31 - 1, ^uint32(0)} {
				values := make([]uint32, n)
				for i := range values {
					x := shape(r, n, i)
					values[i] = uint32(x>>32 ^ x)
				}
				want := slices.Clone(values)
				slices.SortFunc(want, func(a, b uint32) int { return cmp.Compare(a^flip, b^flip) })
				f.SortValues(values, flip)
				require.Equal(t, want, values, "%s, %d values, flip %x", name, n, flip)
				require.Equal(t, slices.Repeat([]uint32{0xee}, 8), after, "%s, %d values", name, n)
			}
		}
	}
}
