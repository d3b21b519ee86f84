// The memory of sorts by one launch, and the launch of those by a grid, as package gpu makes them.
#pragma once
#include "device.h"
#include <algorithm>

inline u32 tiny_bytes(u32 items) { return TINY_THREADS * items * 13 + (4 << TINY_BIN_BITS) + TINY_THREADS / 32 * 8; }
const u32 clusterBytes = 2 * CLUSTER_ROOM * 12 + (CLUSTER_THREADS / 32 + 2 * CLUSTER_BLOCKS + 1) * RADIX_BINS * 4 + CLUSTER_BLOCKS * 24 + 2048;
const u32 gridBytes = std::max(GRID_ITEMS * GRID_THREADS, GRID_ROOM + GRID_BUCKETS / 2 + 4) * 12 + (4 << GRID_BIN_BITS) + GRID_THREADS / 32 * 16;

// The memory of sorts by a grid, beside that for rows.
struct GridTemp {
	Meeting* meeting;
	u32* totals;
	u64* told;

	explicit GridTemp(Device& d)
	    : meeting((Meeting*)d.allocate(sizeof(Meeting))), totals((u32*)d.allocate(d.multiprocessors * 4)), told((u64*)d.allocate_pinned(sizeof(u64))) {
		d.zero(meeting, sizeof(Meeting));
	}
	void release(Device& d) { d.release(meeting), d.release(totals), d.release_pinned(told); }
};

// Sorts by one launch of a grid, unless it declines; n is at most GRID_ITEMS rows for each of its threads.
inline bool sort_by_grid(Device& d, const GridTemp& t, const Few& few, u64* numbers, u32* tags) {
	Many many = {few, (u64)t.meeting, (u64)numbers, (u64)tags, (u64)t.totals, (u64)t.told};
	*t.told = 0;
	d.run_together(grid, d.multiprocessors, GRID_THREADS, gridBytes, many);
	return d.hear(t.told) == SAYS_YES;
}
