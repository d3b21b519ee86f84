//go:build cuda && linux && amd64

package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// openForTest opens the first device, with thresholds that use sets.
func openForTest(t testing.TB, use ...func(*tuning.Table)) *Engine {
	e, err := Open(Options{})
	require.NoError(t, err, "this test needs a GPU")
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	for _, set := range use {
		set(&e.tuning)
	}
	return e
}

// launches counts the launches of an engine by kernel, from now on.
func launches(e *Engine) map[string]int {
	s := <-e.turn
	defer func() { e.turn <- s }()
	launched := map[string]int{}
	s.OnLaunch = func(kernel string) { launched[kernel]++ }
	return launched
}

// TestStrips bins rows in several launches, as only sorts of more than 2^29 rows do otherwise: packed and wide records,
// a first word and further ones.
func TestStrips(t *testing.T) {
	e := openForTest(t)
	e.tuning.SmallSortRows = 0
	strips := []int{3072, kernels.BinningTile, 50_000, 300_000}
	if !testrun.Long() {
		strips = strips[:2]
	}
	for _, strip := range strips {
		e.tuning.StripRows = strip
		for _, rows := range []int{strip, strip + 1, 2*strip + 77, 5 * strip} {
			for _, kind := range []keyencode.Kind{keyencode.Uint16, keyencode.Decimal128} {
				checkBinning(t, e, kind, rows, "and of 2", 0)
			}
		}
	}
}
