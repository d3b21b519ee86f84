// Rows of classes (nulls, NaN, values that are in many rows) make no records: they go straight to their places in the output, in the
// order of the input. So a tile notes them in bitmaps, a bit for each row.
#pragma once
#include "buckets.h"

// The place in the output of a record whose place among the sorted records is known.
DEVICE u32 output_place(const Buckets& b, u32 place) {
	if (((const Verdict*)b.verdict)->records == b.n) return place;
	const Map* map = (const Map*)b.numberMap;
	u32 to = place;
	ROLLED for (u32 k = 0; k < CLASSES; k++) {
		if (map->heavy[k].before <= place) to += map->heavy[k].rows;
	}
	return to;
}

// The rows of the classes in a tile of the first pass. Shared memory that is used for this only until the rows are written.
template <int threads, int tile> struct TileClasses {
	static const int words = tile / 32; // of a bitmap
	static const int bytes = CLASSES * words * 6 + tile * 4 + CLASSES * 12;
	static_assert(threads / 32 * 32 == threads && words % 32 == 0, "whole warps");

	u32* list;  // rows, class by class
	u32* bits;  // the bitmaps
	u32 *firsts, *places, *ends; // of each class: its first row in the list, what to add to a place there for the place in the output
	u16* before; // rows of the class in the words before

	DEVICE explicit TileClasses(u8* memory)
	    : list((u32*)memory), bits(list + tile), firsts(bits + CLASSES * words), places(firsts + CLASSES), ends(places + CLASSES), before((u16*)(ends + CLASSES)) {}

	// It needs a barrier behind.
	DEVICE void clear() const {
		for (u32 i = thread_index(); i < CLASSES * words; i += threads) bits[i] = 0;
	}
	// Neighbour rows from one on are of a class: a bit for each, all in one word.
	DEVICE void add(u32 cls, u32 row, u32 mask) const {
		if (mask) atomic_or(bits + cls * words + row / 32, mask << row % 32);
	}

	// Writes the rows; takes what the plan has said of the tile, and clears it for the next sort. It needs a barrier before.
	DEVICE void write(const Buckets& b, u32 tileFirst) const {
		for (u32 cls = warp_index(); cls < CLASSES; cls += threads / 32) count(b, cls);
		sync_block();
		if (thread_index() < CLASSES) {
			u32 first = 0;
			for (u32 k = 0; k < thread_index(); k++) first += ends[k];
			firsts[thread_index()] = first;
		}
		sync_block();
		for (u32 i = thread_index(); i < CLASSES * words; i += threads) {
			u32 mask = bits[i];
			for (u32 at = firsts[i / words] + before[i]; mask; mask &= mask - 1) list[at++] = tileFirst + i % words * 32 + lowest_bit(mask);
		}
		sync_block();
		for (u32 k = 0; k < CLASSES; k++) {
			u32 *out = (u32*)b.rows + places[k], first = firsts[k];
			for (u32 i = thread_index(); i < ends[k]; i += threads) out[i] = list[first + i];
		}
		sync_block();
	}

private:
	// By one warp: ends becomes the rows of the class.
	DEVICE void count(const Buckets& b, u32 cls) const {
		u32 rows = 0, *counted = (u32*)b.classCounts + cls * grid_blocks() + block_index();
		u32 place = lane_index() == 0 ? ((const Map*)b.numberMap)->heavy[cls].first + *counted : 0;
		ROLLED for (u32 w = lane_index(); w < words; w += 32) {
			u32 ofWords, prior = warp_exclusive_sum(count_ones(bits[cls * words + w]), &ofWords);
			before[cls * words + w] = (u16)(rows + prior);
			rows += ofWords;
		}
		if (lane_index() == 0) ends[cls] = rows, places[cls] = place, *counted = 0;
	}
};
