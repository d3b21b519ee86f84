//go:build cuda && linux && amd64

package difftest

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/gpu"
)

// What a run on a device compares: more, and larger tables, than one on the stand-in.
var (
	firstTable = flag.Int("first", 0, "seed of the first random table")
	tables     = flag.Int("tables", 500, "number of random tables")
	tableRows  = flag.Int("rows", 3_000_000, "most rows of a random table")
	largeShare = flag.Int("large", 50, "one random table in so many may have as many rows, the others have at most 4,096")
	keyRows    = flag.Int("keyrows", 2000, "most rows of the tables of every key")
	keyShare   = flag.Int("keyshare", 1, "one in so many of the tables of every key")
)

// onGPU is the engine on the first GPU. Results are right for every number of host threads: those share out what is
// copied.
func onGPU(t *testing.T) subject {
	e, err := gpu.Open(gpu.Options{})
	require.NoError(t, err, "this test needs a GPU")
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return subject{engine: e, memory: e.Allocator(), threads: []int{1, 2, 3, 5, 7, 12, 16}, most: *tableRows, large: *largeShare}
}

// TestRandomTablesOnGPU compares random tables, few of them large, with the model.
func TestRandomTablesOnGPU(t *testing.T) {
	t.Logf("seeds %d to %d", *firstTable, *firstTable+*tables-1)
	onGPU(t).compareRandom(t, *firstTable, *tables)
}

// TestEveryKeyOnGPU compares a table for every type of key, order, null placement and shape with the model, in one
// chunk and in several.
func TestEveryKeyOnGPU(t *testing.T) {
	onGPU(t).compareKeys(t, sample(everyKey(), *keyShare), *keyRows)
}
