package gpu

import "github.com/arrowsort/arrowsort/kernels"

// A tileSize is the shape of the tiles of digit binning.
type tileSize struct {
	suffix       string // of the kernels
	packed, wide int    // rows of a tile
	scanned      bool   // a block bins tile after tile, and one more block scans
}

var (
	largeTiles  = tileSize{"_large", kernels.LargeTile, kernels.LargeTileWide, true}
	mediumTiles = tileSize{"", kernels.MediumTile, kernels.MediumTileWide, false}
	smallTiles  = tileSize{"_small", kernels.SmallTile, kernels.SmallTile, false}
)

// tilesFor chooses tiles for so many rows on a device that gives a block so much shared memory: those that keep it
// busiest.
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

// fits reports whether a device that gives a block so much shared memory has enough of it for kernels.
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

// ofPass is the shape for a pass. Packed records of a first pass have their codes to be made: more blocks on a
// multiprocessor do it faster.
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

// tilesOfProcessor is how many blocks of tiles that are not scanned a multiprocessor has room for.
const tilesOfProcessor = 2

// halved is how many of so many tiles are halved, one half of each to come first and the other last, where they do not
// all come at once.
func (s tileSize) halved(tiles, multiprocessors int) int {
	if s != mediumTiles || tiles < tilesOfProcessor*multiprocessors {
		return 0
	}
	return multiprocessors
}

// blocks is the grid for so many tiles.
func (s tileSize) blocks(tiles, multiprocessors int) int {
	if s.scanned {
		return min(tiles+1, multiprocessors)
	}
	return tiles + s.halved(tiles, multiprocessors)
}

// early reports whether blocks of a pass should come while those of the pass before go: where these have left room, the
// early ones crowd. Blocks of large tiles, and those of many passes over few rows, are better launched as usual.
func (s tileSize) early(p pass, tiles, multiprocessors int) bool {
	if s.scanned {
		return false
	}
	return tiles >= tilesOfProcessor*multiprocessors || tiles <= multiprocessors && !p.wide && p.rowBits == shortRowBits
}

// tileCount is the number of tiles of rows that are binned in strips, halves and all.
func (s tileSize) tileCount(rows, strip, tile, multiprocessors int) int {
	ofStrip := func(n int) int {
		tiles := (n + tile - 1) / tile
		return tiles + s.halved(tiles, multiprocessors)
	}
	return rows/strip*ofStrip(strip) + ofStrip(rows%strip)
}
