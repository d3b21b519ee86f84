// The memory of sorts by one launch, and the launch of those by a grid, as package gpu makes them.
#pragma once
#include "device.h"
#include <algorithm>

inline u32 tiny_bytes(u32 items) { return TINY_THREADS * items * 13 + (4 << TINY_BIN_BITS) + TINY_THREADS / 32 * 8; }
const u32 clusterBytes = 2 * CLUSTER_ROOM * 12 + (CLUSTER_THREADS / 32 + 2 * CLUSTER_BLOCKS + 1) * RADIX_BINS * 4 + CLUSTER_BLOCKS * 24 + 2048;
inline u32 grid_bytes(u32 items) {
	return std::max(items * GRID_THREADS, (u32)(GRID_ROOM + GRID_BUCKETS / 2 + 4)) * 12 + (4 << GRID_BIN_BITS) + GRID_THREADS / 32 * 12 + RADIX_BINS * 4;
}

// The memory of sorts by a grid.
struct GridTemp {
	Meeting* meeting;
	u32* totals;

	explicit GridTemp(Device& d) : meeting((Meeting*)d.allocate(sizeof(Meeting))), totals((u32*)d.allocate(2 * RADIX_BINS * d.multiprocessors * 4)) {
		d.zero(meeting, sizeof(Meeting));
	}
	void release(Device& d) { d.release(meeting), d.release(totals); }
};

// Sorts by one launch of a grid; n is at most GRID_LARGE_ITEMS rows for each of its threads.
inline void sort_by_grid(Device& d, const GridTemp& t, const Few& few, u64* const (&numbers)[2], u32* const (&tags)[2]) {
	Many many = {few, (u64)t.meeting, {(u64)numbers[0], (u64)numbers[1]}, {(u64)tags[0], (u64)tags[1]}, (u64)t.totals};
	bool large = few.n > GRID_ITEMS * GRID_THREADS * d.multiprocessors;
	d.run_together(large ? grid_large : grid, d.multiprocessors, GRID_THREADS, grid_bytes(large ? GRID_LARGE_ITEMS : GRID_ITEMS), many);
}
