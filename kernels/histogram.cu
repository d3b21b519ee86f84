// The upfront histograms of all digits in one read of the keys, and their exclusive sums (paper, sections 4.1 and 4.2).
#include "column_rows.h"

// A Counts is what histogram writes: all zero before.
struct Counts {
	u32* bins;     // RADIX_BINS of each digit
	u64* constant; // bit d: all rows have the same digit d
	u32* done;     // blocks that have added their counts

	DEVICE explicit Counts(u32* counts)
	    : bins(counts), constant((u64*)(counts + MAX_DIGITS * RADIX_BINS)), done(counts + MAX_DIGITS * RADIX_BINS + 2) {}
};

// Counters in shared memory. Each bin has several, one beside the other: lanes whose digits agree add to different words, in
// different banks.
struct Copies {
	u32* counters;
	u32 number; // of each bin, a power of two

	DEVICE Copies(u32 bytes, u32 digits) : counters((u32*)shared_memory()), number(32) {
		while (number * digits * RADIX_BINS * 4 > bytes) number /= 2;
	}
	DEVICE void clear(u32 bytes) const {
		for (u32 i = thread_index(); i < bytes / 16; i += block_threads()) ((Words4*)counters)[i] = {0, 0, 0, 0};
	}
	DEVICE u32* of_lane(u32 digit) const { return counters + digit * RADIX_BINS * number + lane_index() % number; }
	DEVICE u32 sum(u32 bin) const {
		u32 total = 0;
		ROLLED for (u32 k = 0; k < number; k++) total += counters[bin * number + (k + lane_index()) % number];
		return total;
	}
};

template <class Word, int items> DEVICE void count_digit(const Word (&code)[items], const Place& p, u32* mine, u32 stride, u32 shift, u32 bits) {
	u32 mask = (1u << bits) - 1;
	if (p.whole<items>()) {
		UNROLL for (int i = 0; i < items; i++) atomic_add(mine + ((u32)(code[i] >> shift) & mask) * stride, 1u);
	} else {
		UNROLL for (int i = 0; i < items; i++) {
			if (p.has(i)) atomic_add(mine + ((u32)(code[i] >> shift) & mask) * stride, 1u);
		}
	}
}

// Counts the digits of the block's rows; shifts and bits hold a byte of each digit. The next rows of a warp are on their way while
// it counts.
template <class Word, int items> DEVICE void count_all(const Field* field, u64 n, u64 shifts, u64 bits, u32 digits, const Copies& copies) {
	const u32 chunk = 32 * items;
	u64 warps = block_threads() / 32, step = (u64)grid_blocks() * warps * chunk;
	u64 first = ((u64)block_index() * warps + warp_index()) * chunk;
	if (first >= n) return;
	ColumnRows<Word, items> rows(field);
	rows.load(Place(first, n, chunk));
	for (; first < n; first += step) {
		Place here(first, n, chunk);
		rows.encode(here);
		Word code[items];
		UNROLL for (int i = 0; i < items; i++) code[i] = rows.x[i];
		if (first + step < n) rows.load(Place(first + step, n, chunk));
		ROLLED for (u32 d = 0; d < digits; d++) {
			count_digit(code, here, copies.of_lane(d), copies.number, (u32)(shifts >> 8 * d) & 255, (u32)(bits >> 8 * d) & 255);
		}
	}
}

// The last block to come turns the counts into the place of the first row of each bin: a warp takes a digit.
DEVICE void sum_counts(const Counts& counts, u32 digits, u64 n) {
	const u32 each = RADIX_BINS / 32;
	for (u32 d = warp_index(); d < digits; d += block_threads() / 32) {
		u32 *bins = counts.bins + d * RADIX_BINS + lane_index() * each, rows[each], sum = 0, total;
		bool constant = false;
		UNROLL for (u32 k = 0; k < each; k++) {
			rows[k] = load_relaxed(bins + k);
			sum += rows[k];
			constant |= rows[k] == n;
		}
		u32 before = warp_exclusive_sum(sum, &total);
		UNROLL for (u32 k = 0; k < each; k++) {
			bins[k] = before;
			before += rows[k];
		}
		if (constant) atomic_or(counts.constant, 1ull << d);
	}
}

template <u32 bytes, int items>
DEVICE void count_rows(const Field* field, u64 n, u64 shifts, u64 bits, u32 digits, const Counts& counts, u32* clear, u64 words) {
	for (u64 i = (u64)block_index() * block_threads() + thread_index(); i < words / 4; i += (u64)grid_blocks() * block_threads()) {
		((Words4*)clear)[i] = {0, 0, 0, 0};
	}
	Copies copies(bytes, digits);
	copies.clear(bytes);
	u32* last = (u32*)(shared_memory() + bytes);
	sync_block();
	u32 top = digits - 1, codeBits = (u32)(shifts >> 8 * top & 255) + (u32)(bits >> 8 * top & 255);
	if (field->width == 4 && codeBits <= 32) count_all<u32, 2 * items>(field, n, shifts, bits, digits, copies);
	else count_all<u64, items>(field, n, shifts, bits, digits, copies);
	sync_block();
	for (u32 bin = thread_index(); bin < digits * RADIX_BINS; bin += block_threads()) {
		u32 rows = copies.sum(bin);
		if (rows) atomic_add(counts.bins + bin, rows);
	}
	fence(); // the counts are there before this block says so
	sync_block();
	if (thread_index() == 0) *last = atomic_add(counts.done, 1u) == grid_blocks() - 1;
	sync_block();
	if (!*last) return;
	fence();
	sum_counts(counts, digits, n);
}

#define HISTOGRAM(name, threads, bytes, items)                                                                                           \
	KERNEL(name, threads, 1)                                                                                                             \
	(const Field* field, u64 n, u64 shifts, u64 bits, u64 digits, u32* counts, u32* clear, u64 words) {                                  \
		count_rows<bytes, items>(field, n, shifts, bits, (u32)digits, Counts(counts), clear, words);                                     \
	}
HISTOGRAM(histogram, HISTOGRAM_THREADS, HISTOGRAM_BYTES, 4)
HISTOGRAM(histogram_small, SMALL_HISTOGRAM_THREADS, SMALL_HISTOGRAM_BYTES, 4)
