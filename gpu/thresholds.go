package gpu

import "github.com/arrowsort/arrowsort/kernels"

// A thresholdTable holds the numbers of rows and of bytes at which a sort takes another path. Tests sort sizes around
// and between all of them (Engine.Thresholds), and set some so that small sorts take the paths of large ones. Names end
// in Rows or Bytes.
type thresholdTable struct {
	// The most rows of a single-launch sort.
	smallSortRows int
	// The most rows of partition and bucket sort.
	bucketRows int
	// The most rows of a bucket of average size: few enough for most buckets to fit a bucket range.
	averageRows int
	// Records have bits for the numbers of at least these rows.
	recordRows int
	// The least rows for which a larger sample is read where the first one does not tell.
	largeSampleRows int
	// The most rows that one launch of digit binning takes.
	stripRows int
	// The least rows for which the device is asked which digits are constant, and the same where there are many digits.
	askRows, askManyRows int
	// The least rows for which a dictionary is tried, and the most prefixes that it holds.
	dictionaryRows, dictionaryPrefixes int
	// The least rows for which several keys are read as one column: for fewer, encoding a column of their numbers is as
	// fast.
	keysRows int
	// The least rows of which the first of an order are selected before they are sorted.
	selectRows int
	// The least rows for which the device gathers strings: the host has to wait for their lengths.
	textRows int
	// The least tied rows that the device sorts faster than one thread.
	longRunRows int
	// The least rows of a window of a gather.
	windowRows int
	// The rows that one thread of the host encodes, and measures, at a time.
	encodeRows, measureRows int
	// The least rows of the result for which a separate goroutine allocates its buffers.
	helperRows int

	// The least that is copied from and to the caller's pinned memory without staging.
	directBytes int
	// The bytes copied at a time from and to pinned memory, so that a cancelled context waits for no more.
	copyBytes int
	// The least that one thread copies from and to the staging memory at a time.
	batchBytes int
	// The size of a slot of the staging memory, a multiple of stagingStride: large enough for the bus to be at full
	// speed.
	slotBytes int
	// The bytes of memory traffic that are queued before the host waits for preceding ones: few enough for a cancelled
	// context to end the sort soon, enough to keep the device busy.
	queueBytes int
	// The least that is downloaded in a separate stream.
	lateBytes int
	// The least for which a second stream uploads columns while the keys are sorted.
	prefetchBytes int
	// The least size of a column that is gathered in windows.
	windowBytes int
}

var thresholds = thresholdTable{
	smallSortRows:      kernels.CooperativeRows,
	bucketRows:         1 << 28,
	averageRows:        kernels.BucketRangeRows * 9 / 10,
	recordRows:         1,
	largeSampleRows:    1<<22 + 1,
	stripRows:          kernels.StripRows,
	askRows:            1 << 25,
	askManyRows:        1 << 21,
	dictionaryRows:     1 << 24,
	dictionaryPrefixes: 1_300_000,
	keysRows:           1 << 23,
	selectRows:         1 << 20,
	textRows:           1 << 16,
	longRunRows:        1 << 15,
	windowRows:         1 << 20,
	encodeRows:         1 << 14,
	measureRows:        1 << 16,
	helperRows:         1 << 16,

	directBytes:   64 << 10,
	copyBytes:     256 << 20,
	batchBytes:    256 << 10,
	slotBytes:     2 << 20,
	queueBytes:    4 << 30,
	lateBytes:     1 << 20,
	prefetchBytes: 4 << 20,
	windowBytes:   128 << 20,
}
