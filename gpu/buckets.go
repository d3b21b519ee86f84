package gpu

import "github.com/arrowsort/arrowsort/kernels"

// A bucketShape is how many buckets rows are partitioned into, in one pass or two, and how the buckets are sorted.
type bucketShape struct {
	bits      int // of the number of a bucket: the leading bits of a code
	first     int // bits of the first of two passes; all bits for a single pass
	rangeRows int // the most rows of a bucket range, which a block sorts
	small     bool
	width     int  // bytes of a number
	exact     bool // codes have 32 bits, which tell nearly all numbers apart
	keys      bool // the column is several keys
	floats    bool // the values are floats
	equalized bool // the map is equalized
}

// bucketKernels are the kernels of partition and bucket sort. A device whose multiprocessors have too little shared
// memory for one of them sorts by digits.
var bucketKernels = []string{
	"sample", "key_scan", "key_scan_keys", "bucket_plan", "partition_first", "partition_first_floats",
	"partition_first_wide",
	"partition_first_keys", "partition_only", "partition_only_wide",
	"equalize", "key_scan_equalized", "partition_first_equalized", "partition_only_equalized",
	"partition_small", "partition_small_wide", "partition_second", "bucket_sort", "bucket_sort_wide",
	"bucket_sort_small",
	"bucket_sort_small_wide", "bucket_sort_large",
	"split_heavy", "split_heavy_wide", "check_order", "repair_order",
}

// shapeBuckets returns the shape for n rows of numbers of width bytes: the least number of buckets for which a bucket
// of average size fits 0.9 bucket ranges, and for which bucket and bin bits are no fewer than the bits of a row number.
func shapeBuckets(n, width int) bucketShape {
	s := bucketShape{bits: 1, rangeRows: kernels.BucketRangeRows, width: width, exact: width == 4}
	binBits := kernels.BucketSortBinBits
	if n <= thresholds.smallRows {
		s.small, s.rangeRows, binBits = true, kernels.SmallBucketRangeRows, kernels.SmallBucketSortBinBits
	}
	rowBits := int(rowBitsOf(n))
	for s.bits < kernels.BucketBits && (10*(n>>s.bits) > 9*s.rangeRows || s.bits+binBits < rowBits) {
		s.bits++
	}
	return s.inPasses()
}

// shapeKeys returns the shape for several keys that are read as one column: always two passes.
func shapeKeys(n int) bucketShape {
	s := shapeBuckets(n, 8)
	s.keys, s.small, s.rangeRows = true, false, kernels.BucketRangeRows
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

// step is the number of rows from the start of a bucket range to that of the next. Up to EvenRangeRows rows it is a
// power of two times the average size of a bucket, so that ranges of equal buckets are equal and no block sorts two
// ranges while others wait. For more rows the ranges are as large as possible, because fewer blocks are faster.
func (s bucketShape) step(n int) int {
	if s.small || n > kernels.EvenRangeRows {
		return s.rangeRows
	}
	step := max(1, n>>s.bits)
	for 2*step <= s.rangeRows {
		step *= 2
	}
	return step
}

// ranges is the number of bucket ranges of n rows.
func (s bucketShape) ranges(n int) int { return (n + s.step(n) - 1) / s.step(n) }

// tile is the number of rows of a tile of the pass that reads the column.
func (s bucketShape) tile() int {
	switch {
	case s.first < s.bits && s.width == 8:
		return kernels.PartitionWideTile
	case s.first < s.bits:
		return kernels.PartitionTile
	case s.bits <= kernels.SmallPassBits:
		return kernels.PartitionSmallTile
	default:
		return kernels.PartitionOnlyTile
	}
}

// tiles is the number of tiles of n rows.
func (s bucketShape) tiles(n int) int { return (n + s.tile() - 1) / s.tile() }

// partitionKernel returns the kernel that reads the column and scatters its rows.
func (s bucketShape) partitionKernel() string {
	name := "partition_only"
	switch {
	case s.first < s.bits:
		name = "partition_first"
	case s.bits <= kernels.SmallPassBits:
		name = "partition_small"
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
func (s bucketShape) splitKernel() string {
	if s.width == 8 {
		return "split_heavy_wide"
	}
	return "split_heavy"
}

// bucketSortKernel returns the kernel that sorts bucket ranges.
func (s bucketShape) bucketSortKernel() string {
	name := "bucket_sort"
	if s.small {
		name = "bucket_sort_small"
	}
	if !s.exact {
		name += "_wide"
	}
	return name
}

// early reports whether the passes start while the kernels preceding them end. Over many 4-byte numbers they do not:
// the blocks of the second pass would be placed on the few multiprocessors that the first pass has left.
func (s bucketShape) early() bool { return s.small || s.width == 8 }

// bucketSortsEarly reports the same of the bucket sort. Many rows with codes of 32 bits are faster without.
func (s bucketShape) bucketSortsEarly(n int) bool {
	return !s.exact || n <= kernels.EarlyBucketSortRows
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
