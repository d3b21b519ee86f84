// Digit binning by a grid, for rows that are spread over the buckets too unevenly: from the least significant digit on, through memory.
#pragma once
#include "grid_block.h"
#include "ranking.h"

const u32 TOGETHER = 8; // counts on their way at a time
const u32 PLACE_SHIFT = 30; // a tag is a row, and the place of its class above
static_assert(GRID_ROWS <= 1u << PLACE_SHIFT, "room in a tag");

template <int items> struct GridDigits : GridBlock<items> {
	typedef GridBlock<items> Block;
	using Block::Block, Block::many, Block::gate, Block::numbers, Block::tags, Block::counters, Block::firsts, Block::n, Block::rank, Block::used, Block::local, Block::extent;

	// Reads the rows once more and sorts them, and writes the result.
	DEVICE void sort_by_digits() {
		FewRows<items> few(many.few, this->first() + local, 32);
		FewResult result(many.few);
		u32 tag[items], digits = (extent.span_bits() + RADIX_BITS - 1) / RADIX_BITS, passes = digits + extent.mixed, moved = 0;
		few.read(used);
		UNROLL for (int i = 0; i < items; i++) tag[i] = few.row(i) | few.place(i) << PLACE_SHIFT;
		ROLLED for (u32 pass = 0; pass < passes; pass++) {
			const u64 least = extent.least();
			auto digit_of = [=](u64 number, u32 t) { return pass < digits ? (u32)((number - least) >> pass * RADIX_BITS) & (RADIX_BINS - 1) : t >> PLACE_SHIFT; };
			bool last = pass + 1 == passes;
			u32* totals = (u32*)many.totals + (pass + 1) % 2 * RADIX_BINS * grid_blocks(); // not those that others may still be reading
			bool moves = rank_rows(few, tag, totals, digit_of, last);
			if (pass == 0) this->clear_meeting(); // all blocks have read the counts
			if (!moves) continue;                 // all rows have the same digit
			if (last) return write(digit_of, [=](u32 place, u64, u32 t) { result.put(place, t & ((1u << PLACE_SHIFT) - 1)); });
			u64* nextNumbers = (u64*)many.numbers[moved % 2];
			u32* nextTags = (u32*)many.tags[moved++ % 2];
			write(digit_of, [=](u32 place, u64 x, u32 t) { nextNumbers[place] = x, nextTags[place] = t; });
			gate.meet();
			UNROLL for (int i = 0; i < items; i++) {
				u32 at = this->first() + local + 32 * i;
				if (i >= (int)used || at >= n) break;
				few.number[i] = load_relaxed(nextNumbers + at), tag[i] = load_relaxed(nextTags + at);
			}
		}
	}

private:
	// Stages the rows by their digits, and finds how far those of each digit go. False if there is no need, since all are the same.
	template <class Digit> DEVICE bool rank_rows(const FewRows<items>& few, const u32* tag, u32* totals, const Digit& digit_of, bool always) {
		u32 *mine = counters + warp_index() * RADIX_BINS, place[items], d = thread_index();
		auto digit = [&](int i) { return this->first() + local + 32 * i < n ? digit_of(few.number[i], tag[i]) : RADIX_BINS - 1; }; // places of no row are behind
		sync_block();
		for (u32 k = lane_index(); k < RADIX_BINS; k += 32) mine[k] = 0;
		sync_warp();
		UNROLL for (int i = 0; i < items; i++) {
			if (i >= (int)used) break;
			place[i] = take_place(mine, digit(i));
		}
		sync_block();
		u32 count = sum_warps();
		if (d < RADIX_BINS) totals[rank * RADIX_BINS + d] = d == RADIX_BINS - 1 ? count - (this->share() - this->rows()) : count;
		u32 all, start = this->sum_threads(count, &all);
		gate.arrive();
		if (d < RADIX_BINS) firsts[d] = start;
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			if (i >= (int)used) break;
			u32 at = firsts[digit(i)] + mine[digit(i)] + place[i];
			numbers[at] = few.number[i], tags[at] = tag[i];
		}
		gate.wait();
		return sum_blocks(totals, start) || always;
	}
	// Turns the counts of a digit, one to a thread, into sums over the warps; returns the rows of all. Some counts are on their way at a time.
	DEVICE u32 sum_warps() const {
		u32 total = 0, *mine = counters + thread_index();
		if (thread_index() >= RADIX_BINS) return 0;
		ROLLED for (u32 w = 0; w < GRID_WARPS; w += TOGETHER, mine += TOGETHER * RADIX_BINS) {
			u32 count[TOGETHER];
			UNROLL for (u32 k = 0; k < TOGETHER; k++) count[k] = mine[k * RADIX_BINS];
			UNROLL for (u32 k = 0; k < TOGETHER; k++) mine[k * RADIX_BINS] = total, total += count[k];
		}
		return total;
	}
	// Finds how far the rows of each digit go from where they are staged. False if all rows have the same one.
	DEVICE bool sum_blocks(const u32* totals, u32 start) const {
		const u32 groups = GRID_THREADS / RADIX_BINS; // of blocks
		u32 d = thread_index() % RADIX_BINS, group = thread_index() / RADIX_BINS, total = 0, before = 0, all;
		for (u32 from = group; from < grid_blocks(); from += groups * TOGETHER) {
			u32 count[TOGETHER];
			UNROLL for (u32 k = 0; k < TOGETHER; k++) count[k] = from + k * groups < grid_blocks() ? load_relaxed(totals + (from + k * groups) * RADIX_BINS + d) : 0;
			UNROLL for (u32 k = 0; k < TOGETHER; k++) total += count[k], before += from + k * groups < rank ? count[k] : 0;
		}
		u32 *allTotals = counters, *allBefore = counters + GRID_THREADS;
		allTotals[thread_index()] = total, allBefore[thread_index()] = before;
		sync_block();
		total = before = 0;
		if (group == 0) {
			for (u32 g = 0; g < groups; g++) total += allTotals[g * RADIX_BINS + d], before += allBefore[g * RADIX_BINS + d];
		}
		u32 place = this->sum_threads(total, &all) + before; // has a barrier, behind which the totals are not needed
		if (group == 0) counters[d] = place - start;
		return !sync_block_or(total == n);
	}
	template <class Digit, class Put> DEVICE void write(const Digit& digit_of, const Put& put) const {
		for (u32 at = thread_index(); at < this->rows(); at += GRID_THREADS) {
			u64 x = numbers[at];
			u32 t = tags[at];
			put(at + counters[digit_of(x, t)], x, t);
		}
	}
};
