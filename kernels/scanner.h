// The scanner: one block computes the prefix sums of the counts of all tiles while the others bin. With one block per
// multiprocessor and large tiles this is faster than look-back by every block: each status word is read twice, not many
// times.
#pragma once
#include "look_back.h"
#include "tile.h"

const u32 SCAN_ROWS = 4; // tiles of a group of threads in one turn
const u32 SCAN_GROUP = RADIX_BINS / 4; // threads, of four bins each

// The tiles from the first of the scanner's turn on that are ready, and those of them of this group.
struct Ready {
	u32 mine, all;

	template <int groups> DEVICE static Ready of(const volatile u32* ofWarps, u32 group) {
		Ready r = {0, 0};
		bool open = true; // all preceding groups are complete
		UNROLL for (u32 g = 0; g < groups; g++) {
			u32 low = ofWarps[2 * g], high = ofWarps[2 * g + 1], count = low < high ? low : high;
			if (!open) count = 0;
			if (g == group) r.mine = count;
			r.all += count;
			open = open && count == SCAN_ROWS;
		}
		return r;
	}
};

template <class S> DEVICE void scan(const Pass& p, u32 tiles) {
	const u32 groups = S::threads / SCAN_GROUP;
	static_assert(S::threads % SCAN_GROUP == 0 && SCAN_GROUP == 64, "whole groups of two warps");
	StatusCodes codes((u32)p.phase);
	Words4* sums = (Words4*)shared_memory(); // of the groups
	volatile u32* ready = (u32*)(sums + S::threads);
	u32 group = thread_index() / SCAN_GROUP, bins = thread_index() % SCAN_GROUP * 4;
	Words4 before = {0, 0, 0, 0};
	for (u32 tile = 0; tile < tiles;) {
		u32* status = p.status + (u64)(tile + group * SCAN_ROWS) * RADIX_BINS + bins;
		Words4 word[SCAN_ROWS];
		u32 here = 0;
		bool go = true;
		UNROLL for (u32 k = 0; k < SCAN_ROWS; k++) {
			bool inside = tile + group * SCAN_ROWS + k < tiles;
			word[k] = load_relaxed4(inside ? status + k * RADIX_BINS : p.status);
			go = go && vote(inside && all_have(word[k], codes.partial)) == ALL_LANES;
			here += go;
		}
		if (lane_index() == 0) ready[warp_index()] = here;
		sync_block();
		Ready r = Ready::template of<groups>(ready, group);
		Words4 sum = {0, 0, 0, 0};
		UNROLL for (u32 k = 0; k < SCAN_ROWS; k++) {
			if (k < r.mine) sum = plus(sum, counts_of(word[k]));
		}
		sums[thread_index()] = sum;
		sync_block();
		Words4 at = before;
		UNROLL for (u32 g = 0; g < groups; g++) {
			Words4 of = sums[g * SCAN_GROUP + thread_index() % SCAN_GROUP];
			if (g < group) at = plus(at, of);
			before = plus(before, of);
		}
		UNROLL for (u32 k = 0; k < SCAN_ROWS; k++) {
			if (k >= r.mine) break;
			store_relaxed4(status + k * RADIX_BINS, with_code(at, codes.inclusive));
			at = plus(at, counts_of(word[k]));
		}
		tile += r.all;
	}
	if (p.next && group == 0) {
		UNROLL for (u32 k = 0; k < 4; k++) p.next[bins + k] = p.base[bins + k] + before.word[k];
	}
}
