// Package kernels holds the device code of arrowsort: the sources, the names and sizes of the kernels and, under the tag
// cuda, the image built from them. It launches nothing; package gpu does.
//
// The kernels follow Onesweep (Adinets and Merrill, 2022). Their arguments are described in abi.h.
package kernels

import "slices"

// A Kernel is what a launch needs to know beside its arguments.
type Kernel struct {
	Name    string
	Threads int // of a block
	Shared  int // bytes of dynamic shared memory; above 48 KiB the function's attribute must be raised
}

// Cluster is the number of blocks of the one cluster that the kernel's grid is, 0 for kernels whose blocks are on their own. Devices of compute
// capability below 9.0 have no clusters, and the image has no such kernels for them.
func (k Kernel) Cluster() int {
	if k.Name == "cluster" {
		return ClusterBlocks
	}
	return 0
}

// Together reports whether the kernel's blocks wait for one another: they must all be there at a time.
func (k Kernel) Together() bool { return k.Name == "grid" }

// All are the kernels of the image.
var All = slices.Concat(digitBinning, []Kernel{
	{"statistics", StreamThreads, StreamThreads / 32 * 48},
	{"statistics_decimal", StreamThreads, 0},
	{"encode", StreamThreads, 0},
	{"histogram", HistogramThreads, HistogramBytes + 16},
	{"histogram_wide", WideHistogramThreads, WideHistogramBytes + 16},
	{"tiny", TinyThreads, tinyBytes(TinyItems)},
	{"tiny_few", TinyThreads, tinyBytes(TinyFewItems)},
	{"cluster", ClusterThreads, clusterBytes},
	{"grid", GridThreads, gridBytes},
	{"sample", SampleThreads, SampleBytes},
	{"look", LookThreads, LookHead + (1<<BucketBits)*2},
	{"look_keys", LookThreads, LookHead + (1<<BucketBits)*2},
	{"bucket_plan", PlanThreads, 1024},
	{"partition_first", PartitionThreads, dealerBytes(PartitionTile, 256)},
	{"partition_first_floats", PartitionThreads, dealerBytes(PartitionTile, 256)},
	{"partition_first_wide", PartitionWideThreads, dealerBytes(PartitionWideTile, 256)},
	{"partition_first_keys", PartitionWideThreads, dealerBytes(PartitionWideTile, 256)},
	{"partition_only", PartitionOnlyThreads, dealerBytes(PartitionOnlyTile, 1<<OnlyPassBits)},
	{"partition_only_wide", PartitionOnlyThreads, dealerBytes(PartitionOnlyTile, 1<<OnlyPassBits)},
	{"partition_small", PartitionSmallThreads, dealerBytes(PartitionSmallTile, 1<<SmallPassBits)},
	{"partition_small_wide", PartitionSmallThreads, dealerBytes(PartitionSmallTile, 1<<SmallPassBits)},
	{"partition_second", PartitionSecondThreads, dealerBytes(PartitionSecondTile, 256)},
	{"finish", FinishThreads, finishBytes(FinishThreads*FinishItems, FinishBinBits)},
	{"finish_wide", FinishWideThreads, finishWideBytes(FinishWideThreads*FinishWideItems, FinishBinBits)},
	{"finish_small", FinishThreads, finishBytes(FinishThreads*SmallFinishItems, SmallFinishBinBits)},
	{"finish_small_wide", FinishThreads, finishWideBytes(FinishThreads*SmallFinishItems, SmallFinishBinBits)},
	{"finish_rest", FinishRestThreads, finishWideBytes(FinishRestThreads*FinishRestItems, FinishRestBinBits)},
	{"set_aside", AsideThreads, AsideBytes},
	{"set_aside_wide", AsideThreads, AsideBytes},
	{"put_back", StreamThreads, 0},
	{"select_border", SelectBorderThreads, borderBytes},
	{"select_rows", SelectThreads, selectBytes},
	{"select_rows_wide", SelectThreads, selectBytes},
	{"watch_order", StreamThreads, 4 << 10},
	{"place_strays", StreamThreads, 0},
	{"check_permutation", StreamThreads, 0},
	{"iota", StreamThreads, 0},
	{"gather_1", StreamThreads, 0},
	{"gather_2", StreamThreads, 0},
	{"gather_4", StreamThreads, 0},
	{"gather_8", StreamThreads, 0},
	{"gather_16", StreamThreads, 0},
	{"gather_32", StreamThreads, 0},
	{"gather_near_4", StreamThreads, 0},
	{"gather_near_8", StreamThreads, 0},
	{"gather_bytes", StreamThreads, 0},
	{"gather_bits", StreamThreads, 0},
	{"deal_rows", DealThreads, DealTile*4 + dealTable + DealThreads/32*4},
	{"collect_4", CollectThreads, DealTile*4 + dealTable},
	{"collect_8", CollectThreads, DealTile*8 + dealTable},
	{"text_starts", StreamThreads, 0},
	{"text_lengths", StreamThreads, 32 * 8},
	{"text_sums", TextSumsThreads, 32 * 8},
	{"text_offsets", StreamThreads, 32 * 8},
	{"text_copy", StreamThreads, 0},
	{"copy_bits", StreamThreads, 0},
	{"look_up_ranks", StreamThreads, 0},
})

// digitBinning are the passes of Onesweep, for tiles of three shapes. First passes that write packed records have no large tiles.
var digitBinning = slices.Concat(
	binning("digit_binning_first", false)[1:], binning("digit_binning_first_short", false)[1:], binning("digit_binning_first_wide", true),
	binning("digit_binning_only", true), binning("digit_binning_middle", false), binning("digit_binning_middle_short", false),
	binning("digit_binning_middle_wide", true), binning("digit_binning_last", false),
	binning("digit_binning_last_short", false), binning("digit_binning_last_wide", true),
)

// binning are the kernels of a pass.
func binning(name string, wide bool) []Kernel {
	large, medium, small, bytes := LargeTile, MediumTile, SmallTile, 8
	if wide {
		large, medium, bytes = LargeTileWide, MediumTileWide, 12
	}
	shape := func(suffix string, threads, tile int) Kernel {
		return Kernel{name + suffix, threads, tile*bytes + binningCounters(threads)}
	}
	return []Kernel{
		shape("_large", LargeTileThreads, large), shape("", MediumTileThreads, medium), shape("_small", SmallTileThreads, small),
	}
}

// tinyBytes is the memory of a tiny sort: a number, two places and a class for each row, the counters of the bins, a sum for each warp.
func tinyBytes(items int) int { return TinyThreads*items*13 + 4<<TinyBinBits + TinyThreads/32*8 }

// clusterBytes is the memory of a block of a cluster: three words for each row, twice; counters of digits for each warp; what each block has of
// each digit, twice; what it has seen of the numbers; and some words for each warp.
const clusterBytes = 2*ClusterRoom*12 + (ClusterThreads/32+2*ClusterBlocks+1)*RadixBins*4 + ClusterBlocks*24 + 2048

// gridBytes is the memory of a block of a grid: three words for each row that it deals, or finds the order of beside where buckets begin;
// counters of bins; and some words for each warp.
const gridBytes = max(GridThreads*GridItems, GridRoom+GridBuckets/2+4)*12 + 4<<GridBinBits + GridThreads/32*16

// binningCounters is the room behind a tile: a counter of each bin for each warp, two words for each bin, and a few words.
func binningCounters(threads int) int { return (threads/32+2)*RadixBins*4 + 256 }

const (
	// Two words for each window, and what one more has.
	dealTable = 2 * (DealWindows + 32) * 4
)

// dealerBytes: a tile of records, two words for each bin, and a few words.
func dealerBytes(tile, bins int) int { return tile*8 + (bins+4)*8 + 128 }

// The memory of a select: counters of a digit of the sample and a few words; what each warp of a tile collects and a few words.
const (
	borderBytes = RadixBins*4 + 64
	selectBytes = SelectThreads/32*4 + 64
)

// finishBytes: words of all kinds, the staged rows, and counters of the bins that hold lists of rows later.
func finishBytes(room, binBits int) int {
	control := 256
	if room > 6144 {
		control = 512
	}
	return (control + room + 32 + max(1<<binBits, room) + 32) * 4
}

// finishWideBytes: and the low halves of records, and runs of rows that tie.
func finishWideBytes(room, binBits int) int { return finishBytes(room, binBits) + room*6 }
