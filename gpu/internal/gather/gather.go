//go:build cuda && linux && amd64

// Package gather gathers columns on the device by row numbers.
package gather

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Gatherer gathers columns by the row numbers of a result.
type Gatherer struct {
	*device.Task
	Order     driver.Ptr // the row numbers
	rows, Out int        // of the input, and of the result
	windows   *windows   // of the row numbers, if a large column has been gathered
}

// New returns a gatherer by the row numbers of out of the given rows of the input.
func New(t *device.Task, order driver.Ptr, rows, out int) *Gatherer {
	g := &Gatherer{Task: t, Order: order, rows: rows, Out: out}
	t.OnPressure(g.ReleaseWindows)
	return g
}

// Values gathers values of width bytes.
func (g *Gatherer) Values(values driver.Ptr, width int) driver.Ptr {
	gathered := g.Alloc(width * g.Out)
	if !g.inWindows(width) || !g.GatherWindows(values, width, gathered) {
		Rows(g.Task, values, width, g.Order, g.Out, gathered)
	}
	return gathered
}

// Bits gathers bits, and adds the ones to a counter.
func (g *Gatherer) Bits(bits driver.Ptr, bit uint64, ones driver.Ptr) driver.Ptr {
	return Bits(g.Task, bits, bit, g.Order, g.Out, ones)
}

// Rows gathers values by n row numbers.
func Rows(t *device.Task, values driver.Ptr, width int, rows driver.Ptr, n int, dst driver.Ptr) {
	if slices.Contains([]int{1, 2, 4, 8, 16, 32}, width) {
		t.Launch(fmt.Sprint("gather_", width), t.Blocks(n), uint64(values), uint64(rows), uint64(n), uint64(dst))
	} else {
		t.Launch("gather_bytes", t.Blocks(n), uint64(values), uint64(width), uint64(rows), uint64(n), uint64(dst))
	}
	t.Moves((32 + width) * n) // a row read at random is a sector of 32 bytes
}

// Bits gathers bits by n row numbers, and counts the ones.
func Bits(t *device.Task, bits driver.Ptr, bit uint64, rows driver.Ptr, n int, ones driver.Ptr) driver.Ptr {
	gathered := t.Alloc((n + 31) / 32 * 4)
	t.Launch("gather_bits", t.Blocks(n), uint64(bits), bit, uint64(rows), uint64(n), uint64(gathered), uint64(ones))
	t.Moves(32 * n)
	return gathered
}

// Ones are counters of the ones of gathered bitmaps on a device. The last one is for bits that are not counted.
type Ones struct {
	*device.Task
	Columns int
	memory  driver.Ptr // 0 until the first bitmap is gathered
}

// Of is the counter of the validity of a column of the result.
func (c *Ones) Of(column int) driver.Ptr {
	if c.memory == 0 {
		c.memory = c.Zeros(8 * (c.Columns + 1))
	}
	return c.memory + driver.Ptr(8*column)
}

// Uncounted is the counter of other bits.
func (c *Ones) Uncounted() driver.Ptr { return c.Of(c.Columns) }

// Read returns the counts by columns: nil if there are none.
func (c *Ones) Read() []uint64 {
	if c.memory == 0 {
		return nil
	}
	return c.Words(c.memory, c.Columns)
}

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
	g.Launch("scatter_rows", tiles, uint64(g.Order), uint64(g.Out), uint64(shift), uint64(w.rows), uint64(w.places),
		uint64(w.offsets), uint64(cursors))
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
	g.Launch(fmt.Sprint("gather_window_", width), (g.Out+kernels.GatherTile-1)/kernels.GatherTile, uint64(values),
		uint64(w.rows), uint64(g.Out), uint64(between))
	g.Launch(fmt.Sprint("collect_", width), scatterTiles(g.Out), uint64(between), uint64(g.Out), uint64(w.places),
		uint64(w.offsets), uint64(dst))
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

// TextFits reports whether a device gathers a string column: there is likely to be memory for it, and no chunk has 4
// GiB of strings.
func TextFits(t *device.Task, c *keyencode.Column, rows int) bool {
	if rows < t.Tuning.TextRows {
		return false
	}
	for _, k := range host.Filled(c) {
		if begin, end := host.TextRange(c, &k); uint64(end-begin) > math.MaxUint32 {
			return false
		}
	}
	return t.HasMemory(2*host.TextBytes(c) + (device.SortBytes+32)*rows)
}

// Text gathers the string column of a number and a kind: lengths, whose sums are the offsets, then bytes. It returns
// both and the number of bytes. ok is false if there is no memory for it.
func (g *Gatherer) Text(at int, kind keyencode.Kind, t keys.Text, c *keys.Column) (
	offsets, data driver.Ptr, bytes int, ok bool) {
	width, tiles := host.OffsetBytes(kind), (g.Out+kernels.TextTile-1)/kernels.TextTile
	room, ok := g.AllocAll(4*g.Out, 8*(tiles+1), width*(g.Out+1))
	if !ok {
		return 0, 0, 0, false
	}
	lengths, sums, offsets := room[0], room[1], room[2]
	g.Launch("text_lengths", tiles, uint64(t.Starts), uint64(c.Validity), c.Bit, uint64(g.Order), uint64(g.Out),
		uint64(lengths), uint64(sums))
	g.Launch("text_sums", 1, uint64(sums), uint64(tiles))
	g.Launch("text_offsets", tiles, uint64(lengths), uint64(g.Out), uint64(sums), uint64(width), uint64(offsets))
	g.Moves(80 * g.Out)
	bytes = int(g.Words(sums+driver.Ptr(8*tiles), 1)[0])
	g.Free(lengths, sums)
	if width == 4 && bytes > math.MaxInt32 {
		g.Fail(fmt.Errorf("column %d: %w: %d bytes", at, engine.ErrOffsets, bytes))
	}
	gathered, ok := g.AllocAll(bytes)
	if !ok {
		g.Free(offsets)
		return 0, 0, 0, false
	}
	if bytes > 0 {
		g.Launch("text_copy", g.Blocks(bytes/8+1), uint64(t.Starts), uint64(g.Order), uint64(offsets), uint64(width),
			uint64(g.Out), uint64(t.Data), uint64(gathered[0]), uint64(bytes))
		g.Moves(4 * bytes)
	}
	return offsets, gathered[0], bytes, true
}
