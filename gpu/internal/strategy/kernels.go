package strategy

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// Fits reports whether shared bytes of shared memory are enough for kernels.
func Fits(shared int, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return kernels.All[KernelNumbers[name]].Shared > shared
	})
}

// KernelNumbers are the positions of the kernels in kernels.All by name.
var KernelNumbers = func() map[string]int {
	numbers := map[string]int{}
	for i, k := range kernels.All {
		numbers[k.Name] = i
	}
	return numbers
}()

// TileCount is the number of tiles of rows that are binned in strips.
func TileCount(rows, strip, tile int) int {
	perStrip := (strip + tile - 1) / tile
	return rows/strip*perStrip + (rows%strip+tile-1)/tile
}

// SingleLaunch returns the kernel that sorts the given number of rows in a single launch, and its grid: a cluster,
// or a cooperative launch of one block per multiprocessor. ok is false for more rows than such a kernel sorts. fits
// reports whether the device has what a kernel needs.
func SingleLaunch(t *tuning.Table, rows, multiprocessors int, fits func(name string) bool) (
	name string, blocks int, ok bool) {
	switch {
	case rows > t.SmallSortRows:
		return "", 0, false
	case rows <= kernels.ClusterRows && fits("cluster"):
		return "cluster", kernels.ClusterBlocks, true
	case rows <= min(multiprocessors*kernels.CooperativeThreads*kernels.CooperativeItems, kernels.CooperativeRows) &&
		fits("cooperative"):
		return "cooperative", multiprocessors, true
	default:
		return "", 0, false
	}
}
