package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// A bucketShape is how many buckets rows are partitioned into, in one pass or two, and which kernels do so.
type bucketShape struct {
	bits      int  // of the number of a bucket: the leading bits of a code
	first     int  // bits of the first of two passes; all bits for a single pass
	width     int  // bytes of a number
	exact     bool // codes have 32 bits, which tell nearly all numbers apart
	keys      bool // the column is several keys
	floats    bool // the values are floats
	equalized bool // the map is equalized
}

// bucketKernels are the kernels of partition and bucket sort. A device whose multiprocessors have too little shared
// memory for one of them sorts by digits.
var bucketKernels = []string{
	"sample", "equalize", "key_scan", "key_scan_equalized", "key_scan_keys", "bucket_plan",
	"partition_first", "partition_first_floats", "partition_first_wide", "partition_first_equalized",
	"partition_first_keys", "partition_only", "partition_only_wide", "partition_only_equalized", "partition_second",
	"bucket_sort", "bucket_sort_wide", "bucket_sort_large", "split_heavy", "split_heavy_wide", "check_order",
}

// bucketCodeBits is the bits of two digits. Codes of at most that many bits are sorted by digits.
const bucketCodeBits = 2 * kernels.RadixBits

// shapeBuckets returns the shape for n rows of numbers of width bytes: the least number of buckets for which a bucket
// of average size is small enough, and for which bucket and bin bits are no fewer than the bits of a row number.
func shapeBuckets(t *tuning.Table, n, width int) bucketShape {
	s := bucketShape{bits: 1, width: width, exact: width == 4}
	rowBits := int(rowBitsOf(t, n))
	for s.bits < kernels.BucketBits &&
		(n>>s.bits > t.AverageRows || s.bits+kernels.BucketSortBinBits < rowBits) {
		s.bits++
	}
	return s.inPasses()
}

// shapeKeys returns the shape for several keys that are read as one column: always two passes.
func shapeKeys(t *tuning.Table, n int) bucketShape {
	s := shapeBuckets(t, n, 8)
	s.keys = true
	s.bits = max(s.bits, kernels.OnlyPassBits+1)
	return s.inPasses()
}

// inPasses returns the shape with its bits divided among one pass or two.
func (s bucketShape) inPasses() bucketShape {
	s.first = s.bits
	if s.bits > kernels.OnlyPassBits {
		s.first = (s.bits + 1) / 2
	}
	return s
}

// ranges is the number of bucket ranges of n rows.
func ranges(n int) int { return (n + kernels.BucketRangeRows - 1) / kernels.BucketRangeRows }

// tile is the number of rows of a tile of the pass that reads the column.
func (s bucketShape) tile() int {
	switch {
	case s.first < s.bits && s.width == 8:
		return kernels.PartitionWideTile
	case s.first < s.bits:
		return kernels.PartitionTile
	default:
		return kernels.PartitionOnlyTile
	}
}

// tiles is the number of tiles of n rows.
func (s bucketShape) tiles(n int) int { return (n + s.tile() - 1) / s.tile() }

// partitionKernel returns the kernel that reads the column and scatters its rows.
func (s bucketShape) partitionKernel() string {
	name := "partition_only"
	if s.first < s.bits {
		name = "partition_first"
	}
	switch {
	case s.equalized:
		name += "_equalized"
	case s.keys:
		name += "_keys"
	case s.width == 8:
		name += "_wide"
	case s.floats && s.first < s.bits:
		name += "_floats"
	}
	return name
}

// scanKernel returns the kernel of the key scan.
func (s bucketShape) scanKernel() string {
	switch {
	case s.equalized:
		return "key_scan_equalized"
	case s.keys:
		return "key_scan_keys"
	}
	return "key_scan"
}

// splitKernel returns the kernel that splits heavy values, NaN and null from the other rows.
func (s bucketShape) splitKernel() string { return variant("split_heavy", s.width == 8) }

// bucketSortKernel returns the kernel that sorts bucket ranges.
func (s bucketShape) bucketSortKernel() string { return variant("bucket_sort", !s.exact) }

// variant returns the name of a kernel, or of that for wide rows.
func variant(kernel string, wide bool) string {
	if wide {
		return kernel + "_wide"
	}
	return kernel
}

// maxOversized is the most buckets larger than a bucket range with which a column is sorted by buckets. One block sorts
// each of them, while other blocks wait.
func (s bucketShape) maxOversized() uint64 {
	share := 10
	if s.width == 8 {
		share = 4
	}
	return uint64(max(128, 1<<s.bits/share))
}

// planBlocks is the grid of bucket_plan: blocks for the buckets, and one for each class.
func (s bucketShape) planBlocks() int {
	const perBlock = kernels.PlanThreads * kernels.PlanItems
	return (1<<s.bits+perBlock-1)/perBlock + kernels.Classes
}
