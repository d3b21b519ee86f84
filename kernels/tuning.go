package kernels

// The sizes that host and kernels share. They exist here once: tuning.h is written from this file (see tuning_test.go).
const (
	// RadixBits is the most bits of a digit (paper, table 2: eight are the best).
	RadixBits = 8
	// RadixBins is the number of counters of a digit.
	RadixBins = 1 << RadixBits
	// MaxDigits is the most digits of one code word.
	MaxDigits = 8
	// HalfDigits is up to how many are few: they are counted in half the memory.
	HalfDigits = MaxDigits / 2

	// Digit binning has tiles of three shapes, each for packed and for wide records. A large tile fills a multiprocessor, which
	// takes one after the other: its bins are long runs, so that fewer and fuller lines are written.
	LargeTileThreads = 384
	// LargeTileItems is the rows of a thread.
	LargeTileItems = 48
	// LargeTileWideItems is the same for wide records, which take half as much room again.
	LargeTileWideItems = 40
	// LargeTile is the rows of a large tile.
	LargeTile = LargeTileThreads * LargeTileItems
	// LargeTileWide is the same for wide records.
	LargeTileWide = LargeTileThreads * LargeTileWideItems
	// LargeTileRows is from how many rows on tiles are large.
	LargeTileRows = 1 << 26

	// MediumTileThreads is the size of a block for tiles of which two lie in a multiprocessor, so that one is ranked while
	// the other is written.
	MediumTileThreads = 384
	// MediumTileItems is the rows of a thread.
	MediumTileItems = 26
	// MediumTileWideItems is the same for wide records.
	MediumTileWideItems = 17
	// MediumTile is the rows of a medium tile.
	MediumTile = MediumTileThreads * MediumTileItems
	// MediumTileWide is the same for wide records.
	MediumTileWide = MediumTileThreads * MediumTileWideItems

	// SmallTileThreads is the size of a block where rows are so few that larger tiles would leave multiprocessors idle.
	SmallTileThreads = 256
	// SmallTileItems is the rows of a thread, of packed and of wide records.
	SmallTileItems = 12
	// SmallTile is the rows of a small tile.
	SmallTile = SmallTileThreads * SmallTileItems
	// SmallTileRows is up to how many rows tiles are small.
	SmallTileRows = 1 << 19

	// StripRows is the most rows that one launch bins: its status words hold counts of 30 bits (paper, section 3.4).
	StripRows = 1 << 29

	// HistogramThreads is the size of a block of histogram, two of which fill a multiprocessor.
	HistogramThreads = 512
	// HistogramBytes is its shared memory: so many counters for each bin that lanes seldom wait for one another.
	HistogramBytes = 64 << 10
	// WideHistogramThreads is the size of a block of histogram_wide, which fills a multiprocessor.
	WideHistogramThreads = 1024
	// WideHistogramBytes is its shared memory.
	WideHistogramBytes = 128 << 10
	// WideHistogramRows is from how many rows on more than HalfDigits digits are worth it.
	WideHistogramRows = 1 << 21

	// SampleRows is the rows of the sample that suggests a map and looks for equal keys.
	SampleRows = 1 << 13
	// MiddleSampleRows is the same for no more than MiddleSampleOf rows.
	MiddleSampleRows = 1 << 12
	MiddleSampleOf   = 1 << 26
	// SmallSampleRows is the same for no more than SmallSampleOf rows.
	SmallSampleRows = 1 << 11
	SmallSampleOf   = 1 << 24
	// SampleBytes is the shared memory of a sample: two words in each of twice as many places as rows, counters, and what is known of all.
	SampleBytes = 16*SampleRows + 16<<10 + 2<<10 + LookHead
	// SampleThreads is the size of the block that takes it.
	SampleThreads = 1024
	// LookThreads is the size of a block of look, which fills a multiprocessor.
	LookThreads = 1024
	// LookAhead is the bytes that a warp of look has brought near while the sample runs: together half of a large L2.
	LookAhead = 8 << 10
	// ChunkItems is the rows of a thread that it has on their way at a time.
	ChunkItems = 8
	// LookHead is the bytes of shared memory in front of the counters of look.
	LookHead = 3 << 10
	// PlanThreads is the size of a block that plans buckets, for which there are too many for the last block of look.
	PlanThreads = 1024
	// PlanItems is the buckets of a thread.
	PlanItems = 4
	// MapBytes is the size of a Map.
	MapBytes = 400
	// PartialBytes is the size of a Partial.
	PartialBytes = 144
	// HeavyValues is the most values that have places of their own, because they are in many rows.
	HeavyValues = 8
	// ClassOfNan is the class of NaN, behind those of heavy values.
	ClassOfNan = HeavyValues
	// ClassOfNull is the class of nulls.
	ClassOfNull = HeavyValues + 1
	// Classes is the number of classes.
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
	// PartitionOnlyThreads is the size of a block of the only pass over few rows.
	PartitionOnlyThreads = 512
	// PartitionOnlyTile is the rows of its tiles.
	PartitionOnlyTile = PartitionOnlyThreads * 16
	// SmallPassBits is the most bits of a partition in one pass over so few rows that small tiles keep more multiprocessors busy.
	SmallPassBits = 8
	// PartitionSmallThreads is the size of its blocks.
	PartitionSmallThreads = 256
	// PartitionSmallTile is the rows of its tiles.
	PartitionSmallTile = PartitionSmallThreads * 8
	// BucketBits is the most bits that rows are partitioned by: counters of 16 bits for all buckets fill shared memory.
	BucketBits = 16
	// SmallBucketBits is the most bits that one block plans.
	SmallBucketBits = 12
	// OnlyPassBits is the most bits of a partition in one pass.
	OnlyPassBits = 11

	// FinishThreads is the size of a block of the finish.
	FinishThreads = 256
	// FinishItems is the rows of a thread.
	FinishItems = 18
	// FinishWideThreads is the size of a block of the finish of wide records, which takes more memory.
	FinishWideThreads = 384
	// FinishWideItems is the rows of a thread of it: windows are as large.
	FinishWideItems = 12
	// FinishWindow is the most rows of a window: a little room is left for windows that do not begin on a line of memory.
	FinishWindow = FinishThreads*FinishItems - 32
	// EarlyFinishRows is up to how many rows the finish of short codes starts while the pass before it ends: of more it loses by it.
	EarlyFinishRows = 1 << 26
	// EvenWindowRows is up to how many rows windows step as buckets do.
	EvenWindowRows = 1 << 25
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
	// FinishRestThreads is the size of a block of finish_rest, which sorts buckets that are larger than a window.
	FinishRestThreads = 1024
	// FinishRestItems is the rows of a thread.
	FinishRestItems = 11
	// FinishRestBinBits is its FinishBinBits.
	FinishRestBinBits = 13
	// FinishRestRows is the most rows of a bucket that finish_rest sorts.
	FinishRestRows = FinishRestThreads*FinishRestItems - 32

	// AsideThreads is the size of a block that sets rows of classes aside.
	AsideThreads = 256
	// AsideBytes is its shared memory: a number and a row number of each row of a chunk for each warp, and counters.
	AsideBytes = AsideThreads*8*12 + 512

	// GatherTile is the rows that a block gathers at a time. A gather in windows has a block for each: blocks that take one tile after
	// the other drift apart, and with them the windows.
	GatherTile = StreamThreads * 8
	// DealThreads is the size of a block that deals row numbers to windows of a column.
	DealThreads = 512
	// DealTile is its rows.
	DealTile = DealThreads * 16
	// CollectThreads is the size of a block that collects what was gathered for a tile: two of them fill a multiprocessor.
	CollectThreads = 1024
	// DealWindows is the most windows.
	DealWindows = 256

	// TinyThreads is the size of the one block of a tiny sort.
	TinyThreads = 1024
	// TinyItems is the rows of a thread.
	TinyItems = 12
	// TinyRows is up to how many rows one block sorts alone.
	TinyRows = TinyThreads * TinyItems
	// TinyFewItems is the rows of a thread of tiny_few.
	TinyFewItems = 4
	// TinyFewRows is the most rows of tiny_few.
	TinyFewRows = TinyThreads * TinyFewItems
	// TinyBinBits is the bits by which rows are told apart first. The counters of the bins are those of digits as well, of each warp.
	TinyBinBits = 13

	// ClusterBlocks is the size of the cluster that sorts few rows by itself.
	ClusterBlocks = 16
	// ClusterThreads is the size of its blocks.
	ClusterThreads = 1024
	// ClusterItems is the most rows of a thread.
	ClusterItems = 4
	// ClusterRows is up to how many rows a cluster sorts.
	ClusterRows = ClusterBlocks * ClusterThreads * ClusterItems
	// ClusterRoom is the most rows that are dealt to a block.
	ClusterRoom = ClusterThreads * (ClusterItems + 2)
	// ClusterBinBits is the bits by which the rows of a block are told apart first.
	ClusterBinBits = 12

	// GridThreads is the size of a block of the grid that sorts more rows by itself, a block to a multiprocessor.
	GridThreads = 1024
	// GridItems is the most rows of a thread.
	GridItems = 8
	// GridRows is the most rows that a grid sorts.
	GridRows = 1 << 22
	// GridBuckets is the buckets that rows are dealt to: one for each thread of a block.
	GridBuckets = GridThreads
	// GridRoom is the most rows that a block finds the order of at a time.
	GridRoom = GridThreads * 11
	// GridBinBits is the bits by which they are told apart first.
	GridBinBits = 13
	// GridCellBits is the bits by which the rows of a large bin are told apart first.
	GridCellBits = 11
	// MeetingBytes is the size of a Meeting.
	MeetingBytes = 4*GridBuckets + 8

	// SelectSample is the most rows of the sample that tells a select where to cut.
	SelectSample = 1 << 14
	// SelectBorderThreads is the size of a block that looks at the sample.
	SelectBorderThreads = 1024
	// SelectThreads is the size of a block that collects the rows in front of the cut, two of which fill a multiprocessor.
	SelectThreads = 1024
	// SelectTile is the rows of its tiles.
	SelectTile = SelectThreads * 16
	// SelectWideTile is the same for codes of more than 32 bits.
	SelectWideTile = SelectThreads * 8

	// TextTile is the rows of which a block of 256 threads looks up the lengths.
	TextTile = StreamThreads * 8

	// TextSumsThreads is the size of the block that adds up the tiles.
	TextSumsThreads = 1024

	// StreamThreads is the size of a block of the kernels that read and write once.
	StreamThreads = 256
)
