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
	sweep     *sweep // nil: nothing is to be counted
	src       Source
	codesNull bool
	field     driver.Ptr // receives that of the source
}

// ToCount allocates the memory of such a sort, but for a source without a width, and a column of 4 bytes with codes of
// more than 32 bits, whose digits a grid does not count. With codesNull the grid gives null the code of a value.
func ToCount(t *device.Task, src Source, codesNull bool) Counted {
	if src.Width == 0 || src.Field.Width == 4 && src.Width > 32 {
		return Counted{}
	}
	return Counted{newSweep(t, src.N, strategy.Digits(src.Width), kernels.BinningTile, kernels.BinningWideTile), src,
		codesNull, t.Alloc(int(unsafe.Sizeof(src.Field)))}
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
	return abi.DigitCounts{Field: c.src.Field, CodesNull: abi.Bool(c.codesNull), Column: uint64(c.field),
		Shifts: shifts, Bits: bits, Count: uint64(len(b.digits)),
		Counts: uint64(b.starts), CountsWords: uint64(b.zeros / 4),
		Status: uint64(b.starts) + uint64(b.zeros), StatusWords: uint64(b.words),
		Report: uint64(uintptr(unsafe.Pointer(report)))}
}

// Sort sorts by the digits that are being counted, and returns the sorted rows. If shared, nulls and values with their
// code are still to be parted. seem are the digits that all rows seem to have in common, a bit for each. It frees or
// reuses the memory of the source, also on an error.
func (c *Counted) Sort(seem uint64) (rows driver.Ptr, shared bool) {
	b := c.sweep
	// All digits vary in the sample, so they vary: the host does not wait before it launches their passes.
	passes, revise := c.plan(seem), (func() []strategy.Pass)(nil)
	status := uint64(0)
	if len(passes) == 0 {
		passes = c.plan(0)
	}
	if seem != 0 {
		revise = func() []strategy.Pass {
			if status = b.WaitForStatus(&b.Reports.Report.Sample); status == 0 {
				return nil
			}
			return c.plan(status >> abi.StatusConstantShift)
		}
	}
	rows, ok := b.bin(c.src, c.field, passes, revise)
	switch {
	case seem == 0:
		status = b.WaitForStatus(&b.Reports.Report.Sample)
	case !ok && status == 0: // the task has failed
		b.Free(c.src.Codes, c.src.Rows)
		return 0, false
	case !ok: // all digits are constant
		b.Free(c.src.Codes)
		rows = b.OrIota(c.src.Rows, c.src.N)
	}
	return rows, status&abi.StatusSharesNull != 0
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
