//go:build cuda && linux && amd64

package gpu

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/kernels"
)

// keepThresholds undoes what a test does to the thresholds.
func keepThresholds(t testing.TB) {
	before := thresholds
	t.Cleanup(func() { thresholds = before })
}

// TestRandomThresholds has few rows go the ways of many, in all combinations: thresholds are drawn anew for each sort.
func TestRandomThresholds(t *testing.T) {
	seeds := 3000
	if testing.Short() {
		seeds = 1000
	}
	keepThresholds(t)
	usual := thresholds
	var e *Engine
	var seed uint64
	defer func() {
		if t.Failed() {
			t.Logf("seed %d with %+v", seed, thresholds)
		}
	}()
	for ; seed < uint64(seeds); seed++ {
		thresholds = randomThresholds(rand.New(rand.NewPCG(seed, 5)), usual)
		if seed%100 == 0 { // slots of the staging memory stay as they are
			e = openForTest(t)
		}
		enginetest.CheckRandom(t, e, seed)
	}
}

// randomThresholds are thresholds that few rows reach, half of them as usual.
func randomThresholds(r *rand.Rand, t thresholdTable) thresholdTable {
	fields := reflect.ValueOf(&t).Elem()
	for i := range fields.NumField() {
		value := (*int)(fields.Field(i).Addr().UnsafePointer())
		if r.IntN(2) == 0 {
			continue
		}
		switch name := fields.Type().Field(i).Name; {
		case name == "stripRows":
			*value = kernels.SmallTile + 64*r.IntN(100)
		case name == "slotBytes":
			*value = stagingPiece * (2 + r.IntN(15))
		case name == "windowRows":
			*value = 1 << r.IntN(13)
		case strings.HasSuffix(name, "Bytes"):
			*value = stagingStride<<r.IntN(10) + r.IntN(stagingStride)
		default:
			*value = 1<<r.IntN(14) + r.IntN(100)
		}
	}
	return t
}
