package kernels

// The sizes that host and kernels share. tuning.h is generated from this file (see tuning_test.go). Threads are the
// size of a block, Items are the rows of a thread, Tile those of a block at a time, Bytes its shared memory. Wide is
// the same for columns of 8 bytes, or wide records.
const (
	RadixBits  = 8              // the most bits of a digit (paper, table 2: eight are the best)
	RadixBins  = 1 << RadixBits // the counters of a digit
	MaxDigits  = 8              // the most digits of one code word
	HalfDigits = MaxDigits / 2  // the most that are counted in half the memory

	// Two blocks of digit binning fit a multiprocessor, so that one tile is ranked while the other is written.
	// Wide records take 1.5 times the memory.
	BinningThreads    = 384
	BinningItems      = 26
	BinningWideItems  = 17
	BinningValueItems = 44 // of values of 4 bytes without rows
	BinningTile       = BinningThreads * BinningItems
	BinningWideTile   = BinningThreads * BinningWideItems
	BinningValueTile  = BinningThreads * BinningValueItems
	StripRows         = 1 << 29 // the most of a launch, whose status words hold counts of 30 bits (paper, section 3.4)

	HistogramThreads = 512      // two blocks fill a multiprocessor
	HistogramBytes   = 64 << 10 // enough counters for each bin that lanes seldom wait for one another

	SampleRows       = 1 << 13 // of the sample of a column
	MiddleSampleRows = 1 << 12 // the same for at most MiddleSampleOf rows
	MiddleSampleOf   = 1 << 26
	SmallSampleRows  = 1 << 11 // the same for at most SmallSampleOf rows
	SmallSampleOf    = 1 << 24
	// Two words for each of twice as many slots as rows, counters, and sums.
	SampleBytes   = 16*SampleRows + 16<<10 + 2<<10 + KeyScanHeader
	SampleThreads = 1024

	KeyScanThreads = 1024                          // a block fills a multiprocessor
	KeyScanBytes   = KeyScanHeader + 2<<BucketBits // counters of 16 bits
	EqualizeBytes  = 162 << 10                     // less than the 163 KiB of a block of compute capability 8.0
	ChunkItems     = 8                             // rows of a thread that are loaded at a time
	KeyScanHeader  = 3 << 10                       // bytes of shared memory before the counters of the key scan

	PlanThreads            = 1024                // of bucket_plan, for more buckets than the key scan plans
	PlanItems              = 4                   // buckets of a thread
	MapBytes               = 432                 // the size of a Map
	EqualizerPieces        = 1 << 11             // of an equalized map
	EqualizerBytes         = 8 * EqualizerPieces // their size
	PartialStatisticsBytes = 144                 // the size of a PartialStatistics
	HeavyValues            = 8                   // the most frequent values whose rows have no records
	Classes                = HeavyValues + 2     // heavy values, NaN, null
	MostKeys               = 32                  // that are read as one number

	// Passes of the partition: the first, the second, and a single one for few rows. Wide numbers take more registers.
	PartitionThreads       = 768
	PartitionWideThreads   = 512
	PartitionTile          = PartitionThreads * 16
	PartitionWideTile      = PartitionWideThreads * 16
	PartitionSecondThreads = 512
	PartitionSecondTile    = PartitionSecondThreads * 16
	PartitionOnlyThreads   = 512
	PartitionValueThreads  = 512 // of passes that read the column, without rows
	PartitionOnlyTile      = PartitionOnlyThreads * 16
	BucketBits             = 16 // the most bits of a partition: 16-bit counters for all buckets fill shared memory
	SmallBucketBits        = 12 // the most that one block plans
	OnlyPassBits           = 11 // the most of a single pass

	BucketSortThreads          = 256
	BucketSortItems            = 18
	BucketSortWideThreads      = 384 // wide records take more memory
	BucketSortWideItems        = 12  // bucket ranges are equally large
	BucketSortWideValueThreads = 512 // keys only: words of 8 bytes take more registers
	BucketSortWideValueItems   = 9
	// The most rows of a bucket range: 32 less than a block's items, for ranges that begin within a line of memory.
	BucketRangeRows   = BucketSortThreads*BucketSortItems - 32
	BucketSortBinBits = 12 // the bits by which the rows of a bucket range are binned

	// bucket_sort_large sorts buckets larger than a bucket range.
	BucketSortLargeThreads = 1024
	BucketSortLargeItems   = 11
	BucketSortLargeBinBits = 13
	BucketSortLargeRows    = BucketSortLargeThreads*BucketSortLargeItems - 32 // the most of a bucket

	// A bucket with more rows than its page is continued in an extension. The rows that a tile adds at once may lie in
	// both: up to ExtensionMargin of them are moved to the extension together.
	ExtensionRecords = 7168
	ExtensionMargin  = 512

	SplitThreads = 256
	SplitBytes   = SplitThreads*8*12 + 512 // numbers and rows of a chunk of each warp, and counters

	// A gather in windows has one block for each tile: blocks that gather several would drift apart, and with them the
	// windows.
	GatherTile     = StreamThreads * 8
	ScatterThreads = 512
	ScatterTile    = ScatterThreads * 16
	CollectThreads = 1024 // two blocks fill a multiprocessor
	GatherWindows  = 256  // the most

	ClusterBlocks   = 16
	ClusterThreads  = 1024
	ClusterItems    = 4                                             // the most rows of a thread
	ClusterRows     = ClusterBlocks * ClusterThreads * ClusterItems // the most that a cluster sorts
	ClusterCapacity = ClusterThreads * (ClusterItems + 2)           // the most that are scattered to a block
	ClusterBinBits  = 12                                            // the bits by which these are binned

	CooperativeThreads    = 1024                                  // one block per multiprocessor
	CooperativeItems      = 8                                     // the most rows of a thread
	CooperativeBuckets    = CooperativeThreads                    // one for each thread of a block
	CooperativeCapacity   = CooperativeThreads * 11               // the most rows that a block orders at a time
	CooperativeFull       = 1 << 7                                // the most buckets that can have more rows, and one
	CooperativeBlocks     = CooperativeFull * 4                   // the most of a grid: four have the rows of a bucket
	CooperativeRows       = CooperativeFull * CooperativeCapacity // the most of a sort
	CooperativeBinBits    = 13                                    // the bits by which these are binned
	CooperativeStateBytes = 4*CooperativeBuckets + 8              // the size of a CooperativeState

	SelectSample        = 1 << 14 // the most rows of the sample of a select
	SelectBorderThreads = 1024
	SelectThreads       = 1024 // two blocks of select_rows fill a multiprocessor
	SelectTile          = SelectThreads * 16
	SelectWideTile      = SelectThreads * 8 // for codes of more than 32 bits

	TextTile        = StreamThreads * 8    // rows whose lengths a block looks up
	TextSumsThreads = 1024                 // of the block that sums the tiles
	TextKeyBytes    = 7                    // the most bytes of a string in a code
	TextLeftBits    = 4                    // of a code, for how many bytes of its string are left
	TextPieceBits   = 18                   // of a word: bytes of a piece
	TextPiece       = 1<<TextPieceBits - 1 // the most bytes of a string that one launch compares
	StreamThreads   = 256                  // of kernels that read and write once
)
