//go:build cuda && linux && amd64

// Package partition sorts by partition into buckets and bucket sort, where the device finds that it suits the keys.
package partition

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/incore"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/kernels"
)

// Sort scans a column and sorts its n rows, in the order of the input, by partition and bucket sort. It returns
// the sorted row numbers, or 0 when the device declined because another way is faster.
//
// A sample decides first. If it lies unevenly, the map is equalized, or the sort restarts with more buckets. If it is
// in order, check_order compares all adjacent rows; if that fails, the sort restarts without this check. Otherwise the
// key scan counts the rows of each bucket and decides again. If most rows are heavy values, these are split off and the
// other rows are sorted by digits.
//
// The host waits for the decision of the sample while the key scan runs, because launching tens of thousands of blocks
// that only return is slow.
//
// Where the sample finds the rows spread evenly, buckets have pages, and nothing is counted; if some row has no place
// in them, the sort restarts and counts.
//
// If the sample finds fixed-point floats that the caller may encode, fixed describes them, and nothing is sorted.
//
// afterLaunch is called when all kernels are launched.
func Sort(t *device.Task, in abi.KeySource, n int, afterLaunch func()) (rows driver.Ptr, fixed *strategy.FixedPoint) {
	shape := strategy.ShapeBuckets(t.Tuning, n, int(in.Column.Width))
	shape.Floats = in.Column.Form == abi.FormFloat
	if in.Column.Form == abi.FormKeys {
		shape = strategy.ShapeKeys(t.Tuning, n)
	}
	return sort(t, in, shape, n, afterLaunch)
}

// SortValues does the same for keys only: a column of integers. It returns its sorted values, or 0 when the device
// declined, which it does not if there are nulls, or the rows are in order. The reason is in the report.
func SortValues(t *device.Task, in abi.KeySource, n int) (values driver.Ptr) {
	shape := strategy.ShapeBuckets(t.Tuning, n, int(in.Column.Width))
	shape.Values, in.ChecksOrder = true, false // the key scan finds the order as fast
	values, _ = sort(t, in, shape, n, func() {})
	return values
}

// sort returns the rows or the values of a column in the order of its keys, or 0.
func sort(t *device.Task, in abi.KeySource, shape strategy.BucketShape, n int, afterLaunch func()) (
	driver.Ptr, *strategy.FixedPoint) {
	p := newPartition(t, in, shape, n)
	sampled := launchScan(t, p, &shape, n)
	if sampled&(abi.StatusCrowded|abi.StatusFixed) != 0 {
		t.Reports.Cleared = !t.Failed() // it has counted nothing
		if sampled&abi.StatusFixed != 0 {
			seen := &t.Reports.Report.Statistics
			return 0, strategy.NewFixedPoint(int(sampled>>abi.StatusConstantShift), ^seen.NotMin[0], seen.Max[0])
		}
		defer t.Free(p.temp) // the key scan still reads it
		return sort(t, in, shape.Finer(), n, afterLaunch)
	}
	if !p.allocate(t, shape, n, sampled&abi.StatusEven != 0) && !t.Failed() {
		defer t.Free(p.temp)
		in.Counts = true
		return sort(t, in, shape, n, afterLaunch)
	}
	launchSort(t, p, shape, n, sampled)
	if sampled&abi.StatusInOrder != 0 {
		t.Launch("check_order", t.Blocks(n), p.buckets...)
	}
	afterLaunch() // other streams must not use the memory that is freed from here on
	decided := t.WaitForStatus(&t.Reports.Report.Plan)
	if sampled&(abi.StatusInOrder|abi.StatusEven) != 0 && decided&abi.StatusDeclined != 0 {
		in.ChecksOrder = in.ChecksOrder && sampled&abi.StatusInOrder == 0
		in.Counts = in.Counts || sampled&abi.StatusEven != 0
		t.Reports.Cleared = !t.Failed() && sampled&abi.StatusEven == 0 // else nothing has been counted
		t.Free(p.rows, p.temp, p.records[0], p.records[1])
		return sort(t, in, shape, n, func() {})
	}
	t.Reports.Cleared = !t.Failed() && decided&abi.StatusSplit == 0
	t.Record(t.Reports.Done)
	switch {
	case decided&abi.StatusSplit != 0 && shape.Values:
		sortHeavyValues(t, p, in, shape, n)
	case decided&abi.StatusSplit != 0:
		sortHeavy(t, p, in, shape, n)
	case decided&abi.StatusAccepted == 0:
		// Where no kernel ran after the plan, none has cleared the counts of classes.
		t.Reports.Cleared = t.Reports.Cleared && sampled&abi.StatusPlanOnly == 0
		t.Free(p.rows)
		p.rows = 0
	default:
		t.Moves(52 * n)
	}
	t.Free(p.temp, p.records[0], p.records[1])
	return p.rows, nil
}

// launchScan launches the sample and the key scan, and returns the decision of the sample. Where that is a narrow map,
// it sets shape.Exact. Where the sample finds that its map leaves some buckets too large, equalize makes another map or
// declines, and the key scan, which has returned at once, is launched again.
func launchScan(t *device.Task, p *partition, shape *strategy.BucketShape, n int) (sampled uint64) {
	t.Reports.Cleared = false // until the kernels that clear the counters are launched
	report := t.Reports.Report
	report.Sample, report.Plan = 0, 0
	t.Launch("sample", 1, p.buckets...)
	t.LaunchEarly(shape.Kernels().Scan, scanBlocks(t, n), p.buckets...)
	sampled = t.WaitForStatus(&report.Sample)
	if sampled&abi.StatusUneven != 0 {
		report.Sample = 0
		t.Launch("equalize", 1, p.buckets...)
		sampled = t.WaitForStatus(&report.Sample)
		shape.Equalized = sampled&abi.StatusEqualized != 0
		if sampled&abi.StatusDeclined == 0 {
			t.Launch(shape.Kernels().Scan, scanBlocks(t, n), p.buckets...)
		}
	}
	shape.Exact = shape.Exact || sampled&abi.StatusNarrow != 0
	return sampled
}

// allocate allocates the result, and the records, with pages or without. It returns false if there is no memory for
// pages.
func (p *partition) allocate(t *device.Task, shape strategy.BucketShape, n int, even bool) bool {
	width := 4
	if shape.Values {
		width = shape.Width
	}
	p.rows = t.Alloc(width * n)
	passes := 1
	if shape.First < shape.Bits {
		passes = 2
	}
	b := &p.structure
	if even {
		b.Page = b.EvenPage
		records, ok := t.AllocAll(slices.Repeat([]int{shape.RecordBytes() * shape.PagedRecords(n)}, passes)...)
		if !ok {
			t.Free(p.rows)
			p.rows = 0
			return false
		}
		copy(p.records[:], records)
	} else {
		for pass := range passes {
			p.records[pass] = t.Alloc(shape.RecordBytes() * n)
		}
	}
	b.Records, b.Rows = [2]uint64{uint64(p.records[0]), uint64(p.records[1])}, uint64(p.rows)
	p.buckets = abi.Words([]abi.Buckets{*b})
	return true
}

// launchSort launches the kernels after the key scan. They leave the counters zero. It launches nothing where the
// sample has declined or is in order, since nothing is counted then, and only bucket_plan where nothing but the
// statistics and the counts of classes is needed.
func launchSort(t *device.Task, p *partition, shape strategy.BucketShape, n int, sampled uint64) {
	if sampled&(abi.StatusAccepted|abi.StatusPlanOnly) == 0 {
		return
	}
	even, records := sampled&abi.StatusEven != 0, n
	if even {
		records = shape.Page(n) << shape.Bits
	}
	if shape.Bits > kernels.SmallBucketBits && !even {
		t.Launch("bucket_plan", shape.PlanBlocks(), p.buckets...)
	}
	if sampled&abi.StatusPlanOnly != 0 {
		return
	}
	k := shape.Kernels()
	t.Launch(k.First, shape.Tiles(n), p.buckets...)
	if shape.First < shape.Bits {
		t.Launch(k.Second, records/kernels.PartitionSecondTile+1<<shape.First+1, p.buckets...)
	}
	if even {
		t.Launch("bucket_plan", shape.PlanBlocks(), p.buckets...)
	}
	t.Launch(k.Sort, strategy.Ranges(n), p.buckets...)
	t.LaunchEarly(k.SortLarge, t.Multiprocessors, p.buckets...) // starts when all blocks before it have started
}

// scanBlocks is the grid of the key scan: one block per multiprocessor, fewer for few rows.
func scanBlocks(t *device.Task, n int) int {
	perBlock := kernels.KeyScanThreads * kernels.ChunkItems
	return min(t.Multiprocessors, (n+perBlock-1)/perBlock)
}

// A partition is the device memory of one sort by partition and bucket sort.
type partition struct {
	structure abi.Buckets
	buckets   []uint64   // the words of structure
	temp      driver.Ptr // all small arrays
	records   [2]driver.Ptr
	rows      driver.Ptr // the result: row numbers, or values
}

// with returns the words of the structure with other memory for records.
func (p *partition) with(first, second driver.Ptr) []uint64 {
	b := p.structure
	b.Records = [2]uint64{uint64(first), uint64(second)}
	return abi.Words([]abi.Buckets{b})
}

func newPartition(t *device.Task, in abi.KeySource, shape strategy.BucketShape, n int) *partition {
	buckets, ranges := 1<<shape.Bits, strategy.Ranges(n)
	p := &partition{}
	sizes := []int{
		4 * (buckets + 1), 4 * buckets, 4 * (1<<shape.First + 1), 4 << shape.First, 8 * (ranges + 1),
		8 * (buckets + ranges),
		kernels.MapBytes, kernels.PartialStatisticsBytes, kernels.EqualizerBytes, 4 * shape.Extensions(),
	}
	at, total := make([]uint64, len(sizes)), 0
	for i, size := range sizes {
		at[i] = uint64(total)
		total += (size + 255) &^ 255
	}
	p.temp = t.Alloc(total)
	for i := range at {
		at[i] += uint64(p.temp)
	}
	decisionBytes := int(unsafe.Sizeof(abi.Decision{}))
	t.ZeroCounters(decisionBytes + 4*buckets + 4*kernels.Classes*shape.Tiles(n))
	counters := uint64(t.Reports.Counters)
	p.structure = abi.Buckets{
		Field: in.Field(), Column: in.Column, CodeBits: uint64(in.Bits),
		Decision: counters, Counts: counters + uint64(decisionBytes),
		ClassCounts: counters + uint64(decisionBytes+4*buckets),
		Starts:      at[0], Cursors: at[1], FirstStarts: at[2], FirstCursors: at[3], Ranges: at[4], List: at[5],
		NumberMap: at[6], Partial: at[7], Pieces: at[8], Report: uint64(uintptr(unsafe.Pointer(t.Reports.Report))),
		N: uint64(n), Bits: uint64(shape.Bits), FirstBits: uint64(shape.First), RowBits: strategy.RowBits(t.Tuning, n),
		Second:      uint64(shape.Bits - shape.First),
		MinimumBits: strategy.BucketCodeBits, MaxOversized: shape.MaxOversized(),
		ChecksOrder: abi.Bool(in.ChecksOrder), ReadsMore: abi.Bool(n >= t.Tuning.LargeSampleRows),
		Crowded:    abi.Bool(shape.Crowded),
		ValuesOnly: abi.Bool(shape.Values), FixesPoint: abi.Bool(in.FixesPoint),
		Extensions: uint64(shape.Extensions()), Filled: at[9],
	}
	if !in.Counts {
		p.structure.EvenPage = uint64(shape.Page(n))
	}
	if n >= t.Tuning.LargeSampleRows {
		p.structure.MoreBits = uint64(shape.MoreBits())
	}
	p.buckets = abi.Words([]abi.Buckets{p.structure})
	return p
}

// Varying returns the bits of numbers that vary; 0 if unknown: bits that are constant in a sample may vary in other
// rows.
func Varying(r *abi.Report, width int) uint64 {
	bits := r.Statistics.Any & r.Statistics.NotAll
	if r.Decision.Early != 0 && !strategy.AllVary(width, bits) {
		return 0
	}
	return bits
}

// sortHeavy sorts a column most of whose rows are of classes: heavy values, NaN and null. A kernel writes their row
// numbers to their places in the result. The other rows are sorted by digits, and merged into the places between.
func sortHeavy(t *device.Task, p *partition, in abi.KeySource, shape strategy.BucketShape, n int) {
	report := t.WaitForReport()
	others := int(report.Decision.Records)
	codes := p.records[0]
	t.Free(p.records[1])
	p.records = [2]driver.Ptr{}
	rows := t.Alloc(4 * others)
	t.Launch(shape.Kernels().Split, shape.Tiles(n), p.with(codes, rows)...)
	t.Reports.Cleared = !t.Failed() // the kernel clears the counts of classes
	t.Moves(2*int(in.Column.Width)*n + 16*n)
	if others == 0 {
		t.Free(codes, rows)
		return
	}
	src := onesweep.OfCodes(t, codes, rows, others, in.Bits, n)
	src.Varying = Varying(&report, in.Bits)
	sorted, ok := incore.Sort(t, incore.ByCodes(src), func() {})
	if !ok {
		sorted = onesweep.Sort(t, src)
	}
	t.Launch(shape.Kernels().Merge, t.Blocks(others), p.with(sorted, 0)...)
	t.Free(sorted)
}

// sortHeavyValues does the same for keys only.
func sortHeavyValues(t *device.Task, p *partition, in abi.KeySource, shape strategy.BucketShape, n int) {
	report := t.WaitForReport()
	others, numbers := int(report.Decision.Records), p.records[0]
	t.Launch(shape.Kernels().Split, shape.Tiles(n), p.buckets...)
	t.Reports.Cleared = !t.Failed() // the kernel clears the counts of classes
	t.Moves(3 * shape.Width * n)
	sorted := driver.Ptr(0)
	if others > 0 {
		sorted = onesweep.SortValues(t, abi.Integers(numbers, shape.Width), others, Varying(&report, in.Bits))
	}
	t.Launch(shape.Kernels().Merge, t.Blocks(n), p.with(cmp.Or(sorted, numbers), 0)...)
	t.Free(sorted)
}
