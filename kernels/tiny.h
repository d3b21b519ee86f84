// A sort of few rows by one block, from the column to row numbers. Rows are dealt to bins by the leading bits of their numbers, counted
// from the least on; then each row looks for its place among the rows of its bin. Where many rows share a bin they are sorted by
// digits instead, as digit binning does, but in shared memory all the time.
#pragma once
#include "ranking.h"
#include "tiny_rows.h"

const u32 TINY_BINS = 1 << TINY_BIN_BITS, TINY_WARPS = TINY_THREADS / 32;
const u32 TINY_SHARE = 24; // rows of a bin that are compared one by one

template <int items> struct Tiny {
	static const u32 most = TINY_THREADS * items; // rows
	u64* words;    // of the rows in their new order
	u32* tags;     // row numbers and classes, in the same order
	u32* counters; // of bins; of digits, for each warp
	u64* sums;     // of warps
	u32 n;
	TinyRows<items> rows;
	u64 least = 0, span = 0; // of the numbers

	DEVICE Tiny(const Field* f, u32 n, Classes classes)
	    : words((u64*)shared_memory()), tags((u32*)(words + most)), counters(tags + most), sums((u64*)(counters + TINY_BINS)), n(n), rows(f, n, classes) {}

	DEVICE void sort(const u32* in, u32* out) {
		clear_counters();
		rows.load();
		measure();
		if (!sort_by_bins()) sort_by_digits();
		for (u32 i = thread_index(); i < n; i += TINY_THREADS) {
			u32 row = tags[i] & TAG_ROW;
			out[i] = in ? in[row] : row;
		}
	}

	DEVICE void clear_counters() {
		for (u32 i = thread_index(); i < TINY_BINS; i += TINY_THREADS) counters[i] = 0;
	}
	// The greatest x of the block.
	DEVICE u64 block_max(u64 x) {
		x = warp_max(x);
		if (lane_index() == 0) sums[warp_index()] = x;
		sync_block();
		x = warp_max(lane_index() < TINY_WARPS ? sums[lane_index()] : 0);
		sync_block();
		return x;
	}
	DEVICE void measure() {
		u64 notLeast = 0, greatest = 0;
		UNROLL for (int i = 0; i < items; i++) {
			if (!rows.is_value(i)) continue;
			notLeast = ~rows.word[i] > notLeast ? ~rows.word[i] : notLeast;
			greatest = rows.word[i] > greatest ? rows.word[i] : greatest;
		}
		least = ~block_max(notLeast);
		greatest = block_max(greatest);
		span = greatest >= least ? greatest - least : 0; // no value: nothing to tell apart
	}
	DEVICE u32 span_bits() const {
		u32 high = (u32)(span >> 32);
		return high ? 64 - count_leading_zeros(high) : 32 - count_leading_zeros((u32)span);
	}

	// How far numbers are shifted so that their bins, and those of two classes, are no more than there are.
	DEVICE u32 bin_shift() const {
		u32 shift = span_bits() > TINY_BIN_BITS ? span_bits() - TINY_BIN_BITS : 0;
		return (span >> shift) + 3 > TINY_BINS ? shift + 1 : shift;
	}

	DEVICE bool sort_by_bins() {
		u32 shift = bin_shift(), lastBin = (u32)(span >> shift), share = 0;
		u32 place[items]; // bin, and number of arrival
		UNROLL for (int i = 0; i < items; i++) {
			if (!rows.has(i)) continue;
			u32 bin = rows.bin(i, (u32)((rows.word[i] - least) >> shift), lastBin), arrival = atomic_add(counters + bin, 1u);
			place[i] = bin << 16 | arrival;
			share = arrival > share ? arrival : share;
		}
		if (block_max(share) >= TINY_SHARE) return false;
		sum_bins();
		UNROLL for (int i = 0; i < items; i++) {
			if (!rows.has(i)) continue;
			place[i] = counters[place[i] >> 16] + (place[i] & 0xffff);
			words[place[i]] = rows.word[i];
			tags[place[i]] = rows.tag(i);
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			if (rows.has(i)) place[i] = place_in_bin(i, rows.bin(i, (u32)((rows.word[i] - least) >> shift), lastBin));
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			if (rows.has(i)) tags[place[i]] = rows.tag(i);
		}
		sync_block();
		return true;
	}
	// Turns the counts of bins into the place of their first rows.
	DEVICE void sum_bins() {
		const u32 each = TINY_BINS / TINY_THREADS;
		u32 count[each], all = 0, ofWarp, total;
		u32* mine = counters + thread_index() * each;
		UNROLL for (u32 k = 0; k < each; k++) all += count[k] = mine[k];
		u32 before = warp_exclusive_sum(all, &ofWarp);
		if (lane_index() == 0) sums[warp_index()] = ofWarp;
		sync_block();
		before += shuffle(warp_exclusive_sum(lane_index() < TINY_WARPS ? (u32)sums[lane_index()] : 0, &total), warp_index());
		UNROLL for (u32 k = 0; k < each; k++) {
			mine[k] = before;
			before += count[k];
		}
		sync_block();
	}
	// How many rows of the bin come before this one.
	DEVICE u32 place_in_bin(int i, u32 bin) {
		u32 first = counters[bin], end = bin + 1 < TINY_BINS ? counters[bin + 1] : n, place = first;
		u64 word = rows.word[i];
		bool value = rows.is_value(i);
		for (u32 at = first; at < end; at++) {
			u64 other = words[at];
			place += value && other != word ? other < word : (tags[at] & TAG_ROW) < rows.row(i);
		}
		return place;
	}

	DEVICE void sort_by_digits() {
		UNROLL for (int i = 0; i < items; i++) rows.word[i] -= least;
		u32 tag[items];
		UNROLL for (int i = 0; i < items; i++) tag[i] = rows.tag(i);
		bool mixed = block_max(rows.any_class()) != 0;
		for (u32 shift = 0; shift < span_bits(); shift += RADIX_BITS) {
			bin_by(tag, [&](int i) { return (u32)(rows.word[i] >> shift) & (RADIX_BINS - 1); });
		}
		if (mixed || span_bits() == 0) bin_by(tag, [&](int i) { return tag[i] >> TAG_CLASS; });
	}
	// Bins all rows by a digit. Places behind the last row count as the greatest digit, and stay behind.
	template <class Digit> DEVICE void bin_by(u32 (&tag)[items], Digit digit) {
		u32* places = counters + warp_index() * RADIX_BINS;
		for (u32 k = lane_index(); k < RADIX_BINS; k += 32) places[k] = 0;
		sync_warp();
		UNROLL for (int i = 0; i < items; i++) atomic_add(places + (rows.has(i) ? digit(i) : RADIX_BINS - 1), 1u);
		sync_block();
		sum_digits();
		UNROLL for (int i = 0; i < items; i++) {
			u32 place = take_place(places, rows.has(i) ? digit(i) : RADIX_BINS - 1);
			words[place] = rows.word[i];
			tags[place] = tag[i];
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			rows.word[i] = words[rows.row(i)];
			tag[i] = tags[rows.row(i)];
		}
		sync_block();
	}
	// Turns the counts of digits of all warps into places. A warp of the first RADIX_BINS threads has 32 digits.
	DEVICE void sum_digits() {
		u32 rows = 0, ofWarp;
		if (thread_index() < RADIX_BINS) {
			ROLLED for (u32 w = 0; w < TINY_WARPS; w++) rows += counters[w * RADIX_BINS + thread_index()];
			rows = warp_exclusive_sum(rows, &ofWarp);
			if (lane_index() == 0) sums[warp_index()] = ofWarp;
		}
		sync_block();
		if (thread_index() < RADIX_BINS) {
			for (u32 w = 0; w < warp_index(); w++) rows += (u32)sums[w];
			ROLLED for (u32 w = 0; w < TINY_WARPS; w++) {
				u32* counter = counters + w * RADIX_BINS + thread_index();
				u32 count = *counter;
				*counter = rows;
				rows += count;
			}
		}
		sync_block();
	}
};
