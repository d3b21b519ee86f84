package gpu

import "github.com/arrowsort/arrowsort/kernels"

// A thresholdTable holds the numbers of rows and of bytes at which a sort takes another path. Tests sort sizes around
// and between all of them (Engine.Thresholds), so whatever is added here is tested; and they set some, so that small
// sorts take the paths of large ones. Names end in Rows or Bytes.
type thresholdTable struct {
	// The most rows of a sort that may be one launch.
	oneLaunchRows int
	// The most rows for which partition and finish takes small windows.
	smallRows int
	// The most rows that partition and finish takes.
	bucketRows int
	// The most rows that one launch of digit binning takes.
	stripRows int
	// The most rows of digit binning with small tiles, and the least with large ones.
	smallTileRows, largeTileRows int
	// The least rows for which many digits are counted by histogram_wide.
	wideHistogramRows int
	// The least rows for which the device is asked which digits are constant, and the same where there are many digits.
	askRows, askManyRows int
	// The least rows for which several keys are read as one column: below, it is as quick to make a column of their
	// numbers.
	keysRows int
	// The least rows of which the first of an order are selected before they are sorted, if few enough are wanted.
	selectRows int
	// The least rows for which the device gathers strings: the host has to wait for their lengths.
	textRows int
	// The least tied rows that the device sorts faster than one thread.
	longRunRows int
	// The least rows of a window of a gather.
	windowRows int
	// What one thread of the host encodes, and measures, at a time.
	encodeRows, measureRows int
	// The least rows of the result for which another goroutine makes its buffers: for fewer it costs more.
	helperRows int

	// The least that is copied from and to the caller's pinned memory without staging.
	directBytes int
	// What is copied at a time from and to pinned memory, so that a cancelled context need not wait for more.
	copyBytes int
	// The least that one thread copies from and to the staging memory.
	pieceBytes int
	// The size of a slot of the staging memory, a multiple of stagingStride: large enough for the bus to be at full
	// speed.
	slotBytes int
	// What a stream has to move before the host waits for what came before: little enough for a cancelled context to
	// end the sort soon, and enough for the device never to be idle.
	queueBytes int
	// The least that comes down in a separate stream.
	lateBytes int
	// The least for which a second stream brings columns up while the keys are sorted.
	prefetchBytes int
	// The least size of a column that is gathered in windows.
	windowBytes int
}

var thresholds = thresholdTable{
	oneLaunchRows:     kernels.GridRows,
	smallRows:         kernels.SmallRows,
	bucketRows:        1 << 28,
	stripRows:         kernels.StripRows,
	smallTileRows:     kernels.SmallTileRows,
	largeTileRows:     kernels.LargeTileRows,
	wideHistogramRows: kernels.WideHistogramRows,
	askRows:           1 << 25,
	askManyRows:       1 << 21,
	keysRows:          1 << 23,
	selectRows:        1 << 20,
	textRows:          1 << 16,
	longRunRows:       1 << 15,
	windowRows:        1 << 20,
	encodeRows:        1 << 14,
	measureRows:       1 << 16,
	helperRows:        1 << 16,

	directBytes:   64 << 10,
	copyBytes:     256 << 20,
	pieceBytes:    256 << 10,
	slotBytes:     2 << 20,
	queueBytes:    4 << 30,
	lateBytes:     1 << 20,
	prefetchBytes: 4 << 20,
	windowBytes:   128 << 20,
}
