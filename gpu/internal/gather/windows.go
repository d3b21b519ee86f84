//go:build cuda && linux && amd64

package gather

import (
	"fmt"
	"math/bits"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
)

// windows are the row numbers of the result, scattered to windows, for all columns. Random reads of a large column read
// a sector of 32 bytes per row, of which the memory reads two. Scattering the row numbers to windows that the L2 cache
// holds, gathering within them, and collecting the values in their order is faster.
type windows struct{ rows, places, offsets driver.Ptr }

// inWindows reports whether a column is gathered in windows: there is one row number for each row.
func (g *Gatherer) inWindows(width int) bool {
	return (width == 4 || width == 8) && g.Out == g.rows && g.rows*width >= g.Tuning.WindowBytes
}

// scatterRows makes the windows when the first column needs them; nil if there is no memory for them.
func (g *Gatherer) scatterRows() *windows {
	if g.windows != nil {
		return g.windows
	}
	tiles := scatterTiles(g.Out)
	room, ok := g.AllocAll(4*g.Out, 2*g.Out, tiles*2*kernels.GatherWindows*4)
	if !ok {
		return nil
	}
	w := &windows{room[0], room[1], room[2]}
	cursors := g.Zeros(kernels.GatherWindows * 4)
	shift := max(bits.Len(uint(g.Out-1))-bits.Len(kernels.GatherWindows-1), bits.Len(uint(g.Tuning.WindowRows))-1)
	g.Launch("scatter_rows", tiles, g.Order, g.Out, shift, w.rows, w.places, w.offsets, cursors)
	g.Moves(10 * g.Out)
	g.Free(cursors)
	g.windows = w
	return w
}

func scatterTiles(rows int) int { return (rows + kernels.ScatterTile - 1) / kernels.ScatterTile }

// GatherWindows gathers values of width bytes to dst on the device, and reports whether there was memory for it.
func (g *Gatherer) GatherWindows(values driver.Ptr, width int, dst driver.Ptr) bool {
	w := g.scatterRows()
	if w == nil {
		return false
	}
	room, ok := g.AllocAll(width * g.Out)
	if !ok {
		return false
	}
	between := room[0]
	g.Launch(fmt.Sprint("gather_window_", width), (g.Out+kernels.GatherTile-1)/kernels.GatherTile, values, w.rows,
		g.Out, between)
	g.Launch(fmt.Sprint("collect_", width), scatterTiles(g.Out), between, g.Out, w.places, w.offsets, dst)
	g.Moves((6 + 4*width) * g.Out)
	g.Free(between)
	return true
}

// ReleaseWindows frees the windows, and reports whether there were any.
func (g *Gatherer) ReleaseWindows() bool {
	w := g.windows
	if w == nil {
		return false
	}
	g.Free(w.rows, w.places, w.offsets)
	g.windows = nil
	return true
}
