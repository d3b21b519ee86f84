//go:build cuda && linux && amd64

// Package gather gathers columns on the device by row numbers.
package gather

import (
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
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
		t.Launch(fmt.Sprint("gather_", width), t.Blocks(n), values, rows, n, dst)
	} else {
		t.Launch("gather_bytes", t.Blocks(n), values, width, rows, n, dst)
	}
	t.Moves((32 + width) * n) // a row read at random is a sector of 32 bytes
}

// Bits gathers bits by n row numbers, and counts the ones.
func Bits(t *device.Task, bits driver.Ptr, bit uint64, rows driver.Ptr, n int, ones driver.Ptr) driver.Ptr {
	gathered := t.Alloc((n + 31) / 32 * 4)
	t.Launch("gather_bits", t.Blocks(n), bits, bit, rows, n, gathered, ones)
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
