// A block of a cluster that sorts: its rows and its shared memory, which other blocks access too.
#pragma once
#include "incore/small_sort.h"

const u32 CLUSTER_WARPS = CLUSTER_THREADS / 32, CLUSTER_BINS = 1 << CLUSTER_BIN_BITS; // of a block
// A tag is a row, and above it its bin, or the place of its class.
const u32 TAG_ROW_BITS = 16, TAG_ROW = (1u << TAG_ROW_BITS) - 1;
static_assert(CLUSTER_ROWS <= 1 << TAG_ROW_BITS && CLUSTER_BLOCKS << CLUSTER_BIN_BITS <= 1 << (32 - TAG_ROW_BITS),
              "a row and a bin fit a tag");

struct ClusterBlock {
	u64 *numbers, *oldNumbers; // of rows
	u32 *tags, *oldTags;
	u32* counters; // of bins; of digits or destinations, for each warp
	u32* totals;   // for each block, its rows of each digit or destination; twice
	u32* moves;    // for each digit or destination, how far rows move from where they are staged
	Extent64 *extents, *warpExtents;
	u32 *sums, *sizes; // of warps; rows that each block receives
	u32 *refused, *pairs;

	u32 n, rank;
	u32 shareBits; // a block has 2^shareBits rows
	u32 used;      // items of a thread
	u32 local;     // the first row of this thread, in the block
	Extent64 extent; // of all rows

	DEVICE explicit ClusterBlock(u32 n)
	    : n(n), rank(block_index()), shareBits(n <= CLUSTER_ROWS / 4 ? 10 : n <= CLUSTER_ROWS / 2 ? 11 : 12),
	      used((1u << shareBits) / CLUSTER_THREADS), local(warp_index() * 32 * used + lane_index()) {
		static_assert(CLUSTER_THREADS == 1024 && CLUSTER_ITEMS == 4, "one, two or four are used");
		numbers = (u64*)shared_memory(), oldNumbers = numbers + CLUSTER_CAPACITY;
		tags = (u32*)(oldNumbers + CLUSTER_CAPACITY), oldTags = tags + CLUSTER_CAPACITY;
		counters = oldTags + CLUSTER_CAPACITY;
		totals = counters + CLUSTER_WARPS * RADIX_BINS, moves = totals + 2 * CLUSTER_BLOCKS * RADIX_BINS;
		extents = (Extent64*)(moves + RADIX_BINS), warpExtents = extents + CLUSTER_BLOCKS;
		sums = (u32*)(warpExtents + CLUSTER_WARPS), sizes = sums + CLUSTER_WARPS;
		refused = sizes + CLUSTER_WARPS, pairs = refused + 1;
	}
	DEVICE u32 first() const { return rank << shareBits; }
	// Rows of this block; the last blocks have fewer, or none.
	DEVICE u32 rows() const {
		u32 left = first() < n ? n - first() : 0;
		return left < 1u << shareBits ? left : 1u << shareBits;
	}
	// The place of staged row i of count rows. Every block begins at another offset, so that not all send to the same
	// block at a time.
	DEVICE u32 in_turn(u32 i, u32 count) const {
		u32 at = i + count * rank / CLUSTER_BLOCKS;
		return at < count ? at : at - count;
	}
	DEVICE void swap() {
		u64* n = numbers;
		u32* t = tags;
		numbers = oldNumbers, tags = oldTags, oldNumbers = n, oldTags = t;
	}

	// Combines the ranges of numbers of all blocks.
	DEVICE void measure(const Extent64& e) {
		Extent64 mine = e.of_warp();
		if (lane_index() == 0) warpExtents[warp_index()] = mine;
		sync_block();
		cluster_wait(); // all blocks have started
		if (warp_index() == 0) {
			mine = warpExtents[lane_index()].of_warp();
			if (lane_index() < CLUSTER_BLOCKS) *in_block(lane_index(), extents + rank) = mine;
		}
		cluster_arrive();
		cluster_wait();
		extent = (lane_index() < CLUSTER_BLOCKS ? extents[lane_index()] : Extent64()).of_warp();
	}
};
