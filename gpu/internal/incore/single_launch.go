//go:build cuda && linux && amd64

// Package incore sorts few rows in a single launch.
package incore

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/kernels"
)

// How null and NaN sort: the enumeration Classes of kernels/incore/small_sort.h.
const (
	NoClasses      = 0 // by the numbers that the field has for them
	ClassesAtEnd   = 1
	ClassesAtStart = 2
)

// Sort sorts n rows by a field in a single launch. ok is false for more rows than such a kernel sorts, and where a
// cooperative launch is refused, or has declined because a bucket has too many rows that are not equal. in are the row
// numbers of the field's rows, 0 for 0, 1, 2 and so on. classes is NoClasses, ClassesAtEnd or ClassesAtStart.
// afterLaunch is called when the kernel is launched: other streams must not use the memory that is freed from then on.
func Sort(t *device.Task, field abi.Field, in driver.Ptr, n int, classes uint64, afterLaunch func()) (
	rows driver.Ptr, ok bool) {
	rows, status := SortOrCount(t, field, in, n, classes, abi.DigitCounts{}, afterLaunch)
	return rows, status == abi.StatusAccepted
}

// SortOrCount does the same, and returns abi.StatusAccepted, or abi.StatusDeclined if a cooperative launch has declined
// and counted digits instead; 0 where nothing was launched.
func SortOrCount(t *device.Task, field abi.Field, in driver.Ptr, n int, classes uint64, digits abi.DigitCounts,
	afterLaunch func()) (rows driver.Ptr, status uint64) {
	has := DeviceOf(t)
	kernel, blocks, ok := has.SingleLaunch(t.Tuning, n)
	if !ok {
		return 0, 0
	}
	rows = t.Alloc(4 * n)
	small := abi.SmallSort{Field: field, Classes: classes, N: uint64(n), In: uint64(in), Out: uint64(rows)}
	if !kernels.All[strategy.KernelNumbers[kernel]].Cooperative() {
		t.Launch(kernel, blocks, abi.Words([]abi.SmallSort{small})...)
		return rows, abi.StatusAccepted
	}
	numbers, tags, totals := t.Alloc(8*n), t.Alloc(4*n), t.Alloc(4*(1+kernels.CooperativeFull)*blocks)
	word := &t.Reports.Report.Plan
	*word = 0
	cooperative := abi.CooperativeSort{
		Small: small, State: uint64(t.CooperativeState), Numbers: uint64(numbers), Tags: uint64(tags),
		Totals: uint64(totals), Status: uint64(uintptr(unsafe.Pointer(word))),
		Digits: digits,
	}
	if t.TryLaunch(kernel, blocks, abi.Words([]abi.CooperativeSort{cooperative})...) {
		status = t.WaitForStatus(word)
	}
	if status == abi.StatusAccepted {
		t.Moves(52 * n)
		afterLaunch()
	} else {
		t.Free(rows)
		rows = 0
	}
	t.Free(numbers, tags, totals)
	return rows, status
}

// DeviceOf is what decisions need to know of the device.
func DeviceOf(t *device.Task) strategy.Device {
	return strategy.Device{Shared: t.Shared, Multiprocessors: t.Multiprocessors,
		Fits: func(kernel string) bool { return t.Fits(strategy.KernelNumbers[kernel]) }}
}
