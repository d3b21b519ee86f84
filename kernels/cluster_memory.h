// The shared memory of a block of a cluster that sorts. Others write to some of it.
#pragma once
#include "few_rows.h"

const u32 CLUSTER_WARPS = CLUSTER_THREADS / 32;

struct ClusterMemory {
	u64 *numbers, *oldNumbers; // of rows
	u32 *tags, *oldTags;       // the rows themselves, and more
	u32* counters;             // of bins; of digits, for each warp
	u32* totals;               // for each block, what it has of each digit, or for each destination; twice
	Extent64 *extents, *warpExtents;
	u32 *sums, *sizes; // of warps; of what each block is dealt
	u32* refused;
	u32 start; // of what this block is dealt, in the result

	DEVICE ClusterMemory() {
		numbers = (u64*)shared_memory(), oldNumbers = numbers + CLUSTER_ROOM;
		tags = (u32*)(oldNumbers + CLUSTER_ROOM), oldTags = tags + CLUSTER_ROOM;
		counters = oldTags + CLUSTER_ROOM;
		totals = counters + (1 << CLUSTER_BIN_BITS);
		extents = (Extent64*)(totals + 2 * CLUSTER_BLOCKS * RADIX_BINS), warpExtents = extents + CLUSTER_BLOCKS;
		sums = (u32*)(warpExtents + CLUSTER_WARPS), sizes = sums + CLUSTER_WARPS, refused = sizes + CLUSTER_WARPS;
	}
	DEVICE void swap() {
		u64* n = numbers;
		u32* t = tags;
		numbers = oldNumbers, tags = oldTags, oldNumbers = n, oldTags = t;
	}
};
