#include "device.h"

// exclusive_sum turns the counts of each digit into the place of the first row of each bin (paper, section 4.2), and notes
// digits that all rows have in common.
KERNEL(exclusive_sum, RADIX_BINS, 1)(u32* counts, u64 count, u64 n, u64* constant) {
	u32* sums = (u32*)shared_memory(); // of the warps
	for (u32 d = 0; d < count; d++) {
		u32* place = counts + d * RADIX_BINS + thread_index();
		u32 rows = *place, total, before = warp_exclusive_sum(rows, &total);
		if (lane_index() == 0) sums[warp_index()] = total;
		sync_block();
		for (u32 w = 0; w < warp_index(); w++) before += sums[w];
		*place = before;
		if (rows == n) atomic_or(constant, 1ull << d);
		sync_block();
	}
}
