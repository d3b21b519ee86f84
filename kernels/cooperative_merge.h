// A merge sort of the rows of a block of a cooperative launch, for ranges whose bins hold many rows. It takes as long
// for any keys: the rows of a thread are ordered in registers, then runs of adjacent threads are merged, twice as long
// in each step (merge path: Green, McColl, Bader 2012).
#pragma once
#include "cooperative_block.h"

struct CooperativeMerge : CooperativeBlock {
	static const u32 items = COOPERATIVE_CAPACITY / COOPERATIVE_THREADS;
	static_assert(items * COOPERATIVE_THREADS == COOPERATIVE_CAPACITY, "all rows in registers");
	struct Row {
		u64 number;
		u32 row;
		DEVICE bool before(const Row& other) const {
			return number != other.number ? number < other.number : row < other.row;
		}
	};
	using CooperativeBlock::CooperativeBlock;

	// Orders the first rows that are staged, and writes their row numbers from a place of the result on.
	DEVICE void sort(u32 size, const SmallSortResult& result, u32 place) const {
		const u32 first = thread_index() * items;
		Row mine[items];
		UNROLL for (u32 k = 0; k < items; k++) mine[k] = first + k < size ? at(first + k) : Row{~0ull, ~0u};
		UNROLL for (u32 round = 0; round < items; round++) { // odd-even transposition
			UNROLL for (u32 k = round % 2; k + 1 < items; k += 2) {
				if (!mine[k + 1].before(mine[k])) continue;
				const Row other = mine[k];
				mine[k] = mine[k + 1], mine[k + 1] = other;
			}
		}
		ROLLED for (u32 run = items; run < size; run *= 2) {
			store(first, mine);
			merge(first, size, run, mine);
		}
		sync_block();
		UNROLL for (u32 k = 0; k < items; k++) tags[first + k] = mine[k].row;
		sync_block();
		ROLLED for (u32 i = thread_index(); i < size; i += COOPERATIVE_THREADS) result.put(place + i, tags[i]);
		sync_block();
	}

private:
	DEVICE Row at(u32 place) const { return {numbers[place], tags[place]}; }
	DEVICE void store(u32 first, const Row* mine) const {
		sync_block(); // all threads have read their rows
		UNROLL for (u32 k = 0; k < items; k++) numbers[first + k] = mine[k].number, tags[first + k] = mine[k].row;
		sync_block();
	}
	// The rows of this thread in the merged pair of runs that its places are in: a search finds how many rows of the
	// first run sort before them, the others are of the second.
	DEVICE void merge(u32 first, u32 size, u32 run, Row* mine) const {
		const u32 left = first / (2 * run) * (2 * run), right = left + run, before = first - left;
		if (right >= size) return; // the second run is empty
		u32 least = before > run ? before - run : 0, most = before < run ? before : run;
		while (least < most) {
			const u32 middle = (least + most) / 2;
			if (at(right + before - 1 - middle).before(at(left + middle))) most = middle;
			else least = middle + 1;
		}
		u32 i = least, j = before - least;
		Row a = at(left + i), b = at(right + j); // one behind the end of a run is in memory, and not used
		UNROLL for (u32 k = 0; k < items; k++) {
			const bool second = j < run && (i >= run || b.before(a));
			mine[k] = second ? b : a;
			const Row next = at(second ? right + ++j : left + ++i);
			if (second) b = next;
			else a = next;
		}
	}
};

// Not inlined, so that the code for most rows has all registers.
NOINLINE void sort_by_merging(const CooperativeSort* job, u32 size, u32 place) {
	CooperativeMerge(*job).sort(size, SmallSortResult(job->small), place);
}
