package gpu

import "github.com/arrowsort/arrowsort/kernels"

// A bucketShape is how rows are dealt to buckets by the leading bits of their codes, in one pass or two, and how the
// buckets are finished.
type bucketShape struct {
	bits   int // of the number of a bucket
	first  int // of them, those of the first pass
	window int // rows that a block finishes
	small  bool
	width  int  // bytes of a number
	exact  bool // the finish of short codes: prefixes tell nearly all numbers apart
	keys   bool // the column is several keys
	floats bool // its values are floats
}

// bucketKernels are those of partition and finish: a device whose multiprocessors have too little memory for one of
// them sorts by digits.
var bucketKernels = []string{
	"sample", "look", "look_keys", "bucket_plan", "partition_first", "partition_first_floats", "partition_first_wide",
	"partition_first_keys", "partition_only", "partition_only_wide",
	"partition_small", "partition_small_wide", "partition_second", "finish", "finish_wide", "finish_small",
	"finish_small_wide", "finish_rest",
	"set_aside", "set_aside_wide", "watch_order", "place_strays",
}

// shapeBuckets takes as many buckets as it takes for most of them to fit into a window, and for what tells the rows of
// a window apart to fit beside their numbers.
func shapeBuckets(n, width int) bucketShape {
	s := bucketShape{bits: 1, window: kernels.FinishWindow, width: width, exact: width == 4}
	binBits := kernels.FinishBinBits
	if n <= thresholds.smallRows {
		s.small, s.window, binBits = true, kernels.SmallFinishWindow, kernels.SmallFinishBinBits
	}
	rowBits := int(rowBitsOf(n))
	for s.bits < kernels.BucketBits && (10*(n>>s.bits) > 9*s.window || s.bits+binBits < rowBits) {
		s.bits++
	}
	return s.inPasses()
}

// shapeKeys is the same for several keys that are read as one column, which takes two passes.
func shapeKeys(n int) bucketShape {
	s := shapeBuckets(n, 8)
	s.keys, s.small, s.window = true, false, kernels.FinishWindow
	s.bits = max(s.bits, kernels.OnlyPassBits+1)
	return s.inPasses()
}

// inPasses divides the bits among one pass or two.
func (s bucketShape) inPasses() bucketShape {
	s.first = s.bits
	if s.bits > kernels.OnlyPassBits {
		s.first = (s.bits + 1) / 2
	}
	return s
}

// step is the rows from one window to the next. Up to EvenWindowRows they are as many buckets as are finished at once,
// if all were equal: so no block takes two turns, for which all would wait at the end. Of more rows fewer blocks are
// better.
func (s bucketShape) step(n int) int {
	if s.small || n > kernels.EvenWindowRows {
		return s.window
	}
	step := max(1, n>>s.bits)
	for 2*step <= s.window {
		step *= 2
	}
	return step
}

// windows is the number of windows of n rows.
func (s bucketShape) windows(n int) int { return (n + s.step(n) - 1) / s.step(n) }

// tile is the rows of a tile of the pass that reads the column.
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

// partition is the kernel that deals out the rows of the column.
func (s bucketShape) partition() string {
	name := "partition_only"
	switch {
	case s.first < s.bits:
		name = "partition_first"
	case s.bits <= kernels.SmallPassBits:
		name = "partition_small"
	}
	switch {
	case s.keys:
		name += "_keys"
	case s.width == 8:
		name += "_wide"
	case s.floats && s.first < s.bits:
		name += "_floats"
	}
	return name
}

// look is the kernel that reads the column first.
func (s bucketShape) look() string {
	if s.keys {
		return "look_keys"
	}
	return "look"
}

// setAside is the kernel that sends rows of classes to their places, where most rows are.
func (s bucketShape) setAside() string {
	if s.width == 8 {
		return "set_aside_wide"
	}
	return "set_aside"
}

// finish is the kernel that finishes the buckets.
func (s bucketShape) finish() string {
	name := "finish"
	if s.small {
		name = "finish_small"
	}
	if !s.exact {
		name += "_wide"
	}
	return name
}

// early says whether the passes start while the kernels before them end. Not those over many short numbers: blocks of
// the second pass crowd together where the first one has left room, which takes a quarter of a millisecond more for
// 2^28 rows.
func (s bucketShape) early() bool { return s.small || s.width == 8 }

// finishesEarly says the same of the finish: not of the one of very many rows with codes of 32 bits, which loses by it.
func (s bucketShape) finishesEarly(n int) bool { return !s.exact || n <= kernels.EarlyFinishRows }

// tolerated is the number of buckets above the window that partition and finish takes. A block finishes each by itself:
// a round of as many as there are multiprocessors is worth it, and more in proportion to what sorting by digits takes.
func (s bucketShape) tolerated() uint64 {
	share := 10
	if s.width == 8 {
		share = 4
	}
	return uint64(max(128, 1<<s.bits/share))
}
