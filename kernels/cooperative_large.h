// Large bins of a grid's block: most of their rows have the same number, and then their order is that of the rows. It is found as that of numbers is:
// by cells, and by comparing the rows of a cell.
#pragma once
#include "bins.h"
#include "grid_block.h"

const u32 GRID_CELLS = 1 << GRID_CELL_BITS;

// A bin at places first.. of a block's rows; its rows' places in the result begin at place. The loops are short, since few blocks run them.
struct LargeBin : GridBlock {
	static const u32 OTHERS = 0, LESS = 1, NOT_LEAST = 2, GREATEST = 3; // words
	static const u32 NONE = ~0u;                                       // no row

	u32 *words, *cells, *others; // where counters of bins were: a few words; counters of cells; where rows of other numbers are
	u32 first, count, place;

	DEVICE LargeBin(const Many& many, u32 first, u32 count, u32 place)
	    : GridBlock(many), words(counters), cells(words + 32), others(cells + GRID_CELLS), first(first), count(count), place(place) {
		static_assert(32 + GRID_CELLS + GRID_THREADS <= GRID_BINS, "room where counters of bins were");
	}

	DEVICE void sort(const FewResult& result) {
		if (sort_alike(result)) return;
		sort_bitonic<BlockTeam<GRID_THREADS>>(count, [&](u32 low, u32 high) {
			low += first, high += first;
			if (!before(high, low)) return;
			u64 x = numbers[low];
			u32 t = tags[low];
			numbers[low] = numbers[high], tags[low] = tags[high];
			numbers[high] = x, tags[high] = t;
		});
		ROLLED for (u32 i = thread_index(); i < count; i += GRID_THREADS) result.put(place + i, tags[first + i]);
	}

private:
	// False if more rows are of other numbers than there are threads.
	DEVICE bool sort_alike(const FewResult& result) {
		const u32 t = thread_index(), *mine = tags + first;
		const u64 a = numbers[first], b = numbers[first + count / 2], c = numbers[first + count - 1], value = a == c ? a : b; // that of two, if there is one
		u32 notLeast = 0, greatest = 0;
		ROLLED for (u32 k = t; k < 32 + GRID_CELLS; k += GRID_THREADS) words[k] = 0;
		sync_block();
		ROLLED for (u32 i = t; i < count; i += GRID_THREADS) {
			u64 x = numbers[first + i];
			u32 row = mine[i];
			if (x == value) {
				notLeast = ~row > notLeast ? ~row : notLeast, greatest = row > greatest ? row : greatest;
				continue;
			}
			u32 other = atomic_add(words + OTHERS, 1u);
			if (other < GRID_THREADS) others[other] = first + i;
			if (x < value) atomic_add(words + LESS, 1u);
		}
		notLeast = warp_max(notLeast), greatest = warp_max(greatest);
		if (lane_index() == 0) atomic_max(words + NOT_LEAST, notLeast), atomic_max(words + GREATEST, greatest);
		sync_block();
		const u32 different = words[OTHERS], less = words[LESS], least = ~words[NOT_LEAST], span = words[GREATEST] - least;
		if (different > GRID_THREADS) return false;
		if (different > 0) put_others(different, value, result);
		const u32 bits = span ? 32 - count_leading_zeros(span) : 0, shift = bits > GRID_CELL_BITS ? bits - GRID_CELL_BITS : 0;
		ROLLED for (u32 i = t; i < count; i += GRID_THREADS) {
			if (mine[i] != NONE) atomic_add(cells + ((mine[i] - least) >> shift), 1u);
		}
		sync_block();
		sum_cells();
		u32* rows = (u32*)(numbers + first); // the numbers are known
		ROLLED for (u32 i = t; i < count; i += GRID_THREADS) {
			if (mine[i] != NONE) rows[atomic_add(cells + ((mine[i] - least) >> shift), 1u)] = mine[i];
		}
		sync_block();
		ROLLED for (u32 i = t; i < count - different; i += GRID_THREADS) {
			u32 row = rows[i], cell = (row - least) >> shift, from = cell ? cells[cell - 1] : 0, at = from; // where cells ended
			for (u32 k = from; k < cells[cell]; k++) at += rows[k] < row;
			result.put(place + less + at, row);
		}
		sync_block();
		return true;
	}
	DEVICE bool before(u32 a, u32 b) const { return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : tags[a] < tags[b]; }
	// Rows of other numbers: a thread for each.
	DEVICE void put_others(u32 different, u64 value, const FewResult& result) const {
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
		const u32 each = GRID_CELLS / GRID_THREADS;
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

// Apart, so that the code that most rows need has all registers.
APART void sort_large(const Many* many, u32 first, u32 count, u32 place) { LargeBin(*many, first, count, place).sort(FewResult(many->few)); }
