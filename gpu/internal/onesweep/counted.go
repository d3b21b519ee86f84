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

// ToCount allocates the memory of such a sort, but for a source without a width, and a column of 4 bytes with codes of
// more than 32 bits, whose digits a grid does not count.
func ToCount(t *device.Task, src Source, sharesNull bool) Counted {
	if src.Width == 0 || src.Field.Width == 4 && src.Width > 32 {
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
// source, also on an error, unless ok is false: null and a value have the same code. seem are the digits that all rows
// seem to have in common, a bit for each.
func (c *Counted) Sort(seem uint64) (rows driver.Ptr, ok bool) {
	if seem != 0 || c.sharesNull && (c.src.Codes != 0 || c.src.Rows != 0) {
		return c.sortByReport(seem)
	}
	// All digits vary in the sample, so they vary: the host does not wait before it launches their passes. Where null
	// may have the code of a value, they leave the source as it is.
	b := c.sweep
	rows, _ = b.bin(c.src, c.field, c.plan(0), nil)
	if b.WaitForStatus(&b.Reports.Report.Sample)&abi.StatusCounted == 0 {
		b.Free(rows)
		return 0, b.Failed()
	}
	return rows, true
}

// sortByReport sorts without the digits that are constant. The first pass is launched before the host knows which are.
// Where records are short it is always by the first digit.
func (c *Counted) sortByReport(seem uint64) (rows driver.Ptr, ok bool) {
	b, src, status := c.sweep, c.src, uint64(0)
	first := c.plan(seem)
	if len(first) == 0 {
		first = c.plan(0)
	}
	rows, ok = b.bin(src, c.field, first, func() []strategy.Pass {
		if status = b.WaitForStatus(&b.Reports.Report.Sample); status&abi.StatusCounted == 0 {
			return nil
		}
		return c.plan(status >> abi.StatusConstantShift)
	})
	if ok || status&abi.StatusCounted == 0 {
		return rows, ok
	}
	b.Free(src.Codes) // all digits are constant
	if src.Rows != 0 {
		return src.Rows, true
	}
	return b.Iota(src.N, false), true
}

// plan returns the passes for all digits but those that are constant.
func (c *Counted) plan(constant uint64) []strategy.Pass {
	b := c.sweep
	use := b.without(constant)
	if c.src.format() == strategy.FromShort && len(use) > 0 && len(b.without(constant|1)) > 0 {
		use = b.without(constant &^ 1)
	}
	if len(use) == 0 {
		return nil
	}
	return strategy.PlanPasses(c.src.format(), b.digits, use, c.src.RowBits)
}

// Free frees the memory, with or without a sort.
func (c *Counted) Free() {
	if c.sweep != nil {
		c.sweep.Free(c.sweep.starts, c.field)
	}
}
