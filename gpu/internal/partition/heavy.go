//go:build cuda && linux && amd64

package partition

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/incore"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
)

// sortHeavy sorts a column most of whose rows are of classes: heavy values, NaN and null. A kernel writes their row
// numbers to their places in the result. The other rows are sorted by digits, and merged into the places between.
func sortHeavy(t *device.Task, p *partition, in abi.KeySource, shape strategy.BucketShape, n int) {
	report := t.WaitForReport()
	others := int(report.Decision.Records)
	codes := p.records[0]
	t.Free(p.records[1])
	p.records = [2]driver.Ptr{}
	rows := t.Alloc(4 * others)
	t.Launch(shape.SplitKernel(), shape.Tiles(n), p.with(codes, rows)...)
	t.Reports.Cleared = !t.Failed() // the kernel clears the counts of classes
	t.Moves(2*int(in.Column.Width)*n + 16*n)
	if others == 0 {
		t.Free(codes, rows)
		return
	}
	src := onesweep.Codes(t, codes, rows, others, in.Bits, n)
	src.Varying = Varying(&report, in.Bits)
	sorted, ok := incore.Sort(t, src.Field, rows, others, incore.NoClasses, func() {})
	if ok {
		t.Free(codes, rows)
	} else {
		sorted = onesweep.Sort(t, src)
	}
	t.Launch("merge_heavy", t.Blocks(others), p.with(sorted, 0)...)
	t.Free(sorted)
}
