package strategy

import (
	"slices"

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
