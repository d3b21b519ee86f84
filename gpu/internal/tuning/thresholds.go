// Package tuning has the numbers of rows and of bytes at which a sort on the GPU takes another path.
package tuning

import "github.com/arrowsort/arrowsort/kernels"

// A Table holds the thresholds of an engine. Tests sort sizes around and between all of them (Engine.Thresholds), and
// set some so that small sorts take the paths of large ones. Names end in Rows or Bytes, but for DictionaryPrefixes.
type Table struct {
	SmallSortRows      int // the most rows of a single-launch sort
	BucketRows         int // the most rows of partition and bucket sort
	AverageRows        int // the most of a bucket of average size: few enough for most buckets to fit a bucket range
	RecordRows         int // records have bits for the numbers of at least these rows
	LargeSampleRows    int // the least for which a larger sample is read where the first one does not tell
	StripRows          int // the most rows that one launch of digit binning takes
	AskRows            int // the least for which the device is asked which digits are constant
	AskManyRows        int // the same where there are many digits
	DictionaryRows     int // the least for which a dictionary is tried
	DictionaryPrefixes int // the most prefixes that it holds
	KeysRows           int // the least for which several keys are read as one column: for fewer, encoding is as fast
	RangesRows         int // the same where a sample finds their ranges: without it all keys are read for statistics
	SelectRows         int // the least of which the first of an order are selected before they are sorted
	TextRows           int // the least for which the device gathers strings: the host has to wait for their lengths
	WindowRows         int // the least rows of a window of a gather
	MeasureRows        int // the rows that one thread of the host measures at a time
	HelperRows         int // the least of the result for which a separate goroutine allocates its buffers

	DirectBytes   int // the least that is copied from and to the caller's pinned memory without staging
	CopyBytes     int // copied at a time from and to pinned memory, so that a cancelled context waits for no more
	BatchBytes    int // the least that one thread copies from and to the staging memory at a time
	SlotBytes     int // of a slot of the staging memory, a multiple of StagingStride: enough for the bus's full speed
	QueueBytes    int // of memory traffic that is queued: soon done if the context ends, enough to keep the device busy
	LateBytes     int // the least that is downloaded in a separate stream
	PrefetchBytes int // the least for which a second stream uploads columns while the keys are sorted
	WindowBytes   int // the least size of a column that is gathered in windows
}

// Default returns the thresholds for the device: those of docs/experiments.md.
func Default() Table {
	return Table{
		SmallSortRows:      kernels.CooperativeRows,
		BucketRows:         1 << 28,
		AverageRows:        kernels.BucketRangeRows * 9 / 10,
		RecordRows:         1,
		LargeSampleRows:    1<<22 + 1,
		StripRows:          kernels.StripRows,
		AskRows:            1 << 25,
		AskManyRows:        1 << 21,
		DictionaryRows:     1 << 24,
		DictionaryPrefixes: 1_300_000,
		KeysRows:           1 << 23,
		RangesRows:         1 << 18,
		SelectRows:         1 << 20,
		TextRows:           1 << 16,
		WindowRows:         1 << 20,
		MeasureRows:        1 << 16,
		HelperRows:         1 << 16,

		DirectBytes:   64 << 10,
		CopyBytes:     256 << 20,
		BatchBytes:    256 << 10,
		SlotBytes:     2 << 20,
		QueueBytes:    4 << 30,
		LateBytes:     1 << 20,
		PrefetchBytes: 4 << 20,
		WindowBytes:   128 << 20,
	}
}
