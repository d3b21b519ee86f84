// The upfront histograms of all digits in one read of the keys, and their exclusive sums (paper, sections 4.1 and 4.2).
#pragma once
#include "common/column_rows.h"

// A Counts is the output of histogram: all zero before.
struct Counts {
	u32* bins;     // RADIX_BINS of each digit
	u64* constant; // bit d: all rows have the same digit d
	u32* done;     // blocks that have added their counts

	DEVICE explicit Counts(u32* counts)
	    : bins(counts), constant((u64*)(counts + MAX_DIGITS * RADIX_BINS)), done((u32*)(constant + 1)) {}
};

// Counters in shared memory. Each bin has several adjacent copies, for lanes with equal digits, and adjacent to them
// are those of the other digit of its pair: half of the lanes count one digit while the others count the other, then
// they swap. So all lanes add to different banks.
template <int copies> struct Copies {
	static const u32 step = 2 * copies, pair = RADIX_BINS * step; // words from a bin, and a pair of digits, to the next

	DEVICE static u32 sum(u32 digit, u32 bin) {
		const u32* counters = (const u32*)shared_memory() + digit / 2 * pair + bin * step + digit % 2 * copies;
		u32 total = 0;
		UNROLL for (u32 k = 0; k < copies; k++) total += counters[(k + lane_index()) % copies];
		return total;
	}
};

// The digits that this lane counts, one per turn.
template <int digits, int copies> struct Turns {
	typedef Copies<copies> C;
	u32 shift[digits], mask[digits]; // of its digit
	u32 first[2];                    // the place of its counter of bin 0, of one digit of two and of the other

	DEVICE Turns(u64 shifts, u64 bits) {
		u32 swapped = lane_index() / copies % 2;
		UNROLL for (u32 t = 0; t < digits; t++) {
			u32 byte = 8 * (t ^ swapped); // the last digit may be paired with one without bits, which is not read
			shift[t] = in_register((u32)(shifts >> byte) & 255);
			mask[t] = in_register((1u << ((u32)(bits >> byte) & 255)) - 1);
		}
		UNROLL for (u32 t = 0; t < 2; t++)
			first[t] =
			    in_register(shared_place(shared_memory() + ((t ^ swapped) * copies + lane_index() % copies) * 4));
	}
	template <bool whole, class Word, int items>
	DEVICE void count_rows(const Word (&code)[items], const Place& p, u32 count) const {
		UNROLL for (u32 t = 0; t < digits && t / 2 * 2 < count; t++) {
			u32 place = first[t % 2] + t / 2 * C::pair * 4;
			UNROLL for (int i = 0; i < items; i++) {
				if (whole || p.has(i)) count_shared(place + ((u32)(code[i] >> shift[t]) & mask[t]) * C::step * 4);
			}
		}
	}
};

// Counts the digits of the block's rows; shifts and bits hold a byte of each digit.
template <class Word, int items, int digits, int copies>
DEVICE void count_column(const Field* field, u64 n, u64 shifts, u64 bits, u32 count) {
	const u32 chunk = 32 * items;
	u64 warps = block_threads() / 32, step = (u64)grid_blocks() * warps * chunk;
	Turns<digits, copies> turns(shifts, bits);
	ColumnRows<Word, items> rows(field);
	for (u64 first = ((u64)block_index() * warps + warp_index()) * chunk; first < n; first += step) {
		Place here(first, n, chunk);
		rows.load(here);
		rows.encode(here);
		if (here.whole<items>()) turns.template count_rows<true>(rows.x, here, count);
		else turns.template count_rows<false>(rows.x, here, count);
	}
}

template <int copies> DEVICE void add_up(const Counts& counts, u32 digits) {
	for (u32 bin = thread_index(); bin < digits * RADIX_BINS; bin += block_threads()) {
		u32 rows = Copies<copies>::sum(bin / RADIX_BINS, bin % RADIX_BINS);
		if (rows) atomic_add(counts.bins + bin, rows);
	}
}

// The last block turns the counts into the place of the first row of each bin: each warp has a digit.
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
		UNROLL for (u32 k = 0; k < each; k++) bins[k] = before, before += rows[k];
		if (constant) atomic_or(counts.constant, 1ull << d);
	}
}

DEVICE void clear_words(u32* words, u64 count, u64 first, u64 step) {
	for (u64 i = first; i < count / 4; i += step) ((Words4*)words)[i] = {0, 0, 0, 0};
}

// Counts the digits of a column in shared memory, HISTOGRAM_BYTES of zeroes, and adds them to the counts of all blocks.
template <class Word, int items, int digits, int copies>
DEVICE void count_digits(const Field* field, u64 n, u64 shifts, u64 bits, u32 count, const Counts& counts) {
	count_column<Word, items, digits, copies>(field, n, shifts, bits, count);
	sync_block();
	add_up<copies>(counts, count);
}
const int DIGIT_COPIES = HISTOGRAM_BYTES / (MAX_DIGITS * RADIX_BINS * 4); // of each counter, for the most digits
