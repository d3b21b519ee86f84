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
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

var (
	thresholdSeeds     = flag.Int("seeds", 3000, "number of sorts with random thresholds; a sixth in a short run")
	firstThresholdSeed = flag.Uint64("firstseed", 0, "seed of the first of them, added to ARROWSORT_SEED")
)

// TestRandomThresholds has small sorts take the paths of large ones: thresholds are drawn for each of them.
func TestRandomThresholds(t *testing.T) {
	seeds := uint64(testrun.Count(*thresholdSeeds, *thresholdSeeds/6))
	seed := testrun.Seed() + *firstThresholdSeed
	var thresholds tuning.Table
	defer func() {
		if t.Failed() {
			t.Logf("seed %d with %+v", seed, thresholds)
		}
	}()
	var e *Engine
	for end := seed + seeds; seed < end; seed++ {
		r := rand.New(rand.NewPCG(seed, 5))
		thresholds = randomThresholds(r)
		if e == nil || seed%100 == 0 { // slots of the staging memory stay as they are
			if e != nil {
				require.NoError(t, e.Close())
			}
			e = openForTest(t)
		}
		e.tuning = thresholds
		rows := r.IntN(1 + 1<<r.IntN(14))
		if seed%16 == 15 {
			rows = r.IntN(1 << 17)
		}
		enginetest.CheckRandom(t, e, seed, rows)
	}
}

// randomThresholds are thresholds that few rows reach, half of them as usual.
func randomThresholds(r *rand.Rand) tuning.Table {
	t := tuning.Default()
	fields := reflect.ValueOf(&t).Elem()
	for i := range fields.NumField() {
		value := (*int)(fields.Field(i).Addr().UnsafePointer())
		if r.IntN(2) == 0 {
			continue
		}
		switch name := fields.Type().Field(i).Name; {
		case name == "StripRows":
			*value = 3072 + 64*r.IntN(100)
		case name == "SlotBytes":
			*value = stream.MinBatchBytes * (2 + r.IntN(15))
		case name == "RecordRows": // as many as the least records are for
			*value = 1 << r.IntN(23)
		case name == "WindowRows":
			*value = 1 << r.IntN(13)
		case strings.HasSuffix(name, "Bytes"):
			*value = stream.StagingStride<<r.IntN(10) + r.IntN(stream.StagingStride)
		default:
			*value = 1<<r.IntN(14) + r.IntN(100)
		}
	}
	return t
}
