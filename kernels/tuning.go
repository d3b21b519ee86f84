package kernels

// The sizes that host and kernels share. tuning.h is generated from this file (see tuning_test.go).
const (
	// RadixBits is the most bits of a digit (paper, table 2: eight are the best).
	RadixBits = 8
	// RadixBins is the number of counters of a digit.
	RadixBins = 1 << RadixBits
	// MaxDigits is the most digits of one code word.
	MaxDigits = 8
	// HalfDigits is the most digits that are counted in half the memory.
	HalfDigits = MaxDigits / 2

	// BinningThreads is the size of a block of digit binning, two of which fit a multiprocessor, so that one tile is
	// ranked while the other is written.
	BinningThreads = 384
	// BinningItems is the rows of a thread.
	BinningItems = 26
	// BinningWideItems is the same for wide records, which take 1.5 times the memory.
	BinningWideItems = 17
	// BinningTile is the rows of a tile.
	BinningTile = BinningThreads * BinningItems
	// BinningWideTile is the same for wide records.
	BinningWideTile = BinningThreads * BinningWideItems

	// StripRows is the most rows that one launch bins: its status words hold counts of 30 bits (paper, section 3.4).
	StripRows = 1 << 29

	// HistogramThreads is the size of a block of histogram, two of which fill a multiprocessor.
	HistogramThreads = 512
	// HistogramBytes is its shared memory: enough counters for each bin that lanes seldom wait for one another.
	HistogramBytes = 64 << 10
	// SampleRows is the rows of the sample.
	SampleRows = 1 << 13
	// MiddleSampleRows is the same for at most MiddleSampleOf rows.
	MiddleSampleRows = 1 << 12
	MiddleSampleOf   = 1 << 26
	// SmallSampleRows is the same for at most SmallSampleOf rows.
	SmallSampleRows = 1 << 11
	SmallSampleOf   = 1 << 24
	// SampleBytes is the shared memory of a sample: two words for each of twice as many slots as rows, counters, and
	// sums.
	SampleBytes = 16*SampleRows + 16<<10 + 2<<10 + KeyScanHeader
	// SampleThreads is the size of the block of the sample.
	SampleThreads = 1024
	// KeyScanThreads is the size of a block of the key scan, which fills a multiprocessor.
	KeyScanThreads = 1024
	// KeyScanBytes is its shared memory: counters of 16 bits.
	KeyScanBytes = KeyScanHeader + 2<<BucketBits
	// EqualizeBytes is the shared memory of equalize: less than the 163 KiB of a block of compute capability 8.0.
	EqualizeBytes = 162 << 10
	// ChunkItems is the rows of a thread that are loaded at a time.
	ChunkItems = 8
	// KeyScanHeader is the bytes of shared memory before the counters of the key scan.
	KeyScanHeader = 3 << 10
	// PlanThreads is the size of a block of bucket_plan, for more buckets than the last block of the key scan plans.
	PlanThreads = 1024
	// PlanItems is the buckets of a thread.
	PlanItems = 4
	// MapBytes is the size of a Map.
	MapBytes = 424
	// EqualizerPieces is the pieces of an equalized map.
	EqualizerPieces = 1 << 11
	// EqualizerBytes is their size.
	EqualizerBytes = 8 * EqualizerPieces
	// PartialStatisticsBytes is the size of a PartialStatistics.
	PartialStatisticsBytes = 144
	// HeavyValues is the most heavy values: frequent values whose rows have no records.
	HeavyValues = 8
	// Classes is the number of classes: heavy values, NaN, null.
	Classes = HeavyValues + 2
	// MostKeys is the most keys that are read as one number.
	MostKeys = 32
	// PartitionThreads is the size of a block of the first pass of the partition.
	PartitionThreads = 768
	// PartitionWideThreads is the same for columns of 8 bytes, whose numbers take more registers.
	PartitionWideThreads = 512
	// PartitionTile is the rows of a tile of the first pass.
	PartitionTile = PartitionThreads * 16
	// PartitionWideTile is the same for columns of 8 bytes.
	PartitionWideTile = PartitionWideThreads * 16
	// PartitionSecondThreads is the size of a block of the second pass.
	PartitionSecondThreads = 512
	// PartitionSecondTile is the rows of a tile of the second pass.
	PartitionSecondTile = PartitionSecondThreads * 16
	// PartitionOnlyThreads is the size of a block of a single pass over few rows.
	PartitionOnlyThreads = 512
	// PartitionOnlyTile is the rows of its tiles.
	PartitionOnlyTile = PartitionOnlyThreads * 16
	// BucketBits is the most bits that rows are partitioned by: 16-bit counters for all buckets fill shared memory.
	BucketBits = 16
	// SmallBucketBits is the most bits that one block plans.
	SmallBucketBits = 12
	// OnlyPassBits is the most bits of a partition in a single pass.
	OnlyPassBits = 11

	// BucketSortThreads is the size of a block of the bucket sort.
	BucketSortThreads = 256
	// BucketSortItems is the rows of a thread.
	BucketSortItems = 18
	// BucketSortWideThreads is the size of a block of the bucket sort of wide records, which takes more memory.
	BucketSortWideThreads = 384
	// BucketSortWideItems is the rows of a thread of it: bucket ranges are equally large.
	BucketSortWideItems = 12
	// BucketRangeRows is the most rows of a bucket range: 32 less than the items of a block, for ranges that do not
	// begin at a line of memory.
	BucketRangeRows = BucketSortThreads*BucketSortItems - 32
	// BucketSortBinBits is the bits by which the rows of a bucket range are binned.
	BucketSortBinBits = 12
	// BucketSortLargeThreads is the size of a block of bucket_sort_large, which sorts buckets larger than a bucket
	// range.
	BucketSortLargeThreads = 1024
	// BucketSortLargeItems is the rows of a thread.
	BucketSortLargeItems = 11
	// BucketSortLargeBinBits is its BucketSortBinBits.
	BucketSortLargeBinBits = 13
	// BucketSortLargeRows is the most rows of a bucket that bucket_sort_large sorts.
	BucketSortLargeRows = BucketSortLargeThreads*BucketSortLargeItems - 32

	// SplitThreads is the size of a block of split_heavy.
	SplitThreads = 256
	// SplitBytes is its shared memory: a number and a row number for each row of a chunk of each warp, and counters.
	SplitBytes = SplitThreads*8*12 + 512

	// GatherTile is the rows that a block gathers at a time. A gather in windows has one block for each tile: blocks
	// that gather several tiles would drift apart, and with them the windows.
	GatherTile = StreamThreads * 8
	// ScatterThreads is the size of a block that scatters row numbers to windows of a column.
	ScatterThreads = 512
	// ScatterTile is the rows of its tiles.
	ScatterTile = ScatterThreads * 16
	// CollectThreads is the size of a block that collects the gathered values of a tile: two of them fill a
	// multiprocessor.
	CollectThreads = 1024
	// GatherWindows is the most windows of a gather.
	GatherWindows = 256

	// ClusterBlocks is the size of the cluster of a single-launch sort.
	ClusterBlocks = 16
	// ClusterThreads is the size of its blocks.
	ClusterThreads = 1024
	// ClusterItems is the most rows of a thread.
	ClusterItems = 4
	// ClusterRows is the most rows that a cluster sorts.
	ClusterRows = ClusterBlocks * ClusterThreads * ClusterItems
	// ClusterCapacity is the most rows that are scattered to a block.
	ClusterCapacity = ClusterThreads * (ClusterItems + 2)
	// ClusterBinBits is the bits by which the rows of a block are binned.
	ClusterBinBits = 12

	// CooperativeThreads is the size of a block of a cooperative sort, one per multiprocessor.
	CooperativeThreads = 1024
	// CooperativeItems is the most rows of a thread.
	CooperativeItems = 8
	// CooperativeRows is the most rows of a cooperative sort.
	CooperativeRows = 1 << 22
	// CooperativeBuckets is the buckets that rows are scattered to: one for each thread of a block.
	CooperativeBuckets = CooperativeThreads
	// CooperativeCapacity is the most rows that a block orders at a time.
	CooperativeCapacity = CooperativeThreads * 11
	// CooperativeBinBits is the bits by which they are binned.
	CooperativeBinBits = 13
	// CooperativeStateBytes is the size of a CooperativeState.
	CooperativeStateBytes = 4*CooperativeBuckets + 8

	// SelectSample is the most rows of the sample of a select.
	SelectSample = 1 << 14
	// SelectBorderThreads is the size of a block of select_border.
	SelectBorderThreads = 1024
	// SelectThreads is the size of a block of select_rows, two of which fill a multiprocessor.
	SelectThreads = 1024
	// SelectTile is the rows of its tiles.
	SelectTile = SelectThreads * 16
	// SelectWideTile is the same for codes of more than 32 bits.
	SelectWideTile = SelectThreads * 8

	// TextTile is the rows whose lengths a block of 256 threads looks up.
	TextTile = StreamThreads * 8

	// TextSumsThreads is the size of the block that sums the tiles.
	TextSumsThreads = 1024

	// StreamThreads is the size of a block of kernels that read and write once.
	StreamThreads = 256
)
