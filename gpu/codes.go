//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
)

// sortCodes sorts by a source, and returns the sorted rows: 0 if all codes are equal and the rows are in the order of
// the input. It frees or reuses the memory of the source. scan is the same as a column in the order of the input; nil
// where the key scan has declined it. declined are the ways that have.
func sortCodes(t *device.Task, src source, scan *abi.KeySource, declined strategy.Kind) driver.Ptr {
	if rows, ok := sortBeforeDigits(t, &src, scan, declined); ok {
		return rows
	}
	return onesweep(t, encodeByDictionary(t, src))
}

// sortBeforeDigits sorts in a single launch, or by partition and bucket sort. If both decline the source has the bits
// that vary, where the key scan has found them.
func sortBeforeDigits(t *device.Task, src *source, scan *abi.KeySource, declined strategy.Kind) (rows driver.Ptr, ok bool) {
	if declined&strategy.Grid == 0 {
		if rows, ok = singleLaunch(t, src.field, src.rows, src.n, noClasses, func() {}); ok {
			t.Free(src.codes, src.rows)
			return rows, true
		}
	}
	device := describeDevice(t)
	if scan == nil || src.width <= strategy.BucketCodeBits || !device.CanScan(t.Tuning, src.n) {
		return 0, false
	}
	if rows = scanAndSort(t, *scan, src.n, func() {}); rows != 0 {
		t.Free(src.codes)
		return rows, true
	}
	if scan.Field() == src.field { // else the bits are those of other numbers
		report := t.WaitForReport()
		src.varying = varying(&report, src.width)
	}
	return 0, false
}
