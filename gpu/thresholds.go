package gpu

import "github.com/arrowsort/arrowsort/kernels"

// A thresholdTable holds the numbers of rows and of bytes at which a sort takes another path. Tests sort sizes around
// and between all of them (Engine.Thresholds), and set some so that small sorts take the paths of large ones. Names end
// in Rows or Bytes.
type thresholdTable struct {
	smallSortRows      int // the most rows of a single-launch sort
	bucketRows         int // the most rows of partition and bucket sort
	averageRows        int // the most of a bucket of average size: few enough for most buckets to fit a bucket range
	recordRows         int // records have bits for the numbers of at least these rows
	largeSampleRows    int // the least for which a larger sample is read where the first one does not tell
	stripRows          int // the most rows that one launch of digit binning takes
	askRows            int // the least for which the device is asked which digits are constant
	askManyRows        int // the same where there are many digits
	dictionaryRows     int // the least for which a dictionary is tried
	dictionaryPrefixes int // the most prefixes that it holds
	keysRows           int // the least for which several keys are read as one column: for fewer, encoding is as fast
	selectRows         int // the least of which the first of an order are selected before they are sorted
	textRows           int // the least for which the device gathers strings: the host has to wait for their lengths
	longRunRows        int // the least tied rows that the device sorts faster than one thread
	windowRows         int // the least rows of a window of a gather
	encodeRows         int // the rows that one thread of the host encodes at a time
	measureRows        int // the rows that one thread of the host measures at a time
	helperRows         int // the least of the result for which a separate goroutine allocates its buffers

	directBytes   int // the least that is copied from and to the caller's pinned memory without staging
	copyBytes     int // copied at a time from and to pinned memory, so that a cancelled context waits for no more
	batchBytes    int // the least that one thread copies from and to the staging memory at a time
	slotBytes     int // of a slot of the staging memory, a multiple of stagingStride: enough for the bus's full speed
	queueBytes    int // of memory traffic that is queued: soon done if the context ends, enough to keep the device busy
	lateBytes     int // the least that is downloaded in a separate stream
	prefetchBytes int // the least for which a second stream uploads columns while the keys are sorted
	windowBytes   int // the least size of a column that is gathered in windows
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
