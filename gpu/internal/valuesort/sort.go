//go:build cuda && linux && amd64

package valuesort

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/gather"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/partition"
)

// Sort returns the sorted values of the only key of a job to which this way applies, and the number of nulls: by
// partition and bucket sort, else by the digits that vary. Under nulls are zeros or values of the column. The memory is
// the caller's; if the rows are in order it is that of the column, which the columns then do not have any more.
func Sort(c *keys.Columns) (values driver.Ptr, nulls int) {
	key := c.Job.Keys[0]
	in := c.KeyInput(key)
	varying := uint64(0) // unknown
	if c.Facts.CanScan(c.Tuning, c.Rows) {
		if values = partition.SortValues(c.Task, in, c.Rows); c.Failed() || values != 0 && in.Column.Validity == 0 {
			return values, 0
		}
		report := c.WaitForReport()
		nulls = int(report.Statistics.Nulls)
		switch {
		case values != 0:
			return values, nulls
		case report.Decision.Reason == abi.ReasonOrdered:
			return ordered(c, key.Column, report.Statistics.Falls != 0), nulls
		}
		varying = partition.Varying(&report, in.Bits)
	}
	field := in.Field()
	field.Validity = 0                                                                            // no row is null
	if values = onesweep.SortValues(c.Task, field, c.Rows, varying); values == 0 && !c.Failed() { // all are equal
		values = c.Take(key.Column)
	}
	return values, 0
}

// ordered returns the values of a column in order, or in reverse.
func ordered(c *keys.Columns, at int, falls bool) driver.Ptr {
	if !falls {
		return c.Take(at)
	}
	width := c.Job.Columns[at].ValueBytes()
	values, rows := c.Alloc(width*c.Rows), c.Iota(c.Rows, true)
	gather.Rows(c.Task, c.OnDevice[at].Values, width, rows, c.Rows, values)
	c.Free(rows)
	return values
}
