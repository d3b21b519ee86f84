package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/kernels"
)

// fits reports whether shared bytes of shared memory are enough for kernels.
func fits(shared int, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return kernels.All[kernelNumbers[name]].Shared > shared
	})
}

// kernelNumbers are the positions of the kernels in kernels.All by name.
var kernelNumbers = func() map[string]int {
	numbers := map[string]int{}
	for i, k := range kernels.All {
		numbers[k.Name] = i
	}
	return numbers
}()

// tileCount is the number of tiles of rows that are binned in strips.
func tileCount(rows, strip, tile int) int {
	perStrip := (strip + tile - 1) / tile
	return rows/strip*perStrip + (rows%strip+tile-1)/tile
}
