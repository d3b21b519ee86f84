// Package kernels holds the device code of arrowsort: the sources, the names and sizes of the kernels and, with the tag
// cuda, the image built from them. Package gpu launches the kernels. They follow Onesweep (Adinets and Merrill, 2022).
// abi.h describes their arguments.
package kernels

// A Kernel is what a launch needs in addition to its grid and arguments.
type Kernel struct {
	Name    string
	Threads int // of a block
	Shared  int // bytes of dynamic shared memory; above 48 KiB the function's attribute must be raised
}

// Cluster is the number of blocks of the single cluster that is the kernel's grid, 0 for other kernels. Devices of
// compute capability below 9.0 have no clusters, and the image has no such kernels for them.
func (k Kernel) Cluster() int {
	if k.Name == "cluster" {
		return ClusterBlocks
	}
	return 0
}

// Cooperative reports whether the kernel's blocks wait for one another, which needs a cooperative launch.
func (k Kernel) Cooperative() bool { return k.Name == "cooperative" }

// All are the kernels of the image.
var All = []Kernel{
	{"digit_binning_first", BinningThreads, binningBytes(BinningTile, 8)},
	{"digit_binning_first_short", BinningThreads, binningBytes(BinningTile, 8)},
	{"digit_binning_first_wide", BinningThreads, binningBytes(BinningWideTile, 12)},
	{"digit_binning_only", BinningThreads, binningBytes(BinningWideTile, 12)},
	{"digit_binning_middle", BinningThreads, binningBytes(BinningTile, 8)},
	{"digit_binning_middle_short", BinningThreads, binningBytes(BinningTile, 8)},
	{"digit_binning_middle_wide", BinningThreads, binningBytes(BinningWideTile, 12)},
	{"digit_binning_last", BinningThreads, binningBytes(BinningTile, 8)},
	{"digit_binning_last_short", BinningThreads, binningBytes(BinningTile, 8)},
	{"digit_binning_last_wide", BinningThreads, binningBytes(BinningWideTile, 12)},
	{"statistics", StreamThreads, StreamThreads / 32 * 48},
	{"statistics_decimal", StreamThreads, 0},
	{"encode", StreamThreads, 0},
	{"histogram", HistogramThreads, HistogramBytes + 16},
	{"cluster", ClusterThreads, clusterBytes},
	{"cooperative", CooperativeThreads, cooperativeBytes},
	{"sample", SampleThreads, SampleBytes},
	{"equalize", SampleThreads, EqualizeBytes},
	{"key_scan", KeyScanThreads, KeyScanBytes},
	{"key_scan_equalized", KeyScanThreads, KeyScanBytes + EqualizerBytes},
	{"key_scan_keys", KeyScanThreads, KeyScanBytes},
	{"bucket_plan", PlanThreads, 1024},
	{"partition_first", PartitionThreads, scatterBytes(PartitionTile, 256)},
	{"partition_first_floats", PartitionThreads, scatterBytes(PartitionTile, 256)},
	{"partition_first_wide", PartitionWideThreads, scatterBytes(PartitionWideTile, 256)},
	{"partition_first_equalized", PartitionWideThreads, scatterBytes(PartitionWideTile, 256)},
	{"partition_first_keys", PartitionWideThreads, scatterBytes(PartitionWideTile, 256)},
	{"partition_only", PartitionOnlyThreads, scatterBytes(PartitionOnlyTile, 1<<OnlyPassBits)},
	{"partition_only_wide", PartitionOnlyThreads, scatterBytes(PartitionOnlyTile, 1<<OnlyPassBits)},
	{"partition_only_equalized", PartitionOnlyThreads, scatterBytes(PartitionOnlyTile, 1<<OnlyPassBits)},
	{"partition_second", PartitionSecondThreads, scatterBytes(PartitionSecondTile, 256)},
	{"bucket_sort", BucketSortThreads, bucketSortBytes(BucketSortThreads*BucketSortItems, BucketSortBinBits)},
	{"bucket_sort_wide", BucketSortWideThreads,
		bucketSortWideBytes(BucketSortWideThreads*BucketSortWideItems, BucketSortBinBits)},
	{"bucket_sort_large", BucketSortLargeThreads,
		bucketSortWideBytes(BucketSortLargeThreads*BucketSortLargeItems, BucketSortLargeBinBits)},
	{"split_heavy", SplitThreads, SplitBytes},
	{"split_heavy_wide", SplitThreads, SplitBytes},
	{"merge_heavy", StreamThreads, 0},
	{"select_border", SelectBorderThreads, borderBytes},
	{"select_rows", SelectThreads, selectBytes},
	{"select_rows_wide", SelectThreads, selectBytes},
	{"check_order", StreamThreads, 4 << 10},
	{"check_permutation", StreamThreads, 0},
	{"iota", StreamThreads, 0},
	{"gather_1", StreamThreads, 0},
	{"gather_2", StreamThreads, 0},
	{"gather_4", StreamThreads, 0},
	{"gather_8", StreamThreads, 0},
	{"gather_16", StreamThreads, 0},
	{"gather_32", StreamThreads, 0},
	{"gather_window_4", StreamThreads, 0},
	{"gather_window_8", StreamThreads, 0},
	{"gather_bytes", StreamThreads, 0},
	{"gather_bits", StreamThreads, 0},
	{"scatter_rows", ScatterThreads, ScatterTile*4 + windowTable + ScatterThreads/32*4},
	{"collect_4", CollectThreads, ScatterTile*4 + windowTable},
	{"collect_8", CollectThreads, ScatterTile*8 + windowTable},
	{"text_starts", StreamThreads, 0},
	{"text_lengths", StreamThreads, 32 * 8},
	{"text_sums", TextSumsThreads, 32 * 8},
	{"text_offsets", StreamThreads, 32 * 8},
	{"text_copy", StreamThreads, 0},
	{"copy_bits", StreamThreads, 0},
	{"look_up_ranks", StreamThreads, 0},
}

// clusterBytes is the memory of a block of a cluster: three words for each row, twice; counters of digits for each
// warp; the rows of each digit in each block, twice; ranges of numbers; and some words for each warp.
const clusterBytes = 2*ClusterCapacity*12 + (ClusterThreads/32+2*ClusterBlocks+1)*RadixBins*4 + ClusterBlocks*24 + 2048

// cooperativeBytes is the memory of a block of a cooperative launch: three words for each row that it scatters or
// orders, the latter in addition to the starts of buckets; counters of bins; and some words for each warp.
const cooperativeBytes = max(CooperativeThreads*CooperativeItems, CooperativeCapacity+CooperativeBuckets/2+4)*12 +
	4<<CooperativeBinBits + CooperativeThreads/32*16

// binningBytes is the memory of a tile of digit binning: its records, a counter of each bin for each warp, two words
// for each bin, and a few words.
func binningBytes(tile, record int) int { return tile*record + (BinningThreads/32+2)*RadixBins*4 + 256 }

const (
	// Two words for each window and its end.
	windowTable = 2 * (GatherWindows + 32) * 4
)

// scatterBytes is the memory of a tile of the partition: its records, two words for each bin, and a few words.
func scatterBytes(tile, bins int) int { return tile*8 + (bins+4)*8 + 128 }

// The memory of a select: counters of a digit of the sample and a few words; the candidates of each warp of a tile and
// a few words.
const (
	borderBytes = RadixBins*4 + 64
	selectBytes = SelectThreads/32*4 + 64
)

// bucketSortBytes is the memory of a bucket sort: control words, the staged rows, and counters of the bins, which hold
// lists of rows later.
func bucketSortBytes(room, binBits int) int {
	control := 256
	if room > 6144 {
		control = 512
	}
	return (control + room + 32 + max(1<<binBits, room) + 32) * 4
}

// bucketSortWideBytes adds the low halves of records, and runs of rows that tie.
func bucketSortWideBytes(room, binBits int) int { return bucketSortBytes(room, binBits) + room*6 }
