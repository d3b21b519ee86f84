// Large bins of a block of a cooperative launch. Most of their rows have the same number, and are ordered by row
// number: by cells of row numbers, and comparisons within a cell.
#pragma once
#include "bins.h"
#include "cooperative_block.h"

const u32 COOPERATIVE_CELLS = 1 << COOPERATIVE_CELL_BITS;

// A bin at places first.. of the rows of a block. The places of its rows in the result begin at place. The loops are
// rolled, since few blocks run them.
struct LargeBin : CooperativeBlock {
	static const u32 OTHERS = 0, LESS = 1, NOT_LEAST = 2, GREATEST = 3; // words
	static const u32 NONE = ~0u;                                       // no row

	u32 *words, *cells,
	    *others; // reuse the counters of bins: a few words; counters of cells; places of rows of other numbers
	u32 first, count, place;

	DEVICE LargeBin(const CooperativeSort& job, u32 first, u32 count, u32 place)
	    : CooperativeBlock(job), words(counters), cells(words + 32), others(cells + COOPERATIVE_CELLS), first(first),
	      count(count), place(place) {
		static_assert(32 + COOPERATIVE_CELLS + COOPERATIVE_THREADS <= COOPERATIVE_BINS,
		              "room where counters of bins were");
	}

	DEVICE void sort(const SmallSortResult& result) {
		if (sort_alike(result)) return;
		sort_bitonic<BlockTeam<COOPERATIVE_THREADS>>(count, [&](u32 low, u32 high) {
			low += first, high += first;
			if (!before(high, low)) return;
			u64 x = numbers[low];
			u32 t = tags[low];
			numbers[low] = numbers[high], tags[low] = tags[high];
			numbers[high] = x, tags[high] = t;
		});
		ROLLED for (u32 i = thread_index(); i < count; i += COOPERATIVE_THREADS) result.put(place + i, tags[first + i]);
	}

private:
	// Returns false if more rows have other numbers than there are threads.
	DEVICE bool sort_alike(const SmallSortResult& result) {
		const u32 t = thread_index(), *mine = tags + first;
		const u64 a = numbers[first], b = numbers[first + count / 2], c = numbers[first + count - 1],
		          value = a == c ? a : b; // the majority of three
		u32 notLeast = 0, greatest = 0;
		ROLLED for (u32 k = t; k < 32 + COOPERATIVE_CELLS; k += COOPERATIVE_THREADS) words[k] = 0;
		sync_block();
		ROLLED for (u32 i = t; i < count; i += COOPERATIVE_THREADS) {
			u64 x = numbers[first + i];
			u32 row = mine[i];
			if (x == value) {
				notLeast = ~row > notLeast ? ~row : notLeast, greatest = row > greatest ? row : greatest;
				continue;
			}
			u32 other = atomic_add(words + OTHERS, 1u);
			if (other < COOPERATIVE_THREADS) others[other] = first + i;
			if (x < value) atomic_add(words + LESS, 1u);
		}
		notLeast = warp_max(notLeast), greatest = warp_max(greatest);
		if (lane_index() == 0) atomic_max(words + NOT_LEAST, notLeast), atomic_max(words + GREATEST, greatest);
		sync_block();
		const u32 different = words[OTHERS], less = words[LESS], least = ~words[NOT_LEAST],
		          span = words[GREATEST] - least;
		if (different > COOPERATIVE_THREADS) return false;
		if (different > 0) put_others(different, value, result);
		const u32 bits = span ? 32 - count_leading_zeros(span) : 0,
		          shift = bits > COOPERATIVE_CELL_BITS ? bits - COOPERATIVE_CELL_BITS : 0;
		ROLLED for (u32 i = t; i < count; i += COOPERATIVE_THREADS) {
			if (mine[i] != NONE) atomic_add(cells + ((mine[i] - least) >> shift), 1u);
		}
		sync_block();
		sum_cells();
		u32* rows = (u32*)(numbers + first); // the numbers are not needed any more
		ROLLED for (u32 i = t; i < count; i += COOPERATIVE_THREADS) {
			if (mine[i] != NONE) rows[atomic_add(cells + ((mine[i] - least) >> shift), 1u)] = mine[i];
		}
		sync_block();
		ROLLED for (u32 i = t; i < count - different; i += COOPERATIVE_THREADS) {
			u32 row = rows[i], cell = (row - least) >> shift, from = cell ? cells[cell - 1] : 0,
			    at = from; // counters hold the ends of cells now
			for (u32 k = from; k < cells[cell]; k++) at += rows[k] < row;
			result.put(place + less + at, row);
		}
		sync_block();
		return true;
	}
	DEVICE bool before(u32 a, u32 b) const {
		return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : tags[a] < tags[b];
	}
	// Writes rows of other numbers, one per thread.
	DEVICE void put_others(u32 different, u64 value, const SmallSortResult& result) const {
		bool some = thread_index() < different;
		u32 mine = some ? others[thread_index()] : first, at = numbers[mine] > value ? count - different : 0;
		if (some) {
			for (u32 k = 0; k < different; k++) at += before(others[k], mine);
			result.put(place + at, tags[mine]);
		}
		sync_block();
		if (some) tags[mine] = NONE;
		sync_block();
	}
	DEVICE void sum_cells() const {
		const u32 each = COOPERATIVE_CELLS / COOPERATIVE_THREADS;
		u32 *mine = cells + thread_index() * each, sum = 0, total;
		UNROLL for (u32 k = 0; k < each; k++) sum += mine[k];
		sum = sum_threads(sum, &total);
		UNROLL for (u32 k = 0; k < each; k++) {
			u32 rows = mine[k];
			mine[k] = sum, sum += rows;
		}
		sync_block();
	}
};

// Not inlined, so that the code for most rows has all registers.
NOINLINE void sort_large(const CooperativeSort* job, u32 first, u32 count, u32 place) {
	LargeBin(*job, first, count, place).sort(SmallSortResult(job->small));
}
