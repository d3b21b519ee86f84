// One pass of the partition: rows are dealt to bins in any order. A row's rank is what the atomic addition to its bin's counter
// returns, and a bin's room in the output is one addition to its cursor: no ballots and no look-back, since no order is kept.
#pragma once
#include "buckets.h"

template <int threads, int items, int bins> struct Dealer {
	static const int tile = threads * items, perThread = bins / threads > 0 ? bins / threads : 1;
	static const int bytes = tile * 8 + (bins + 4) * 8 + 32 * 4;
	static const int outside = bins; // the bin of rows that are not there

	u64* stage;
	u32 *counters, *starts, *sums; // starts: in the stage, later what to add to a place there for the place in the output
	volatile u32* shift; // of the bin in a prefix: read again for each phase, as in DigitPlace
	u32 ranks[(items + 1) / 2];

	DEVICE explicit Dealer(u8* memory)
	    : stage((u64*)memory), counters((u32*)(memory + tile * 8)), starts(counters + bins + 4), sums(starts + bins + 4), shift(sums + 31) {}

	DEVICE void clear(u32 binShift) {
		if (thread_index() == 0) *shift = binShift;
		for (u32 i = thread_index(); i <= bins; i += threads) counters[i] = 0; // the last for rows outside the tile
	}
	DEVICE void count(int i, u32 bin) {
		u32 rank = atomic_add(counters + bin, 1u);
		ranks[i / 2] = i % 2 ? ranks[i / 2] | rank << 16 : rank;
	}
	// Asks for room in the output, then adds the counts up while the answers come in. rows: of the tile.
	DEVICE void place(u32* cursors, u32 rows) {
		u32 room[perThread], counts[perThread], all = 0, total;
		UNROLL for (int k = 0; k < perThread; k++) {
			u32 bin = thread_index() * perThread + k;
			counts[k] = bin < bins ? counters[bin] : 0;
			room[k] = counts[k] ? atomic_add(cursors + bin, counts[k]) : 0;
			all += counts[k];
		}
		u32 start = warp_exclusive_sum(all, &total);
		if (lane_index() == 0) sums[warp_index()] = total;
		sync_block();
		u32 before = lane_index() < warp_index() ? sums[lane_index()] : 0;
		start += (u32)warp_sum(before);
		UNROLL for (int k = 0; k < perThread; k++) {
			u32 bin = thread_index() * perThread + k;
			if (bin >= bins) continue;
			starts[bin] = start;
			counters[bin] = room[k] - start; // what to add to a place in the stage
			start += counts[k];
		}
		if (thread_index() == 0) starts[bins] = rows;
		sync_block();
	}
	DEVICE void put(int i, u32 bin, u64 record) {
		u32 at = starts[bin] + (i % 2 ? ranks[i / 2] >> 16 : ranks[i / 2] & 0xffff);
		stage[at] = record;
	}
	// Rolled, and the next record is read before this one is stored.
	DEVICE void write(u64* out, u32 rows, u32 mask) {
		u32 binShift = *shift;
		u64* to = in_register(out);
		u32 at = thread_index();
		if (at >= rows) return;
		u64 next = stage[at];
		ROLLED for (; at < rows; at += threads) {
			u64 record = next;
			if (at + threads < rows) next = stage[at + threads];
			to[counters[(u32)(record >> 32) >> binShift & mask] + at] = record;
		}
	}
};
