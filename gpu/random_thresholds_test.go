//go:build cuda && linux && amd64

package gpu

import (
	"flag"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// keepThresholds undoes what a test does to the thresholds.
func keepThresholds(t testing.TB) {
	before := thresholds
	t.Cleanup(func() { thresholds = before })
}

var (
	thresholdSeeds     = flag.Int("seeds", 3000, "number of sorts with random thresholds; a sixth in a short run")
	firstThresholdSeed = flag.Uint64("firstseed", 0, "seed of the first of them, added to ARROWSORT_SEED")
)

// TestRandomThresholds has small sorts take the paths of large ones: thresholds are drawn for each of them.
func TestRandomThresholds(t *testing.T) {
	seeds := uint64(testrun.Count(*thresholdSeeds, *thresholdSeeds/6))
	keepThresholds(t)
	usual := thresholds
	seed := testrun.Seed() + *firstThresholdSeed
	defer func() {
		if t.Failed() {
			t.Logf("seed %d with %+v", seed, thresholds)
		}
	}()
	var e *Engine
	for end := seed + seeds; seed < end; seed++ {
		r := rand.New(rand.NewPCG(seed, 5))
		thresholds = randomThresholds(r, usual)
		if e == nil || seed%100 == 0 { // slots of the staging memory stay as they are
			if e != nil {
				require.NoError(t, e.Close())
			}
			e = openForTest(t)
		}
		rows := r.IntN(1 + 1<<r.IntN(14))
		if seed%16 == 15 {
			rows = r.IntN(1 << 17)
		}
		enginetest.CheckRandom(t, e, seed, rows)
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
			*value = 3072 + 64*r.IntN(100)
		case name == "slotBytes":
			*value = minBatchBytes * (2 + r.IntN(15))
		case name == "recordRows": // as many as the least records are for
			*value = 1 << r.IntN(23)
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
