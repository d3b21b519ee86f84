//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestGridDistributions sorts 8-byte keys of every distribution in a single launch. A cooperative one, which takes a
// device with more multiprocessors than the stand-in, splits the buckets of uneven keys by a sorted sample, or counts
// their digits where few vary. It leaves hardly any to other ways.
func TestGridDistributions(t *testing.T) {
	e, grid := openGrid(t)
	sizes := []int{min(grid, kernels.ClusterRows+1), grid/2 - 77, grid}
	if !testrun.Long() {
		sizes = sizes[:1]
	}
	launched := launches(e)
	sorts := 0
	for i, name := range slices.Sorted(maps.Keys(draws)) {
		for k, kind := range []keyencode.Kind{keyencode.Int64, keyencode.Uint64, keyencode.Float64} {
			for _, rows := range sizes {
				key := numberKey{kind: kind, null: percent(30*(i%2), 7)}
				key.value = draws[name].by(rows, key.bytes(), uint64(i))
				checkNumbers(t, e, name, rows, key.in(i+k))
				sorts++
			}
		}
	}
	require.Equal(t, sorts, launched["cooperative"]+launched["cluster"])
	expect(t, e, 20*launched["sample"] <= sorts, "a grid has declined %d of %d sorts", launched["sample"], sorts)
}

// TestGridCounts: digits are counted where many rows are equal. Null gets the greatest code, or with nulls at the start
// the least, that has the digits which sampled values have in common, and is parted from a value with this code. Values
// that are in no sampled row have digits that seem to be constant.
func TestGridCounts(t *testing.T) {
	e, grid := openGrid(t)
	launched := launches(e)
	sorts := 0
	for _, kind := range []keyencode.Kind{keyencode.Int32, keyencode.Uint32, keyencode.Int64, keyencode.Uint64,
		keyencode.Float64} {
		for mode := range 4 {
			for extreme := range 4 { // none, one, a value in a thousand, every other
				key := numberKey{kind: kind, null: percent(30, uint64(mode))}
				if key.bytes() == 8 || extreme == 3 {
					key.null = func(row int) bool { return row%2999 == 1234 }
				}
				key.value = func(row int) uint64 {
					x, top := mix(uint64(row)), uint64(1)<<(8*key.bytes()-1)
					if extreme == 1 && row == 20001 || extreme > 1 && x%[]uint64{1000, 2}[extreme-2] == 1 {
						// The least and the greatest, signed or not.
						return []uint64{0, math.MaxUint64, top, top - 1}[(x>>32+uint64(mode))%4]
					}
					return x%5 + 1
				}
				rows := min(grid, kernels.ClusterRows+6) - extreme
				checkNumbers(t, e, fmt.Sprintf("extreme %d", extreme), rows, key.in(mode))
				sorts++
			}
		}
	}
	require.GreaterOrEqual(t, launched["cooperative"], sorts)
	require.Greater(t, launched["digit_binning_first_short"], 4)
	require.NotZero(t, launched["digit_binning_first_wide"])
	require.Greater(t, launched["place_nulls"], 4)
}

// TestGridWideCodes: codes of 33 bits, in a column of 4 bytes, have more digits than a grid counts of it.
func TestGridWideCodes(t *testing.T) {
	e, grid := openGrid(t)
	key := numberKey{kind: keyencode.Uint32, null: percent(20, 7)}
	key.value = func(row int) uint64 { return 0 - mix(uint64(row))%20/18 }
	constant := numberKey{kind: keyencode.Int64, value: func(int) uint64 { return 0 }}
	for mode := range 4 {
		checkNumbers(t, e, "wide codes", min(grid, kernels.ClusterRows+1), constant, key.in(mode))
	}
}

// openGrid opens an engine, and returns the most rows of a cooperative launch. The stand-in has no clusters, which come
// first and sort as many.
func openGrid(t *testing.T) (e *Engine, rows int) {
	t.Setenv("ARROWSORT_STANDIN_CAPABILITY", "8")
	e = openForTest(t)
	return e, e.Device().Multiprocessors * kernels.CooperativeThreads * kernels.CooperativeItems
}
