//go:build cuda && linux && amd64

package gpu

import (
	"fmt"
	"math/bits"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
)

// windows are the row numbers of the result dealt to windows, for all columns. Rows of a large column are read at
// random a sector of 32 bytes at a time, of which the memory reads two. It is quicker to deal the row numbers to
// windows that the L2 holds, to gather inside of them, and to bring what was gathered into its order.
type windows struct{ dealt, places, offsets driver.Ptr }

// inWindows reports whether a column is gathered in windows: there is one row number for each row.
func (s *sorter) inWindows(width int) bool {
	return (width == 4 || width == 8) && s.out == s.rows && s.rows*width >= thresholds.windowBytes
}

// dealRows makes the windows when the first column asks for them; nil when there is no memory for them.
func (s *sorter) dealRows() *windows {
	if s.windows != nil {
		return s.windows
	}
	tiles := dealTiles(s.out)
	room, ok := s.allocAll(4*s.out, 2*s.out, tiles*2*kernels.DealWindows*4)
	if !ok {
		return nil
	}
	w := &windows{room[0], room[1], room[2]}
	cursors := s.zeros(kernels.DealWindows * 4)
	shift := max(bits.Len(uint(s.out-1))-bits.Len(kernels.DealWindows-1), bits.Len(uint(thresholds.windowRows))-1)
	s.launch("deal_rows", tiles, uint64(s.order), uint64(s.out), uint64(shift), uint64(w.dealt), uint64(w.places),
		uint64(w.offsets), uint64(cursors))
	s.moves(10 * s.out)
	s.free(cursors)
	s.windows = w
	return w
}

func dealTiles(rows int) int { return (rows + kernels.DealTile - 1) / kernels.DealTile }

// gatherWindows gathers values of width bytes to dst on the device, and reports whether there was memory for that.
func (s *sorter) gatherWindows(values driver.Ptr, width int, dst driver.Ptr) bool {
	w := s.dealRows()
	if w == nil {
		return false
	}
	room, ok := s.allocAll(width * s.out)
	if !ok {
		return false
	}
	between := room[0]
	s.launch(fmt.Sprint("gather_near_", width), (s.out+kernels.GatherTile-1)/kernels.GatherTile, uint64(values),
		uint64(w.dealt), uint64(s.out), uint64(between))
	s.launch(fmt.Sprint("collect_", width), dealTiles(s.out), uint64(between), uint64(s.out), uint64(w.places),
		uint64(w.offsets), uint64(dst))
	s.moves((6 + 4*width) * s.out)
	s.free(between)
	return true
}

// releaseWindows frees the windows when the last column is gathered.
func (s *sorter) releaseWindows() {
	if w := s.windows; w != nil {
		s.free(w.dealt, w.places, w.offsets)
		s.windows = nil
	}
}
