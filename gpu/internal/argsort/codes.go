//go:build cuda && linux && amd64

package argsort

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/incore"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/partition"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
)

// sortCodes sorts by a source, and returns the sorted rows: 0 if all codes are equal and the rows are in the order of
// the input. It frees or reuses the memory of the source. scan is the same as a column in the order of the input; nil
// where the key scan has declined it. declined are the ways that have.
func sortCodes(t *device.Task, src onesweep.Source, scan *abi.KeySource, declined strategy.Kind) driver.Ptr {
	if rows, ok := sortBeforeDigits(t, &src, scan, declined); ok {
		return rows
	}
	return onesweep.Sort(t, encodeByDictionary(t, src))
}

// sortBeforeDigits sorts in a single launch, or by partition and bucket sort. If both decline the source has the bits
// that vary, where the key scan has found them.
func sortBeforeDigits(t *device.Task, src *onesweep.Source, scan *abi.KeySource, declined strategy.Kind) (
	rows driver.Ptr, ok bool) {
	if declined&strategy.Grid == 0 {
		if rows, ok = incore.Sort(t, src.Field, src.Rows, src.N, incore.NoClasses, func() {}); ok {
			t.Free(src.Codes, src.Rows)
			return rows, true
		}
	}
	has := incore.DeviceOf(t)
	if scan == nil || src.Width <= strategy.BucketCodeBits || !has.CanScan(t.Tuning, src.N) {
		return 0, false
	}
	if rows = partition.Sort(t, *scan, src.N, func() {}); rows != 0 {
		t.Free(src.Codes)
		return rows, true
	}
	if scan.Field() == src.Field { // else the bits are those of other numbers
		report := t.WaitForReport()
		src.Varying = partition.Varying(&report, src.Width)
	}
	return 0, false
}
