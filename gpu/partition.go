//go:build cuda && linux && amd64

package gpu

import (
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/kernels"
)

// canScan reports whether the key scan and the kernels after it can sort n rows on this device.
func (t *task) canScan(n int) bool {
	return n > 0 && n <= t.tuning.BucketRows && strategy.Fits(t.Shared, strategy.BucketKernels...)
}

// scanAndSort scans a column and sorts its n rows, in the order of the input, by partition and bucket sort. It returns
// the sorted row numbers, or 0 when the device declined because another way is faster.
//
// A sample decides first. If it is in order, check_order compares all adjacent rows; if that fails, the sort restarts
// without this check. Otherwise the key scan counts the rows of each bucket and decides again. If most rows are heavy
// values, these are split off and the other rows are sorted by digits.
//
// The host waits for the decision of the sample while the key scan runs, because launching tens of thousands of blocks
// that only return is slow.
//
// meanwhile is called when all kernels are launched.
func (t *task) scanAndSort(in scanInput, n int, meanwhile func()) (rows driver.Ptr) {
	shape := strategy.ShapeBuckets(t.tuning, n, int(in.column.width))
	shape.Floats = in.column.form == formFloat
	if in.column.form == formKeys {
		shape = strategy.ShapeKeys(t.tuning, n)
	}
	p := t.newPartition(in, shape, n)
	sampled := t.launchScan(p, &shape, n)
	t.launchSort(p, shape, n, sampled)
	if sampled&statusInOrder != 0 {
		t.launch("check_order", t.blocks(n), p.buckets...)
	}
	meanwhile() // other streams must not use the memory that is freed from here on
	decided := t.waitForStatus(&t.reports.report.plan)
	if sampled&statusInOrder != 0 && decided&statusDeclined != 0 {
		p.structure.checksOrder = 0
		p.buckets = p.with(p.records[0], p.records[1])
		sampled = t.launchScan(p, &shape, n)
		t.launchSort(p, shape, n, sampled)
		decided = t.waitForStatus(&t.reports.report.plan)
	}
	t.reports.cleared = !t.failed() && decided&statusSplit == 0
	t.fail(t.Record(t.reports.done))
	switch {
	case decided&statusSplit != 0:
		t.sortHeavy(p, in, shape, n)
	case decided&statusAccepted == 0:
		// Where no kernel ran after the plan, none has cleared the counts of classes.
		t.reports.cleared = t.reports.cleared && sampled&statusPlanOnly == 0
		t.free(p.rows)
		p.rows = 0
	default:
		t.moves(52 * n)
	}
	t.free(p.temp, p.records[0], p.records[1])
	return p.rows
}

// launchScan launches the sample and the key scan, and returns the decision of the sample. Where that is a narrow map,
// it sets shape.exact. Where the sample finds that its map leaves some buckets too large, equalize makes another map or
// declines, and the key scan, which has returned at once, is launched again.
func (t *task) launchScan(p *partition, shape *strategy.BucketShape, n int) (sampled uint64) {
	t.reports.cleared = false // until the kernels that clear the counters are launched
	report := t.reports.report
	report.sample, report.plan = 0, 0
	t.launch("sample", 1, p.buckets...)
	t.launchEarly(shape.ScanKernel(), t.scanBlocks(n), p.buckets...)
	sampled = t.waitForStatus(&report.sample)
	if sampled&statusUneven != 0 {
		report.sample = 0
		t.launch("equalize", 1, p.buckets...)
		sampled = t.waitForStatus(&report.sample)
		shape.Equalized = sampled&statusEqualized != 0
		if sampled&statusDeclined == 0 {
			t.launch(shape.ScanKernel(), t.scanBlocks(n), p.buckets...)
		}
	}
	shape.Exact = shape.Exact || sampled&statusNarrow != 0
	return sampled
}

// launchSort launches the kernels after the key scan. They leave the counters zero. It launches nothing where the
// sample has declined or is in order, since nothing is counted then, and only bucket_plan where nothing but the
// statistics and the counts of classes is needed.
func (t *task) launchSort(p *partition, shape strategy.BucketShape, n int, sampled uint64) {
	if sampled&(statusAccepted|statusPlanOnly) == 0 {
		return
	}
	if shape.Bits > kernels.SmallBucketBits {
		t.launch("bucket_plan", shape.PlanBlocks(), p.buckets...)
	}
	if sampled&statusPlanOnly != 0 {
		return
	}
	t.launch(shape.PartitionKernel(), shape.Tiles(n), p.buckets...)
	if shape.First < shape.Bits {
		t.launch("partition_second", n/kernels.PartitionSecondTile+1<<shape.First+1, p.buckets...)
	}
	t.launch(shape.BucketSortKernel(), strategy.Ranges(n), p.buckets...)
	t.launchEarly("bucket_sort_large", t.Multiprocessors, p.buckets...) // starts when all blocks before it have started
}

// scanBlocks is the grid of the key scan: one block per multiprocessor, fewer for few rows.
func (t *task) scanBlocks(n int) int {
	perBlock := kernels.KeyScanThreads * kernels.ChunkItems
	return min(t.Multiprocessors, (n+perBlock-1)/perBlock)
}

// A partition is the device memory of one sort by partition and bucket sort.
type partition struct {
	structure abiBuckets
	buckets   []uint64   // the words of structure
	temp      driver.Ptr // all small arrays
	records   [2]driver.Ptr
	rows      driver.Ptr
}

// with returns the words of the structure with other memory for records.
func (p *partition) with(first, second driver.Ptr) []uint64 {
	b := p.structure
	b.records = [2]uint64{uint64(first), uint64(second)}
	return abiWords([]abiBuckets{b})
}

func (t *task) newPartition(in scanInput, shape strategy.BucketShape, n int) *partition {
	buckets, ranges := 1<<shape.Bits, strategy.Ranges(n)
	p := &partition{rows: t.alloc(4 * n)}
	p.records[0] = t.alloc(8 * n)
	if shape.First < shape.Bits {
		p.records[1] = t.alloc(8 * n)
	}
	sizes := []int{
		4 * (buckets + 1), 4 * buckets, 4 * (1<<shape.First + 1), 4 << shape.First, 8 * (ranges + 1),
		8 * (buckets + ranges),
		kernels.MapBytes, kernels.PartialStatisticsBytes, kernels.EqualizerBytes,
	}
	at, total := make([]uint64, len(sizes)), 0
	for i, size := range sizes {
		at[i] = uint64(total)
		total += (size + 255) &^ 255
	}
	p.temp = t.alloc(total)
	for i := range at {
		at[i] += uint64(p.temp)
	}
	decisionBytes := int(unsafe.Sizeof(abiDecision{}))
	t.zeroCounters(decisionBytes + 4*buckets + 4*kernels.Classes*shape.Tiles(n))
	counters := uint64(t.reports.counters)
	p.structure = abiBuckets{
		field: in.field(), column: in.column, codeBits: uint64(in.bits),
		records: [2]uint64{uint64(p.records[0]), uint64(p.records[1])}, rows: uint64(p.rows),
		decision: counters, counts: counters + uint64(decisionBytes),
		classCounts: counters + uint64(decisionBytes+4*buckets),
		starts:      at[0], cursors: at[1], firstStarts: at[2], firstCursors: at[3], ranges: at[4], list: at[5],
		numberMap: at[6], partial: at[7], pieces: at[8], report: uint64(uintptr(unsafe.Pointer(t.reports.report))),
		n: uint64(n), bits: uint64(shape.Bits), firstBits: uint64(shape.First), rowBits: strategy.RowBits(t.tuning, n),
		second:      uint64(shape.Bits - shape.First),
		minimumBits: strategy.BucketCodeBits, maxOversized: shape.MaxOversized(),
		checksOrder: abiBool(in.checksOrder), readsMore: abiBool(n >= t.tuning.LargeSampleRows),
	}
	p.buckets = abiWords([]abiBuckets{p.structure})
	return p
}
