// The tiles of the second pass of the partition: those of each bin of the first one.
#pragma once
#include "sample/buckets.h"

const int SECOND_ITEMS = PARTITION_SECOND_TILE / PARTITION_SECOND_THREADS;

// The end of the records in the pages of a bin, 0 if the sort is declined.
DEVICE u32 paged_end(const Buckets& b, u32 bin, u32 high) {
	if (load_relaxed(&((const Decision*)b.decision)->reason)) return 0; // declined
	const u32 end = load((const u32*)b.firstCursors + bin);
	return end < high ? end : high;
}

// The tile of a block. The tiles of bin d begin at number starts[d] / tile + d, which is enough for every bin and
// leaves at most one tile of each empty. Tiles begin at multiples of vector records, which are read at once: the first
// tile of a bin may begin before it. Of the pages of a bin, those after its last record leave their tiles empty.
template <u32 vector> struct SecondTile {
	u32 bin, begin, first, end; // begin: a multiple of vector; the bin's records are first..end-1

	// The thread of the tile's bin sends it to the others.
	DEVICE SecondTile(const Buckets& b, u32* shared) {
		const u32* starts = (const u32*)b.firstStarts;
		u32 bins = 1u << b.firstBits, t = block_index(), d = thread_index();
		if (d < bins) {
			u32 low = load(starts + d), high = load(starts + d + 1);
			bool last = d == bins - 1 || t < high / PARTITION_SECOND_TILE + d + 1;
			if (low / PARTITION_SECOND_TILE + d <= t && last) {
				if (b.page) high = paged_end(b, d, high);
				shared[0] = d, shared[1] = low, shared[2] = high;
			}
		}
		sync_block();
		u32 low = shared[1], high = shared[2];
		bin = shared[0];
		begin = low - low % vector + (t - (low / PARTITION_SECOND_TILE + bin)) * PARTITION_SECOND_TILE;
		first = begin < low ? low : begin;
		end = begin >= high ? first : high - begin < PARTITION_SECOND_TILE ? high : begin + PARTITION_SECOND_TILE;
	}
};
