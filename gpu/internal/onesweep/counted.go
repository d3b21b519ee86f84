//go:build cuda && linux && amd64

package onesweep

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/kernels"
)

// A Counted is a sort by digits that a single launch counts where it declines. It saves what follows else: the host
// asks, clears memory, uploads the field, and histogram reads the column.
type Counted struct {
	sweep      *sweep // nil: nothing is to be counted
	src        Source
	sharesNull bool
	field      driver.Ptr // receives that of the source
}

// ToCount allocates the memory of such a sort, but for a source without a width.
func ToCount(t *device.Task, src Source, sharesNull bool) Counted {
	if src.Width == 0 {
		return Counted{}
	}
	return Counted{newSweep(t, src.N, strategy.Digits(src.Width), kernels.BinningTile, kernels.BinningWideTile), src,
		sharesNull, t.Alloc(int(unsafe.Sizeof(src.Field)))}
}

// Digits are the launch's argument.
func (c *Counted) Digits() abi.DigitCounts {
	b := c.sweep
	if b == nil {
		return abi.DigitCounts{}
	}
	shifts, bits := strategy.PackDigits(b.digits)
	report := &b.Reports.Report.Sample
	*report = 0
	return abi.DigitCounts{Field: c.src.Field, SharesNull: abi.Bool(c.sharesNull), Column: uint64(c.field),
		Shifts: shifts, Bits: bits, Count: uint64(len(b.digits)),
		Counts: uint64(b.starts), CountsWords: uint64(b.zeros / 4),
		Status: uint64(b.starts) + uint64(b.zeros), StatusWords: uint64(b.words),
		Report: uint64(uintptr(unsafe.Pointer(report)))}
}

// Sort sorts by the digits that are being counted, and returns the sorted rows. It frees or reuses the memory of the
// source, unless it returns 0: null and a value have the same code. seem are the digits that all rows seem to have in
// common, a bit for each. The first pass is launched before the host knows whether they do.
func (c *Counted) Sort(seem uint64) (rows driver.Ptr) {
	b, src := c.sweep, c.src
	var found uint64
	counted := func() bool {
		found = b.WaitForStatus(&b.Reports.Report.Sample)
		return found>>abi.StatusConstantShift == seem && found&abi.StatusCounted != 0
	}
	if use := b.without(seem); len(use) > 0 {
		rows = b.bin(src, c.field, strategy.PlanPasses(src.format(), b.digits, use, src.RowBits), counted)
	}
	if rows != 0 || found&abi.StatusDeclined != 0 || b.Failed() {
		return rows
	}
	if rows = Sort(b.Task, src); rows == 0 {
		rows = b.Iota(src.N, false)
	}
	return rows
}

// Free frees the memory, with or without a sort.
func (c *Counted) Free() {
	if c.sweep != nil {
		c.sweep.Free(c.sweep.starts, c.field)
	}
}
