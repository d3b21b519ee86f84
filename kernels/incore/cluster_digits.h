// Digit binning by a cluster. Each block stages its rows by digit before it sends them to their blocks, so that rows
// for the same block are adjacent and many are in flight at a time.
#pragma once
#include "common/ranking.h"
#include "incore/cluster_block.h"

struct ClusterDigits : ClusterBlock {
	using ClusterBlock::ClusterBlock;

	// Sorts by digits, from the least significant one on, and writes the result.
	DEVICE void sort_by_digits(const SmallSortRows<CLUSTER_ITEMS>& input, const SmallSortResult& result) {
		UNROLL for (int i = 0; i < CLUSTER_ITEMS && i < (int)used; i++) {
			numbers[local + 32 * i] = input.number[i];
			tags[local + 32 * i] = input.row(i) | input.place(i) << TAG_ROW_BITS;
		}
		u32 pass = 1; // the totals of the first half may still be read
		for (u32 shift = 0; shift < extent.span_bits(); shift += RADIX_BITS) {
			bin_by(pass++, [&](u64 x, u32) { return (u32)((x - extent.least()) >> shift) & (RADIX_BINS - 1); });
		}
		if (extent.mixed) bin_by(pass++, [&](u64, u32 tag) { return tag >> TAG_ROW_BITS; });
		UNROLL for (int i = 0; i < CLUSTER_ITEMS && i < (int)used && input.has(i); i++) {
			result.put(input.row(i), tags[local + 32 * i] & TAG_ROW);
		}
	}
	// Bins the rows of all blocks by a digit.
	template <class Digit> DEVICE void bin_by(u32 pass, Digit digit_of) {
		u32 *mine = counters + warp_index() * RADIX_BINS, tag[CLUSTER_ITEMS], place[CLUSTER_ITEMS];
		u64 number[CLUSTER_ITEMS];
		// Items without a row sort last.
		auto digit = [&](int i) { return local + 32 * i < rows() ? digit_of(number[i], tag[i]) : RADIX_BINS - 1; };
		for (u32 k = lane_index(); k < RADIX_BINS; k += 32) mine[k] = 0;
		sync_warp();
		UNROLL for (int i = 0; i < CLUSTER_ITEMS && i < (int)used; i++) {
			number[i] = numbers[local + 32 * i], tag[i] = tags[local + 32 * i];
			place[i] = take_place(mine, digit(i));
		}
		sync_block();
		// Not the totals of the preceding pass, which other blocks may still be reading.
		u32* ofPass = totals + pass % 2 * CLUSTER_BLOCKS * RADIX_BINS;
		u32 start = sum_warps(ofPass);
		cluster_arrive();
		UNROLL for (int i = 0; i < CLUSTER_ITEMS && i < (int)used; i++) {
			u32 at = mine[digit(i)] + place[i];
			numbers[at] = number[i], tags[at] = tag[i];
		}
		cluster_wait();
		if (!sum_blocks(ofPass, start)) return; // in the same order
		for (u32 i = thread_index(); i < rows(); i += CLUSTER_THREADS) {
			u32 at = in_turn(i, rows());
			u64 x = numbers[at];
			u32 t = tags[at], place = at + moves[digit_of(x, t)], to = place >> shareBits,
			    there = place & ((1u << shareBits) - 1);
			*in_block(to, oldNumbers + there) = x;
			*in_block(to, oldTags + there) = t;
		}
		swap();
		cluster_arrive();
		cluster_wait();
	}
	// Turns the counts of digits of all warps into places in the block, and sends the totals to all blocks. Returns the
	// start of the thread's digit.
	DEVICE u32 sum_warps(u32* totals) {
		u32 d = thread_index(), total = 0, start = 0;
		if (d < RADIX_BINS) {
			for (u32 w = 0; w < CLUSTER_WARPS; w++) {
				u32 *counter = counters + w * RADIX_BINS + d, count = *counter;
				*counter = total;
				total += count;
			}
			u32 ofDigit = d == RADIX_BINS - 1 ? total - ((1u << shareBits) - rows()) : total;
			for (u32 b = 0; b < CLUSTER_BLOCKS; b++) in_block(b, totals)[rank * RADIX_BINS + d] = ofDigit;
		}
		start = sum_digits(total);
		if (d < RADIX_BINS) {
			for (u32 w = 0; w < CLUSTER_WARPS; w++) counters[w * RADIX_BINS + d] += start;
		}
		sync_block();
		return start;
	}
	// The exclusive sum over the digits, for the first RADIX_BINS threads.
	DEVICE u32 sum_digits(u32 count) {
		u32 total, sum = warp_exclusive_sum(count, &total);
		if (thread_index() < RADIX_BINS && lane_index() == 0) sums[warp_index()] = total;
		sync_block();
		u32 earlier = warp_exclusive_sum(lane_index() < RADIX_BINS / 32 ? sums[lane_index()] : 0, &total);
		return sum + shuffle(earlier, warp_index());
	}
	// Finds how far the rows of each digit move. Returns false if all rows have the same digit.
	DEVICE bool sum_blocks(const u32* totals, u32 start) {
		u32 d = thread_index(), total = 0, before = 0;
		if (d < RADIX_BINS) {
			for (u32 b = 0; b < CLUSTER_BLOCKS; b++) {
				u32 count = totals[b * RADIX_BINS + d];
				before += b < rank ? count : 0;
				total += count;
			}
		}
		u32 place = sum_digits(total) + before;
		if (d < RADIX_BINS) moves[d] = place - start;
		return !sync_block_or(total == n);
	}
};
