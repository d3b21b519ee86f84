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
	sweep *sweep
	src   Source
	field driver.Ptr // receives that of the source
}

// ToCount allocates the memory of such a sort of a column of 4 bytes, in the order of the input, with codes of at most
// 32 bits. It returns nil for other sources, and where one digit makes no sort of short records.
func ToCount(t *device.Task, src Source) *Counted {
	digits := strategy.Digits(src.Width)
	if src.format() != strategy.FromShort || len(digits) < 2 {
		return nil
	}
	return &Counted{sweep: newSweep(t, src.N, digits, kernels.BinningTile), src: src,
		field: t.Alloc(int(unsafe.Sizeof(src.Field)))}
}

// Digits are the launch's argument.
func (c *Counted) Digits() abi.DigitCounts {
	b := c.sweep
	shifts, bits := strategy.PackDigits(b.digits)
	return abi.DigitCounts{Field: c.src.Field, Column: uint64(c.field), Shifts: shifts, Bits: bits,
		Count: uint64(len(b.digits)), Counts: uint64(b.starts), CountsWords: uint64(b.zeros / 4),
		Status: uint64(b.starts) + uint64(b.zeros), StatusWords: uint64(b.words)}
}

// Sort sorts by the digits that have been counted, and returns the sorted rows.
func (c *Counted) Sort() (rows driver.Ptr) {
	use := make([]int, len(c.sweep.digits))
	for d := range use {
		use[d] = d
	}
	return c.sweep.bin(c.src, c.field, strategy.PlanPasses(strategy.FromShort, c.sweep.digits, use, c.src.RowBits))
}

// Free frees the memory, with or without a sort.
func (c *Counted) Free() { c.sweep.Free(c.sweep.starts, c.field) }
