// Large bins of a grid's block: most of their rows have the same number, and then their order is that of the rows. It is found as that of numbers is:
// by cells, and by comparing the rows of a cell.
#pragma once
#include "bins.h"
#include "grid_block.h"

const int GRID_ROUNDS = GRID_ROOM / GRID_THREADS;

// A bin at places first.. of a block's rows; its rows' places in the result begin at place.
struct LargeBin : GridBlock {
	// Words of control.
	static const u32 OTHERS = 0, LESS = 1, NOT_LEAST = 2, GREATEST = 3;

	u32 first, count, place;

	DEVICE LargeBin(const Many& many, u32 first, u32 count, u32 place) : GridBlock(many), first(first), count(count), place(place) {}

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
		for (u32 i = thread_index(); i < count; i += GRID_THREADS) result.put(place + i, tags[first + i]);
	}

private:
	// False if more rows are not of the same number than there is room for.
	DEVICE bool sort_alike(const FewResult& result) {
		const u32 t = thread_index();
		const u64 a = numbers[first], b = numbers[first + count / 2], c = numbers[first + count - 1], value = a == c ? a : b; // that of two, if there is one
		u32 tag[GRID_ROUNDS], slot[GRID_ROUNDS], notLeast = 0, greatest = 0;
		if (t < 4) large[t] = 0;
		for (u32 k = t; k < GRID_CELLS; k += GRID_THREADS) cells[k] = 0;
		sync_block();
		UNROLL for (int k = 0; k < GRID_ROUNDS; k++) {
			u32 at = first + k * GRID_THREADS + t;
			if (at >= first + count) break;
			u64 x = numbers[at];
			tag[k] = tags[at], slot[k] = x == value ? 0 : ~0u;
			if (x == value) {
				notLeast = ~tag[k] > notLeast ? ~tag[k] : notLeast, greatest = tag[k] > greatest ? tag[k] : greatest;
				continue;
			}
			u32 other = atomic_add(large + OTHERS, 1u);
			if (other < GRID_THREADS) others[other] = at;
			if (x < value) atomic_add(large + LESS, 1u);
		}
		notLeast = warp_max(notLeast), greatest = warp_max(greatest);
		if (lane_index() == 0) atomic_max(large + NOT_LEAST, notLeast), atomic_max(large + GREATEST, greatest);
		sync_block();
		const u32 different = large[OTHERS], less = large[LESS], least = ~large[NOT_LEAST], span = large[GREATEST] - least;
		if (different > GRID_THREADS) return false;
		put_others(different, value, result);
		const u32 bits = span ? 32 - count_leading_zeros(span) : 0, shift = bits > GRID_CELL_BITS ? bits - GRID_CELL_BITS : 0;
		UNROLL for (int k = 0; k < GRID_ROUNDS; k++) {
			if (k * GRID_THREADS + t >= count) break;
			if (slot[k] == ~0u) continue;
			u32 cell = (tag[k] - least) >> shift;
			slot[k] = cell | atomic_add(cells + cell, 1u) << 16;
		}
		sync_block();
		sum_cells();
		UNROLL for (int k = 0; k < GRID_ROUNDS; k++) {
			if (k * GRID_THREADS + t >= count) break;
			if (slot[k] != ~0u) tags[first + cells[slot[k] & 0xffff] + (slot[k] >> 16)] = tag[k];
		}
		sync_block();
		UNROLL for (int k = 0; k < GRID_ROUNDS; k++) {
			if (k * GRID_THREADS + t >= count) break;
			if (slot[k] == ~0u) continue;
			u32 cell = slot[k] & 0xffff, from = cells[cell], to = cell + 1 < GRID_CELLS ? cells[cell + 1] : count - different, at = from;
			for (u32 k2 = from; k2 < to; k2++) at += tags[first + k2] < tag[k];
			result.put(place + less + at, tag[k]);
		}
		sync_block();
		return true;
	}
	DEVICE bool before(u32 a, u32 b) const { return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : tags[a] < tags[b]; }
	// Rows of other numbers: a thread for each.
	DEVICE void put_others(u32 different, u64 value, const FewResult& result) const {
		if (different == 0) return;
		if (thread_index() < different) {
			u32 mine = others[thread_index()], at = numbers[mine] > value ? count - different : 0;
			for (u32 k = 0; k < different; k++) at += before(others[k], mine);
			result.put(place + at, tags[mine]);
		}
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
