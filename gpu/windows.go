//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"math/bits"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
)

// windows are the row numbers of the result, scattered to windows, for all columns. Random reads of a large column read
// a sector of 32 bytes per row, of which the memory reads two. Scattering the row numbers to windows that the L2 cache
// holds, gathering within them, and collecting the values in their order is faster.
type windows struct{ dealt, places, offsets driver.Ptr }

// inWindows reports whether a column is gathered in windows: there is one row number for each row.
func (s *sorter) inWindows(width int) bool {
	return (width == 4 || width == 8) && s.out == s.rows && s.rows*width >= s.tuning.WindowBytes
}

// scatterRows makes the windows when the first column needs them; nil if there is no memory for them.
func (s *sorter) scatterRows() *windows {
	if s.windows != nil {
		return s.windows
	}
	tiles := scatterTiles(s.out)
	room, ok := s.allocAll(4*s.out, 2*s.out, tiles*2*kernels.GatherWindows*4)
	if !ok {
		return nil
	}
	w := &windows{room[0], room[1], room[2]}
	cursors := s.zeros(kernels.GatherWindows * 4)
	shift := max(bits.Len(uint(s.out-1))-bits.Len(kernels.GatherWindows-1), bits.Len(uint(s.tuning.WindowRows))-1)
	s.launch("scatter_rows", tiles, uint64(s.order), uint64(s.out), uint64(shift), uint64(w.dealt), uint64(w.places),
		uint64(w.offsets), uint64(cursors))
	s.Moves(10 * s.out)
	s.free(cursors)
	s.windows = w
	return w
}

func scatterTiles(rows int) int { return (rows + kernels.ScatterTile - 1) / kernels.ScatterTile }

// gatherWindows gathers values of width bytes to dst on the device, and reports whether there was memory for it.
func (s *sorter) gatherWindows(values driver.Ptr, width int, dst driver.Ptr) bool {
	w := s.scatterRows()
	if w == nil {
		return false
	}
	room, ok := s.allocAll(width * s.out)
	if !ok {
		return false
	}
	between := room[0]
	s.launch(fmt.Sprint("gather_window_", width), (s.out+kernels.GatherTile-1)/kernels.GatherTile, uint64(values),
		uint64(w.dealt), uint64(s.out), uint64(between))
	s.launch(fmt.Sprint("collect_", width), scatterTiles(s.out), uint64(between), uint64(s.out), uint64(w.places),
		uint64(w.offsets), uint64(dst))
	s.Moves((6 + 4*width) * s.out)
	s.free(between)
	return true
}

// releaseWindows frees the windows after the last column is gathered.
func (s *sorter) releaseWindows() {
	if w := s.windows; w != nil {
		s.free(w.dealt, w.places, w.offsets)
		s.windows = nil
	}
}
