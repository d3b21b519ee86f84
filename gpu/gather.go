//go:build cuda && linux && amd64

package gpu

import (
	"fmt"

	"github.com/arrowsort/arrowsort/gpu/internal/device"
)

import "slices"

import "github.com/arrowsort/arrowsort/gpu/internal/driver"

// A gatherer gathers columns by the row numbers of a result.
type gatherer struct {
	*device.Task
	order     driver.Ptr // the row numbers
	rows, out int        // of the input, and of the result
	windows   *windows   // of the row numbers, if a large column has been gathered
}

func newGatherer(t *device.Task, order driver.Ptr, rows, out int) *gatherer {
	g := &gatherer{Task: t, order: order, rows: rows, out: out}
	t.OnPressure(g.releaseWindows)
	return g
}

// values gathers values of width bytes.
func (g *gatherer) values(values driver.Ptr, width int) driver.Ptr {
	gathered := g.Alloc(width * g.out)
	if !g.inWindows(width) || !g.gatherWindows(values, width, gathered) {
		gatherRows(g.Task, values, width, g.order, g.out, gathered)
	}
	return gathered
}

// bits gathers bits, and adds the ones to a counter.
func (g *gatherer) bits(bits driver.Ptr, bit uint64, ones driver.Ptr) driver.Ptr {
	return gatherBits(g.Task, bits, bit, g.order, g.out, ones)
}

// gatherRows gathers values by n row numbers.
func gatherRows(t *device.Task, values driver.Ptr, width int, rows driver.Ptr, n int, dst driver.Ptr) {
	if slices.Contains([]int{1, 2, 4, 8, 16, 32}, width) {
		t.Launch(fmt.Sprint("gather_", width), t.Blocks(n), uint64(values), uint64(rows), uint64(n), uint64(dst))
	} else {
		t.Launch("gather_bytes", t.Blocks(n), uint64(values), uint64(width), uint64(rows), uint64(n), uint64(dst))
	}
	t.Moves((32 + width) * n) // a row read at random is a sector of 32 bytes
}

// gatherBits gathers bits by n row numbers, and counts the ones.
func gatherBits(t *device.Task, bits driver.Ptr, bit uint64, rows driver.Ptr, n int, ones driver.Ptr) driver.Ptr {
	gathered := t.Alloc((n + 31) / 32 * 4)
	t.Launch("gather_bits", t.Blocks(n), uint64(bits), bit, uint64(rows), uint64(n), uint64(gathered), uint64(ones))
	t.Moves(32 * n)
	return gathered
}

// onesCounters count the ones of gathered bitmaps on a device. The last one is for bits that are not counted.
type onesCounters struct {
	*device.Task
	columns int
	memory  driver.Ptr // 0 until the first bitmap is gathered
}

// of is the counter of the validity of a column of the result.
func (c *onesCounters) of(column int) driver.Ptr {
	if c.memory == 0 {
		c.memory = c.Zeros(8 * (c.columns + 1))
	}
	return c.memory + driver.Ptr(8*column)
}

// uncounted is the counter of other bits.
func (c *onesCounters) uncounted() driver.Ptr { return c.of(c.columns) }

// read returns the counts by columns: nil if there are none.
func (c *onesCounters) read() []uint64 {
	if c.memory == 0 {
		return nil
	}
	return c.Words(c.memory, c.columns)
}
