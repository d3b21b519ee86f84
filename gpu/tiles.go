package gpu

import "github.com/arrowsort/arrowsort/kernels"

// A tileSize is the shape of the tiles of digit binning.
type tileSize struct {
	suffix       string // of the kernels
	packed, wide int    // rows of a tile
	scanned      bool   // a block bins several tiles, and one more block scans
}

var (
	largeTiles  = tileSize{"_large", kernels.LargeTile, kernels.LargeTileWide, true}
	mediumTiles = tileSize{"", kernels.MediumTile, kernels.MediumTileWide, false}
	smallTiles  = tileSize{"_small", kernels.SmallTile, kernels.SmallTile, false}
)

// tilesFor returns the fastest tiles for the given rows on a device whose blocks may have shared bytes of shared
// memory.
func tilesFor(rows, shared int) tileSize {
	switch {
	case rows <= thresholds.smallTileRows:
		return smallTiles
	case rows >= thresholds.largeTileRows &&
		fits(shared, "digit_binning_middle_large", "digit_binning_middle_wide_large"):
		return largeTiles
	default:
		return mediumTiles
	}
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

// tilesOfProcessor is the number of blocks of unscanned tiles that fit a multiprocessor.
const tilesOfProcessor = 2

// halved is the number of tiles that are halved, one half of each to start first and the other last, if not all tiles
// start at once.
func (s tileSize) halved(tiles, multiprocessors int) int {
	if s != mediumTiles || tiles < tilesOfProcessor*multiprocessors {
		return 0
	}
	return multiprocessors
}

// blocks is the grid for the given tiles.
func (s tileSize) blocks(tiles, multiprocessors int) int {
	if s.scanned {
		return min(tiles+1, multiprocessors)
	}
	return tiles + s.halved(tiles, multiprocessors)
}

// early reports whether blocks of a pass should start while those of the preceding pass end. They would be placed on
// the multiprocessors that become free first, which delays large tiles, and many passes over few rows.
func (s tileSize) early(p pass, tiles, multiprocessors int) bool {
	if s.scanned {
		return false
	}
	return tiles >= tilesOfProcessor*multiprocessors || tiles <= multiprocessors && !p.wide && p.rowBits == shortRowBits
}

// tileCount is the number of tiles and halves of rows that are binned in strips.
func (s tileSize) tileCount(rows, strip, tile, multiprocessors int) int {
	ofStrip := func(n int) int {
		tiles := (n + tile - 1) / tile
		return tiles + s.halved(tiles, multiprocessors)
	}
	return rows/strip*ofStrip(strip) + ofStrip(rows%strip)
}
