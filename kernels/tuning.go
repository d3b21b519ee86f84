package kernels

// The sizes that host and kernels share. They exist here once: tuning.h is written from this file (see tuning_test.go).
const (
	// RadixBits is the most bits of a digit (paper, table 2: eight are the best).
	RadixBits = 8
	// RadixBins is the number of counters of a digit.
	RadixBins = 1 << RadixBits
	// MaxDigits is the most digits of one code word.
	MaxDigits = 8

	// BinningThreads is the size of a block of digit binning. Few warps with many rows each have fewer counters to add up
	// and more loads in flight; two blocks on a multiprocessor rank and scatter at the same time.
	BinningThreads = 320
	// BinningItems is the rows of a thread.
	BinningItems = 32
	// BinningItemsWide is the same for wide records, which take half as much room again.
	BinningItemsWide = 20
	// DigitTile is the rows of a tile of digit binning.
	DigitTile = BinningThreads * BinningItems
	// DigitTileWide is the same for wide records.
	DigitTileWide = BinningThreads * BinningItemsWide
	// StripRows is the most rows that one launch bins: its status words hold counts of 30 bits (paper, section 3.4).
	StripRows = 1 << 29

	// HistogramThreads is the size of a block of histogram, which fills a multiprocessor.
	HistogramThreads = 1024
	// HistogramCopies is how many counters each bin has in shared memory, so that lanes do not wait for one another.
	HistogramCopies = 16

	// SampleBits is the size of the sample that looks for equal keys.
	SampleBits = 14
	// SampleRows is the rows of the sample.
	SampleRows = 1 << SampleBits
	// SampleAllRows is from how many rows on the whole sample is taken; below, a quarter of it.
	SampleAllRows = 1 << 25
	// PartitionThreads is the size of a block of the partition.
	PartitionThreads = 512
	// PartitionTile is the rows of a tile of the first pass.
	PartitionTile = PartitionThreads * 16
	// PartitionSecondTile is the rows of a tile of the second pass.
	PartitionSecondTile = PartitionThreads * 16
	// BucketBits is the most bits that rows are partitioned by: counters of 16 bits for all buckets fill shared memory.
	BucketBits = 16
	// OnlyPassBits is the most bits of a partition in one pass.
	OnlyPassBits = 11

	// FinishThreads is the size of a block of the finish.
	FinishThreads = 256
	// FinishItems is the rows of a thread.
	FinishItems = 18
	// FinishWindow is the most rows of a window: a little room is left for windows that do not begin on a line of memory.
	FinishWindow = FinishThreads*FinishItems - 32
	// FinishBinBits is the bits by which the rows of a window are told apart first.
	FinishBinBits = 12
	// SmallRows is the most rows that finish_small takes: its small windows keep more blocks busy.
	SmallRows = 1 << 22
	// SmallFinishItems is the rows of a thread of finish_small.
	SmallFinishItems = 8
	// SmallFinishWindow is the most rows of its windows.
	SmallFinishWindow = FinishThreads*SmallFinishItems - 32
	// SmallFinishBinBits is its FinishBinBits.
	SmallFinishBinBits = 11
	// FinishRestRows is the most rows of a bucket that finish_rest sorts.
	FinishRestRows = 16384

	// DealThreads is the size of a block that deals row numbers to windows of a column.
	DealThreads = 512
	// DealTile is its rows.
	DealTile = DealThreads * 16
	// CollectThreads is the size of a block that collects what was gathered for a tile: two of them fill a multiprocessor.
	CollectThreads = 1024
	// DealWindows is the most windows.
	DealWindows = 256

	// StreamThreads is the size of a block of the kernels that read and write once.
	StreamThreads = 256
)
