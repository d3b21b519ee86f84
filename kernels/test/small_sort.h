// The memory of single-launch sorts, and the launch of cooperative ones, as package gpu makes them.
#pragma once
#include "device.h"
#include <algorithm>

inline u32 single_block_bytes(u32 items) {
	return SINGLE_BLOCK_THREADS * items * 13 + (4 << SINGLE_BLOCK_BIN_BITS) + SINGLE_BLOCK_THREADS / 32 * 8;
}
const u32 clusterBytes = 2 * CLUSTER_CAPACITY * 12 + (CLUSTER_THREADS / 32 + 2 * CLUSTER_BLOCKS + 1) * RADIX_BINS * 4 +
                         CLUSTER_BLOCKS * 24 + 2048;
const u32 cooperativeBytes =
    std::max(COOPERATIVE_ITEMS * COOPERATIVE_THREADS, COOPERATIVE_CAPACITY + COOPERATIVE_BUCKETS / 2 + 4) * 12 +
    (4 << COOPERATIVE_BIN_BITS) + COOPERATIVE_THREADS / 32 * 16;

// The memory of cooperative sorts, in addition to that for rows.
struct CooperativeTemp {
	CooperativeState* state;
	u32* totals;
	u64* status;

	explicit CooperativeTemp(Device& d)
	    : state((CooperativeState*)d.allocate(sizeof(CooperativeState))),
	      totals((u32*)d.allocate(d.multiprocessors * 4)), status((u64*)d.allocate_pinned(sizeof(u64))) {
		d.zero(state, sizeof(CooperativeState));
	}
	void release(Device& d) { d.release(state), d.release(totals), d.release_pinned(status); }
};

// Sorts in a single cooperative launch, unless it declines; n is at most COOPERATIVE_ITEMS rows for each thread.
inline bool sort_cooperatively(Device& d, const CooperativeTemp& t, const SmallSort& job, u64* numbers, u32* tags) {
	CooperativeSort cooperativeJob = {job, (u64)t.state, (u64)numbers, (u64)tags, (u64)t.totals, (u64)t.status};
	*t.status = 0;
	d.run_cooperatively(cooperative, d.multiprocessors, COOPERATIVE_THREADS, cooperativeBytes, cooperativeJob);
	return d.wait_for_status(t.status) == STATUS_ACCEPTED;
}
