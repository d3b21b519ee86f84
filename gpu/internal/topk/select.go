//go:build cuda && linux && amd64

// Package topk selects the first rows of an order before they are sorted.
package topk

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/kernels"
)

// Candidates are the rows that may be among the first by a word of their codes, in the order of the input, and their
// codes.
type Candidates struct {
	Field abi.Field // of codes
	Bits  int
	Codes driver.Ptr
	Rows  driver.Ptr
	N     int
	Tied  driver.Ptr // the first rows that tie with the border and sort after all candidates
	Tie   uint64     // their code: the border
}

// An Outcome is what became of a select.
type Outcome int

// Outcomes of a select.
const (
	Selected  Outcome = iota
	NotWorth          // sorting all rows is as fast, or too many rows tie with the sampled cutoff
	Misjudged         // the sampled cutoff was wrong: another select by the same rows fails as well
)

// Select selects the first k of n rows by a column of codes, in one read of it. With separateTies, rows that tie
// with the border are listed separately, where their order is that of the input; else they are candidates. afterLaunch
// is called before memory in use is freed.
func Select(t *device.Task, field abi.Field, bits, n, k int, separateTies bool, afterLaunch func()) (
	c Candidates, found Outcome) {
	shape, ok := strategy.ShapeSelect(t.Tuning, n, k)
	if !ok {
		return c, NotWorth
	}
	width, tile, kernel := 8, kernels.SelectWideTile, "select_rows_wide"
	if field.Width == 4 && bits <= 32 {
		width, tile, kernel = 4, kernels.SelectTile, "select_rows"
	}
	tiles := (n + tile - 1) / tile
	status := t.Zeros(8*tiles + int(unsafe.Sizeof(abi.Selection{})))
	sample := t.Alloc(8 * kernels.SelectSample)
	c = Candidates{Codes: t.Alloc(width * shape.Capacity), Rows: t.Alloc(4 * shape.Capacity), Bits: bits}
	job := abi.Select{
		Field: field, Bits: uint64(bits), N: uint64(n), K: uint64(k), Hits: uint64(shape.Hits),
		Capacity: uint64(shape.Capacity),
		Sample:   uint64(sample), Status: uint64(status), Selection: uint64(status) + uint64(8*tiles),
		Codes: uint64(c.Codes), Rows: uint64(c.Rows),
		Selected: uint64(uintptr(unsafe.Pointer(t.Reports.Selected))),
	}
	if separateTies {
		c.Tied = t.Alloc(4 * k)
		job.SeparateTies, job.Tied = 1, uint64(c.Tied)
	}
	words := abi.Words([]abi.Select{job})
	blocks := (min(n, kernels.SelectSample) + kernels.SelectBorderThreads - 1) / kernels.SelectBorderThreads
	t.Launch("select_border", blocks, words...)
	t.LaunchEarly(kernel, tiles, words...)
	t.Moves(int(field.Width) * n)
	t.Record(t.Reports.Done)
	afterLaunch()
	t.Free(status, sample)
	if !t.Failed() {
		t.Fail(t.WaitFor(t.Reports.Done))
	}
	got := t.Reports.Selected
	if t.Failed() || got.Candidates > uint64(shape.Capacity) || got.Candidates+got.Tied < uint64(k) {
		t.Free(c.Codes, c.Rows, c.Tied)
		if separateTies {
			return Candidates{}, Misjudged
		}
		return Candidates{}, NotWorth
	}
	c.N, c.Tie = int(got.Candidates), got.Border
	t.AssertPermutation(c.Rows, c.N, n)
	c.Field = abi.Integers(c.Codes, width)
	return c, Selected
}
