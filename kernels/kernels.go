// Package kernels holds the device code of arrowsort: the sources, the names and sizes of the kernels and, with the tag
// cuda, the image built from them. Package gpu launches the kernels. They follow Onesweep (Adinets and Merrill, 2022).
// abi.h describes their arguments, docs/gpu.md the folders.
package kernels

import "slices"

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
var All = slices.Concat(
	alike(BinningThreads, binningBytes(BinningTile, 8), "digit_binning_first", "digit_binning_first_short",
		"digit_binning_middle", "digit_binning_middle_short", "digit_binning_last", "digit_binning_last_short"),
	alike(BinningThreads, binningBytes(BinningWideTile, 12), "digit_binning_first_wide", "digit_binning_only",
		"digit_binning_middle_wide", "digit_binning_last_wide"),
	alike(BinningThreads, binningBytes(BinningValueTile, 4), "digit_binning_values"),
	alike(BinningThreads, binningBytes(BinningTile, 8), "digit_binning_values_wide"),
	alike(StreamThreads, StreamThreads/32*48, "statistics"),
	alike(HistogramThreads, HistogramBytes+16, "histogram"),
	alike(ClusterThreads, clusterBytes, "cluster"),
	alike(CooperativeThreads, cooperativeBytes, "cooperative", "place_nulls"),
	alike(SampleThreads, SampleBytes, "sample"),
	alike(SampleThreads, EqualizeBytes, "equalize"),
	alike(KeyScanThreads, KeyScanBytes, "key_scan", "key_scan_keys"),
	alike(KeyScanThreads, KeyScanBytes+EqualizerBytes, "key_scan_equalized"),
	alike(PlanThreads, 1024, "bucket_plan"),
	alike(PartitionThreads, scatterBytes(PartitionTile, 8, 256), "partition_first", "partition_first_floats"),
	alike(PartitionWideThreads, scatterBytes(PartitionWideTile, 8, 256), "partition_first_wide",
		"partition_first_equalized", "partition_first_keys"),
	alike(PartitionOnlyThreads, scatterBytes(PartitionOnlyTile, 8, 1<<OnlyPassBits), "partition_only",
		"partition_only_wide", "partition_only_equalized"),
	alike(PartitionSecondThreads, scatterBytes(PartitionSecondTile, 8, 256), "partition_second"),
	alike(PartitionValueThreads, scatterBytes(PartitionTile, 4, 256), "partition_first_values"),
	alike(PartitionValueThreads, scatterBytes(PartitionWideTile, 8, 256), "partition_first_values_wide"),
	alike(PartitionValueThreads, scatterBytes(PartitionOnlyTile, 4, 1<<OnlyPassBits), "partition_only_values"),
	alike(PartitionValueThreads, scatterBytes(PartitionOnlyTile, 8, 1<<OnlyPassBits), "partition_only_values_wide"),
	alike(PartitionValueThreads, scatterBytes(PartitionTile, 4, 0), "compact_values"),
	alike(PartitionValueThreads, scatterBytes(PartitionWideTile, 8, 0), "compact_values_wide"),
	alike(PartitionSecondThreads, scatterBytes(PartitionSecondTile, 4, 256), "partition_second_values"),
	alike(PartitionSecondThreads, scatterBytes(PartitionSecondTile, 8, 256), "partition_second_values_wide"),
	alike(BucketSortThreads, bucketSortBytes(BucketSortThreads*BucketSortItems, 4, BucketSortBinBits), "bucket_sort",
		"bucket_sort_values"),
	alike(BucketSortWideThreads, bucketSortWideBytes(BucketSortWideThreads*BucketSortWideItems, BucketSortBinBits),
		"bucket_sort_wide"),
	alike(BucketSortWideValueThreads,
		bucketSortBytes(BucketSortWideValueThreads*BucketSortWideValueItems, 8, BucketSortBinBits),
		"bucket_sort_values_wide"),
	alike(BucketSortLargeThreads,
		bucketSortBytes(BucketSortLargeThreads*BucketSortLargeItems, 4, BucketSortLargeBinBits),
		"bucket_sort_large_values"),
	alike(BucketSortLargeThreads,
		bucketSortBytes(BucketSortLargeThreads*BucketSortLargeItems, 8, BucketSortLargeBinBits),
		"bucket_sort_large_values_wide"),
	alike(BucketSortLargeThreads,
		bucketSortWideBytes(BucketSortLargeThreads*BucketSortLargeItems, BucketSortLargeBinBits), "bucket_sort_large"),
	alike(SplitThreads, SplitBytes, "split_heavy", "split_heavy_wide"),
	alike(SelectBorderThreads, RadixBins*4+64, "select_border"),                    // counters of a digit, a few words
	alike(SelectThreads, SelectThreads/32*4+64, "select_rows", "select_rows_wide"), // counts of each warp, a few words
	alike(StreamThreads, 4<<10, "check_order"),
	alike(ScatterThreads, ScatterTile*4+windowTable+ScatterThreads/32*4, "scatter_rows"),
	alike(CollectThreads, ScatterTile*4+windowTable, "collect_4"),
	alike(CollectThreads, ScatterTile*8+windowTable, "collect_8"),
	alike(StreamThreads, 32*8, "text_lengths", "text_offsets", "text_count_ties", "text_list_ties", "dictionary_list",
		"encode_fixed_point"),
	alike(TextSumsThreads, 32*8, "text_sums"),
	alike(StreamThreads, 0, "statistics_decimal", "encode", "merge_heavy", "merge_values", "merge_values_wide",
		"check_permutation", "iota", "gather_1", "gather_2", "gather_4", "gather_8", "gather_16", "gather_32",
		"gather_window_4", "gather_window_8", "gather_bytes", "gather_bits", "text_starts", "text_copy",
		"text_common", "text_codes", "text_place", "copy_bits", "look_up_ranks", "sample_codes", "count_prefixes",
		"dictionary_insert", "dictionary_ranks", "dictionary_encode"),
)

// alike returns kernels that have blocks of the same size.
func alike(threads, shared int, names ...string) (list []Kernel) {
	for _, name := range names {
		list = append(list, Kernel{name, threads, shared})
	}
	return list
}

// clusterBytes is the memory of a block of a cluster: three words for each row, twice; counters of digits for each
// warp; the rows of each digit in each block, twice; ranges of numbers; and some words for each warp.
const clusterBytes = 2*ClusterCapacity*12 + (ClusterThreads/32+2*ClusterBlocks+1)*RadixBins*4 + ClusterBlocks*24 + 2048

// cooperativeBytes is the memory of a block of a cooperative launch: three words for each row that it scatters or
// orders, the latter in addition to the starts of buckets; counters of bins; some words for each warp; and splitters.
const cooperativeBytes = max(CooperativeThreads*CooperativeItems, CooperativeCapacity+CooperativeBuckets/2+4)*12 +
	4<<CooperativeBinBits + CooperativeThreads/32*16 + 8*(CooperativeBuckets+CooperativeBuckets/16)

// binningBytes is the memory of a tile of digit binning: its records, a counter of each bin for each warp, two words
// for each bin, and a few words.
func binningBytes(tile, record int) int { return tile*record + (BinningThreads/32+2)*RadixBins*4 + 256 }

// windowTable is two words for each window and its end.
const windowTable = 2 * (GatherWindows + 32) * 4

// scatterBytes is the memory of a tile of the partition: its records, two words for each bin, and a few words.
func scatterBytes(tile, record, bins int) int { return tile*record + (bins+4)*8 + 128 }

// bucketSortBytes is the memory of a bucket sort: control words, the staged rows, a word of the given bytes each, and
// counters of the bins, which hold lists of rows later.
func bucketSortBytes(room, word, binBits int) int {
	control := 256
	if room > 6144 {
		control = 512
	}
	return (room+32)*word + (control+max(1<<binBits, room)+32)*4
}

// bucketSortWideBytes adds the low halves of records, and runs of rows that tie.
func bucketSortWideBytes(room, binBits int) int { return bucketSortBytes(room, 4, binBits) + room*6 }
