//go:build cuda && linux && amd64

package difftest

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/gpu"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A run on a device compares more tables than one on the stand-in. A failure names its seed, or its case, and the
// number of rows, which depends on the device: with all of them it is repeated anywhere.
var (
	firstTable = flag.Int("first", 0, "seed of the first random table, added to ARROWSORT_SEED")
	tables     = flag.Int("tables", 500, "number of random tables; a fifth in a short run")
	most       = flag.Int("most", 3_000_000, "most rows of a table")
	large      = flag.Int("large", 1, "percentage of the tables that may reach -most rows; the others are small")
	exactRows  = flag.Int("rows", 0, "rows of every table, instead of random numbers of them")
	firstKey   = flag.Int("key", 0, "the first of the tables of every key")
	keys       = flag.Int("keys", 1<<30, "number of tables of every key")
	devices    = flag.Int("devices", 1, "number of devices that share each sort")
	shareRows  = flag.Int("sharerows", 1, "least rows of the share of each of several devices")
	keyShare   = flag.Int("keyshare",
		1, "one in this number of the tables of every key is tested; five times the number in a short run")
)

// onGPU is the engine on the first GPU, or on -devices of them. Host threads share out what is copied: results are the
// same for any number.
func onGPU(t *testing.T) subject {
	options := gpu.Options{ShareRows: *shareRows}
	for i := range *devices {
		options.Devices = append(options.Devices, i)
	}
	e, err := gpu.Open(options)
	require.NoError(t, err, "this test needs -devices GPUs")
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	threads := []int{1, 2, 3, 5, 7, 12, 16}
	return subject{engine: e, memory: e.Allocator(), threads: threads, most: *most, large: *large, rows: *exactRows}
}

// TestRandomTablesOnGPU compares random tables with the model.
func TestRandomTablesOnGPU(t *testing.T) {
	n := testrun.Count(*tables, *tables/5)
	first := testrun.Seed() + uint64(*firstTable)
	t.Logf("seeds %d to %d", first, first+uint64(n)-1)
	onGPU(t).compareRandom(t, *firstTable, n)
}

// TestEveryKeyOnGPU compares a table for every type of key, order, null placement and shape with the model, in one
// chunk and in several.
func TestEveryKeyOnGPU(t *testing.T) {
	cases := everyKey()
	cases = cases[*firstKey:min(len(cases), *firstKey+*keys)]
	onGPU(t).compareKeys(t, sample(cases, *keyShare*testrun.OneIn(5)))
}
