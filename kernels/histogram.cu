#include "column.h"

// Counters of all digits in shared memory, some copies of each, one beside the other: lanes of a warp whose digits agree
// add to different words, in different banks.
struct Counters {
	u32* words;
	u32 copies;

	DEVICE u32* of(u32 digit, u32 bin) const { return words + (digit * RADIX_BINS + bin) * copies + lane_index() % copies; }
	DEVICE u32 sum(u32 i) const {
		u32 total = 0;
		for (u32 k = 0; k < copies; k++) total += words[i * copies + (k + lane_index()) % copies];
		return total;
	}
};

const int HISTOGRAM_ITEMS = 8;

// The upfront histograms of all digits in one read of the keys (paper, section 4.1).
KERNEL(histogram, HISTOGRAM_THREADS, 1)(const Field* field, u64 n, const Digit* digits, u64 count, u32* counts) {
	u32 room = MAX_DIGITS * RADIX_BINS * HISTOGRAM_COPIES;
	Counters counters = {(u32*)shared_memory(), count * 2 <= MAX_DIGITS ? HISTOGRAM_COPIES * 2u : HISTOGRAM_COPIES};
	for (u32 i = thread_index(); i < room; i += HISTOGRAM_THREADS) counters.words[i] = 0;
	sync_block();
	u64 warps = (u64)grid_blocks() * (HISTOGRAM_THREADS / 32), chunk = 32 * HISTOGRAM_ITEMS;
	Column32 column = {field, n};
	for (u64 first = ((u64)block_index() * (HISTOGRAM_THREADS / 32) + warp_index()) * chunk; first < n; first += warps * chunk) {
		u64 code[HISTOGRAM_ITEMS];
		column.codes(code, first);
		for (u32 d = 0; d < count; d++) {
			u32 shift = (u32)digits[d].shift, mask = (1u << digits[d].bits) - 1;
			UNROLL for (int i = 0; i < HISTOGRAM_ITEMS; i++) {
				if (first + 32 * i + lane_index() < n) atomic_add(counters.of(d, (u32)(code[i] >> shift) & mask), 1u);
			}
		}
	}
	sync_block();
	for (u32 i = thread_index(); i < count * RADIX_BINS; i += HISTOGRAM_THREADS) {
		u32 total = counters.sum(i);
		if (total) atomic_add(counts + i, total);
	}
}
