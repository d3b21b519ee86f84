package gpu

import "github.com/arrowsort/arrowsort/kernels"

// A tileSize is a size of the tiles of digit binning.
type tileSize struct {
	suffix       string // of the kernels
	packed, wide int    // rows of a tile
	scanned      bool   // a block bins several tiles, and one more block scans
}

var (
	largeTiles  = tileSize{"_large", kernels.LargeTile, kernels.LargeTileWide, true}
	mediumTiles = tileSize{"", kernels.MediumTile, kernels.MediumTileWide, false}
)

// tilesFor returns the faster tiles for the given rows on a device whose blocks may have shared bytes of shared memory.
func tilesFor(rows, shared int) tileSize {
	if rows >= thresholds.largeTileRows &&
		fits(shared, "digit_binning_middle_large", "digit_binning_middle_wide_large") {
		return largeTiles
	}
	return mediumTiles
}

// fits reports whether shared bytes of shared memory are enough for kernels.
func fits(shared int, names ...string) bool {
	for _, name := range names {
		if kernels.All[kernelNumbers[name]].Shared > shared {
			return false
		}
	}
	return true
}

// kernelNumbers are the positions of the kernels in kernels.All by name.
var kernelNumbers = func() map[string]int {
	numbers := map[string]int{}
	for i, k := range kernels.All {
		numbers[k.Name] = i
	}
	return numbers
}()

// ofPass is the shape for a pass. First passes that write packed records encode them: more blocks on a multiprocessor
// are faster.
func (s tileSize) ofPass(p pass) tileSize {
	if s.scanned && p.first && !p.wide {
		return mediumTiles
	}
	return s
}

// rows is the rows of a tile.
func (s tileSize) rows(wide bool) int {
	if wide {
		return s.wide
	}
	return s.packed
}

// blocks is the grid for the given tiles.
func (s tileSize) blocks(tiles, multiprocessors int) int {
	if s.scanned {
		return min(tiles+1, multiprocessors)
	}
	return tiles
}

// tileCount is the number of tiles of rows that are binned in strips.
func tileCount(rows, strip, tile int) int {
	perStrip := (strip + tile - 1) / tile
	return rows/strip*perStrip + (rows%strip+tile-1)/tile
}
