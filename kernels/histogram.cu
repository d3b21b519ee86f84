#include "column.h"

const int HISTOGRAM_ITEMS = 8;

// The places of all digits, a byte for each: they stay in registers.
struct Digits {
	u64 shifts = 0, bits = 0;

	DEVICE Digits(const Digit* digits, u32 count) {
		for (u32 d = 0; d < count; d++) {
			shifts |= digits[d].shift << 8 * d;
			bits |= digits[d].bits << 8 * d;
		}
	}
	template <class Word> DEVICE u32 of(Word code, int d) const {
		return (u32)(code >> (u32)(shifts >> 8 * d & 255)) & ((1u << (u32)(bits >> 8 * d & 255)) - 1);
	}
	DEVICE u32 code_bits(u32 count) const { return (u32)(shifts >> 8 * (count - 1) & 255) + (u32)(bits >> 8 * (count - 1) & 255); }
};

// Counts the digits of the rows of a block in shared memory, in several copies of each counter, one beside the other: lanes of
// a warp whose digits agree add to different words, in different banks.
template <class Word, int most, int copies> DEVICE void count_all(const Field* field, u64 n, const Digits& digits, u32 count, u32* counters) {
	u32* mine = counters + lane_index() % copies;
	Column32 column = {field, n};
	u64 chunk = 32 * HISTOGRAM_ITEMS, step = (u64)grid_blocks() * (HISTOGRAM_THREADS / 32) * chunk;
	for (u64 first = ((u64)block_index() * (HISTOGRAM_THREADS / 32) + warp_index()) * chunk; first < n; first += step) {
		Word code[HISTOGRAM_ITEMS];
		column.codes(code, first);
		u32 left = n - first < chunk ? (u32)(n - first) : (u32)chunk;
		UNROLL for (int d = 0; d < most; d++) {
			if (d >= (int)count) break;
			UNROLL for (int i = 0; i < HISTOGRAM_ITEMS; i++) {
				if (32 * i + lane_index() < left) atomic_add(mine + (d * RADIX_BINS + digits.of(code[i], d)) * copies, 1u);
			}
		}
	}
}

template <int copies> DEVICE void add_copies(const u32* counters, u32 count, u32* counts) {
	for (u32 i = thread_index(); i < count * RADIX_BINS; i += HISTOGRAM_THREADS) {
		u32 total = 0;
		UNROLL for (u32 k = 0; k < copies; k++) total += counters[i * copies + (k + lane_index()) % copies];
		if (total) atomic_add(counts + i, total);
	}
}

// The upfront histograms of all digits in one read of the keys (paper, section 4.1).
KERNEL(histogram, HISTOGRAM_THREADS, 1)(const Field* field, u64 n, const Digit* digits, u64 count, u32* counts) {
	u32* counters = (u32*)shared_memory();
	for (u32 i = thread_index(); i < MAX_DIGITS * RADIX_BINS * HISTOGRAM_COPIES; i += HISTOGRAM_THREADS) counters[i] = 0;
	Digits places(digits, (u32)count);
	sync_block();
	if (count * 2 <= MAX_DIGITS) { // half the digits, twice the copies
		if (Column32::is_short(field, places.code_bits((u32)count))) {
			count_all<u32, MAX_DIGITS / 2, HISTOGRAM_COPIES * 2>(field, n, places, (u32)count, counters);
		} else {
			count_all<u64, MAX_DIGITS / 2, HISTOGRAM_COPIES * 2>(field, n, places, (u32)count, counters);
		}
		sync_block();
		add_copies<HISTOGRAM_COPIES * 2>(counters, (u32)count, counts);
	} else {
		count_all<u64, MAX_DIGITS, HISTOGRAM_COPIES>(field, n, places, (u32)count, counters);
		sync_block();
		add_copies<HISTOGRAM_COPIES>(counters, (u32)count, counts);
	}
}
