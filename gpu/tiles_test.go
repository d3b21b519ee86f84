package gpu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/kernels"
)

// sharedOf is the most shared memory of a block by compute capability (CUDA C++ programming guide, table of technical
// specifications).
var sharedOf = map[int]int{80: 163 << 10, 86: 99 << 10, 89: 99 << 10, 90: 227 << 10, 100: 227 << 10, 120: 99 << 10}

// TestKernelsFit: on every architecture of the image, the selected kernels fit the device.
func TestKernelsFit(t *testing.T) {
	for capability, shared := range sharedOf {
		for _, rows := range []int{1, kernels.LargeTileRows - 1, kernels.LargeTileRows, 1 << 30} {
			tiles := tilesFor(rows, shared)
			for _, k := range kernels.All {
				if k.Name == "digit_binning_middle"+tiles.suffix {
					require.Equal(t, tiles.packed*8, k.Shared-(k.Threads/32+2)*kernels.RadixBins*4-256)
				}
			}
			names := []string{"histogram", "statistics", "encode", "gather_8"}
			for _, pass := range []string{"first", "first_short", "first_wide", "only", "middle", "middle_short",
				"middle_wide", "last", "last_short", "last_wide"} {
				shape := tiles.ofPass(passNamed(pass))
				names = append(names, "digit_binning_"+pass+shape.suffix)
			}
			for _, name := range names {
				require.Contains(t, kernelNumbers, name)
				require.True(t, fits(shared, name), "%s on %d, %d rows", name, capability, rows)
			}
		}
	}
	require.Equal(t, largeTiles, tilesFor(1<<28, sharedOf[90]))
	require.Equal(t, mediumTiles, tilesFor(1<<28, sharedOf[86]))
	require.True(t, fits(sharedOf[80], bucketKernels...))
	require.False(t, fits(sharedOf[86], "equalize"))
}

// passNamed is a first pass, or another, by the name of its kernel.
func passNamed(name string) pass {
	return pass{first: strings.HasPrefix(name, "first") || name == "only", wide: name == "first_wide" || name == "only"}
}

func TestTileCount(t *testing.T) {
	require.Equal(t, 1, tileCount(1, 100, 10))
	require.Equal(t, 10, tileCount(100, 100, 10))
	require.Equal(t, 11, tileCount(101, 100, 10))
	require.Equal(t, 2*11+1, tileCount(205, 101, 10)) // the last tile of a strip may not be whole
	require.Equal(t, kernels.LargeTileWide, largeTiles.rows(true))
	require.Equal(t, kernels.MediumTile, mediumTiles.rows(false))
	require.Equal(t, 3, largeTiles.blocks(2, 132))
	require.Equal(t, 132, largeTiles.blocks(1000, 132))
	require.Equal(t, 1000, mediumTiles.blocks(1000, 132))
}
