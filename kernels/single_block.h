// A sort of few rows by one block, from the column to row numbers. Rows are scattered to bins by the leading bits of
// their distances from the least number, then the rows of a bin are compared. If many rows share a bin, all are sorted
// by digits in shared memory.
#pragma once
#include "small_sort.h"
#include "ranking.h"
#include "spread.h"

const u32 SINGLE_BLOCK_BINS = 1 << SINGLE_BLOCK_BIN_BITS, SINGLE_BLOCK_WARPS = SINGLE_BLOCK_THREADS / 32;
const u32 SINGLE_BLOCK_SHARE = 32; // rows of a bin that are compared one by one

// Bins of numbers, and of two classes after or before them.
struct SingleBlockBins {
	Spread spread;
	u32 valuePlace;

	DEVICE SingleBlockBins(const SmallSort& job, const Extent64& e, u32 valuePlace)
	    : spread(job, e, SINGLE_BLOCK_BINS - 2), valuePlace(valuePlace) {}
	DEVICE u32 of(u64 number, u32 place) const {
		if (place == valuePlace) return spread.bin(number) + valuePlace;
		return valuePlace ? place : SINGLE_BLOCK_BINS - 3 + place;
	}
};

template <int items> struct SingleBlock {
	static const u32 most = SINGLE_BLOCK_THREADS * items; // rows
	u64* numbers;     // of rows
	u32* counters;    // of bins; of digits, for each warp
	u64* sums;        // of warps
	u16 *order, *old; // row numbers in their new order, and in the order before it
	u16* arrivals;    // of rows in their bins, in the memory of old
	u8* places;       // of the classes of rows
	u32 n;
	Extent64 extent; // of all rows

	DEVICE explicit SingleBlock(u32 n)
	    : numbers((u64*)shared_memory()), counters((u32*)(numbers + most)), sums((u64*)(counters + SINGLE_BLOCK_BINS)),
	      order((u16*)(sums + SINGLE_BLOCK_WARPS)), old(order + most), arrivals(old), places((u8*)(old + most)), n(n) {}

	DEVICE void sort(const SmallSort& job) {
		for (u32 i = thread_index(); i < SINGLE_BLOCK_BINS; i += SINGLE_BLOCK_THREADS) counters[i] = 0;
		SmallSortRows<items> rows(job, thread_index(), SINGLE_BLOCK_THREADS);
		Extent64 seen = rows.read(items);
		UNROLL for (int i = 0; i < items; i++) {
			if (rows.has(i)) numbers[rows.row(i)] = rows.number[i], places[rows.row(i)] = (u8)rows.place(i);
		}
		measure(seen);
		SingleBlockBins bins(job, extent, rows.value_place());
		SmallSortResult result(job);
		bool scattered = scatter(bins);
		if (!scattered) sort_by_digits();
		for (u32 i = thread_index(); i < n; i += SINGLE_BLOCK_THREADS) {
			u32 row = order[i];
			result.put(scattered ? place_in_bin(row, bins) : i, row);
		}
	}

	// The greatest x of the block.
	DEVICE u64 block_max(u64 x) {
		x = warp_max(x);
		if (lane_index() == 0) sums[warp_index()] = x;
		sync_block();
		x = warp_max(lane_index() < SINGLE_BLOCK_WARPS ? sums[lane_index()] : 0);
		sync_block();
		return x;
	}
	DEVICE void measure(const Extent64& e) {
		extent.notLeast = block_max(e.notLeast);
		extent.greatest = block_max(e.greatest);
		extent.mixed = sync_block_or(e.mixed);
	}
	DEVICE u32 bin_of(u32 row, const SingleBlockBins& bins) const { return bins.of(numbers[row], places[row]); }

	// Scatters the rows to bins, in any order within a bin. Returns false if some bin has too many rows.
	DEVICE bool scatter(const SingleBlockBins& bins) {
		u32 share = 0;
		for (u32 row = thread_index(); row < n; row += SINGLE_BLOCK_THREADS) {
			u32 arrival = atomic_add(counters + bin_of(row, bins), 1u);
			arrivals[row] = (u16)arrival;
			share = arrival > share ? arrival : share;
		}
		if (block_max(share) >= SINGLE_BLOCK_SHARE) return false;
		sum_bins();
		for (u32 row = thread_index(); row < n; row += SINGLE_BLOCK_THREADS) {
			order[counters[bin_of(row, bins)] + arrivals[row]] = (u16)row;
		}
		sync_block();
		return true;
	}
	// Turns the counts of bins into the places of their first rows. Each warp has adjacent bins, a lane four at a time.
	DEVICE void sum_bins() {
		const u32 warps = 16, rounds = SINGLE_BLOCK_BINS / warps / 128;
		Words4* mine = (Words4*)counters + warp_index() * rounds * 32 + lane_index();
		u32 before[rounds], ofWarp = 0, total;
		if (warp_index() < warps) {
			UNROLL for (u32 k = 0; k < rounds; k++) {
				Words4 c = mine[k * 32];
				before[k] = ofWarp + warp_exclusive_sum(c.word[0] + c.word[1] + c.word[2] + c.word[3], &total);
				ofWarp += total;
			}
			if (lane_index() == 0) sums[warp_index()] = ofWarp;
		}
		sync_block();
		if (warp_index() < warps) {
			u32 earlier =
			    shuffle(warp_exclusive_sum(lane_index() < warps ? (u32)sums[lane_index()] : 0, &total), warp_index());
			UNROLL for (u32 k = 0; k < rounds; k++) {
				Words4 c = mine[k * 32], at;
				at.word[0] = earlier + before[k];
				UNROLL for (int j = 1; j < 4; j++) at.word[j] = at.word[j - 1] + c.word[j - 1];
				mine[k * 32] = at;
			}
		}
		sync_block();
	}
	// The place of a row: the start of its bin plus the rows of the bin that sort before it.
	DEVICE u32 place_in_bin(u32 row, const SingleBlockBins& bins) const {
		u32 bin = bin_of(row, bins), first = counters[bin], end = bin + 1 < SINGLE_BLOCK_BINS ? counters[bin + 1] : n,
		    place = first;
		u64 number = numbers[row];
		for (u32 at = first; at < end; at++) {
			u32 other = order[at];
			u64 x = numbers[other];
			place += x != number ? x < number : other < row;
		}
		return place;
	}

	DEVICE void sort_by_digits() {
		for (u32 i = thread_index(); i < n; i += SINGLE_BLOCK_THREADS) order[i] = (u16)i;
		sync_block();
		for (u32 shift = 0; shift < extent.span_bits(); shift += RADIX_BITS) {
			bin_by([&](u32 row) { return (u32)((numbers[row] - extent.least()) >> shift) & (RADIX_BINS - 1); });
		}
		if (extent.mixed) bin_by([&](u32 row) { return (u32)places[row]; });
	}
	// Bins the rows by a digit. Each warp has consecutive rows; items after the last row have the greatest digit.
	template <class Digit> DEVICE void bin_by(Digit digit) {
		u32 *mine = counters + warp_index() * RADIX_BINS, first = warp_index() * 32 * items + lane_index();
		u16* swap = old;
		old = order, order = swap;
		auto digit_at = [&](int i) { return first + 32 * i < n ? digit(old[first + 32 * i]) : RADIX_BINS - 1; };
		for (u32 k = lane_index(); k < RADIX_BINS; k += 32) mine[k] = 0;
		sync_warp();
		UNROLL for (int i = 0; i < items; i++) atomic_add(mine + digit_at(i), 1u);
		sync_block();
		sum_digits();
		ROLLED for (int i = 0; i < items;
		            i++) { // rolled: unrolled ballots need more predicates than some architectures have
			u32 place = take_place(mine, digit_at(i)), at = first + 32 * i;
			if (at < n) order[place] = old[at];
		}
		sync_block();
	}
	// Turns the counts of digits of all warps into places. A warp of the first RADIX_BINS threads has 32 digits.
	DEVICE void sum_digits() {
		u32 rows = 0, ofWarp;
		if (thread_index() < RADIX_BINS) {
			UNROLL for (u32 w = 0; w < SINGLE_BLOCK_WARPS; w++) rows += counters[w * RADIX_BINS + thread_index()];
			rows = warp_exclusive_sum(rows, &ofWarp);
			if (lane_index() == 0) sums[warp_index()] = ofWarp;
		}
		sync_block();
		if (thread_index() < RADIX_BINS) {
			for (u32 w = 0; w < warp_index(); w++) rows += (u32)sums[w];
			UNROLL for (u32 w = 0; w < SINGLE_BLOCK_WARPS; w++) {
				u32* counter = counters + w * RADIX_BINS + thread_index();
				u32 count = *counter;
				*counter = rows;
				rows += count;
			}
		}
		sync_block();
	}
};
