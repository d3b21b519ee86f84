//go:build cuda && linux && amd64

// Package incore sorts few rows in a single launch, or by the digits that such a launch has counted.
package incore

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/kernels"
)

// How null and NaN sort: the enumeration Classes of kernels/incore/small_sort.h.
const (
	NoClasses      = 0 // by the numbers that the field has for them
	ClassesAtEnd   = 1
	ClassesAtStart = 2
)

// A Job is the rows of a source, as a single launch reads them.
type Job struct {
	onesweep.Source           // for a sort by digits, if the launch declines; without a width there is none
	Whole           abi.Field // the rows in the order of the source, numbers of the whole range of their type
	Classes         uint64    // NoClasses, ClassesAtEnd or ClassesAtStart
	CodesNull       bool      // to sort by digits, null is given the code of a value
}

// ByCodes sorts the rows of a source by its codes.
func ByCodes(src onesweep.Source) Job { return Job{Source: src, Whole: src.Field} }

// Sort sorts the rows of a job in a single launch. A cooperative launch declines rows that lie unevenly, or of which
// many are equal; then they are sorted by the digits that it has counted. It frees or reuses the memory of the source,
// also on an error, unless ok is false: for more rows than such a kernel sorts, where a cooperative launch is refused,
// and where it declines a source whose digits are not counted. afterLaunch is called while the grid still uses its
// memory: other streams must not use what is freed after that. A cluster has none, and does not call it.
func Sort(t *device.Task, job Job, afterLaunch func()) (rows driver.Ptr, ok bool) {
	kernel, blocks := t.Facts.SingleLaunch(t.Tuning, job.N)
	if kernel == "" {
		return 0, false
	}
	rows = t.Alloc(4 * job.N)
	small := abi.SmallSort{Field: job.Whole, Classes: job.Classes, N: uint64(job.N), In: uint64(job.Rows),
		Out: uint64(rows)}
	if !kernels.All[strategy.KernelNumbers[kernel]].Cooperative() {
		t.Launch(kernel, blocks, abi.Words([]abi.SmallSort{small})...)
		t.Free(job.Codes, job.Rows)
		return rows, true
	}
	counted := onesweep.ToCount(t, job.Source, job.CodesNull)
	defer counted.Free()
	totals := t.Alloc(4 * (1 + kernels.CooperativeFull) * blocks)
	defer t.Free(totals)
	grid := abi.CooperativeSort{Small: small, State: uint64(t.CooperativeState), Totals: uint64(totals),
		Digits: counted.Digits()}
	status := launchGrid(t, kernel, blocks, grid, afterLaunch)
	if status == abi.StatusAccepted {
		t.Moves(52 * job.N)
		t.Free(job.Codes, job.Rows)
		return rows, true
	}
	t.Free(rows)
	if status&abi.StatusCounted == 0 {
		return 0, false
	}
	rows, shared := counted.Sort(status >> abi.StatusConstantShift)
	if shared {
		grid.Small.Out = uint64(rows)
		t.LaunchEarly("place_nulls", blocks, abi.Words([]abi.CooperativeSort{grid})...)
	}
	return rows, true
}

// launchGrid launches a cooperative kernel, and returns the status that it reports: 0 where it is refused.
func launchGrid(t *device.Task, kernel string, blocks int, grid abi.CooperativeSort, afterLaunch func()) (
	status uint64) {
	n := int(grid.Small.N)
	numbers, tags := t.Alloc(8*n), t.Alloc(4*n)
	defer t.Free(numbers, tags)
	word := &t.Reports.Report.Plan
	*word = 0
	grid.Numbers, grid.Tags, grid.Status = uint64(numbers), uint64(tags), uint64(uintptr(unsafe.Pointer(word)))
	if t.TryLaunch(kernel, blocks, abi.Words([]abi.CooperativeSort{grid})...) {
		status = t.WaitForStatus(word)
	}
	if status != 0 && status != abi.StatusDeclined {
		afterLaunch() // a grid that accepts reports before it has read its records for the last time
	}
	return status
}
