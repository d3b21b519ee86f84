package gpu

import "github.com/arrowsort/arrowsort/kernels"

// A bucketShape is how rows are dealt to buckets by the leading bits of their codes, in one pass or two, and how the buckets
// are finished.
type bucketShape struct {
	bits   int // of the number of a bucket
	first  int // of them, those of the first pass
	window int // rows that a block finishes
	small  bool
}

// Partition and finish is for codes of more bits than two digits, and for no more rows than this.
const (
	bucketCodeBits = 2 * kernels.RadixBits
	bucketMaxRows  = 1 << 28
)

// bucketKernels are those of partition and finish: a device whose multiprocessors have too little memory for one of them sorts by digits.
var bucketKernels = []string{
	"sample", "bucket_histogram", "bucket_plan", "partition_first", "partition_only", "partition_second",
	"finish", "finish_wide", "finish_small", "finish_small_wide", "finish_rest",
}

// shapeBuckets takes as many buckets as it takes for most of them to fit into a window, and for what tells the rows of a window apart
// to fit beside their numbers.
func shapeBuckets(n int) bucketShape {
	s := bucketShape{bits: 1, window: kernels.FinishWindow}
	binBits := kernels.FinishBinBits
	if n <= kernels.SmallRows {
		s.small, s.window, binBits = true, kernels.SmallFinishWindow, kernels.SmallFinishBinBits
	}
	rowBits := int(rowBitsOf(n))
	for s.bits < kernels.BucketBits && (10*(n>>s.bits) > 9*s.window || s.bits+binBits < rowBits) {
		s.bits++
	}
	s.first = s.bits
	if s.bits > kernels.OnlyPassBits {
		s.first = (s.bits + 1) / 2
	}
	return s
}

// windows is the number of windows of n rows.
func (s bucketShape) windows(n int) int { return (n + s.window - 1) / s.window }

// finish is the kernel that finishes codes of so many bits.
func (s bucketShape) finish(codeBits int) string {
	name := "finish"
	if s.small {
		name += "_small"
	}
	if codeBits > 32 {
		name += "_wide"
	}
	return name
}

// accepts decides whether partition and finish is the quicker way: not where the sample has found that many rows tie in the
// leading 32 bits of their codes, nor where buckets do not fit into windows. The limits are measured.
func (v *abiVerdict) accepts(n, codeBits int) bool {
	oversized := uint32(0)
	if n >= 1<<26 && codeBits <= 32 {
		oversized = 128 // of them are finished one by one in a quarter of a millisecond
	}
	return v.equal == 0 && v.miscount == 0 && v.largest <= kernels.FinishRestRows && v.oversized <= oversized
}
