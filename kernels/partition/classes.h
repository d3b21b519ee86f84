// Rows of classes (null, NaN, heavy values) have no records: they are written to their places in the output directly,
// in row order. A tile lists them in bitmaps, one bit per row.
#pragma once
#include "common/numbers.h"
#include "sample/buckets.h"

// The place in the output of the record at a compact place.
DEVICE u32 output_place(const Buckets& b, u32 place) {
	if (((const Decision*)b.decision)->records == b.n) return place;
	const Map* map = (const Map*)b.numberMap;
	u32 to = place;
	ROLLED for (u32 k = 0; k < CLASSES; k++) {
		if (map->heavy[k].before <= place) to += map->heavy[k].rows;
	}
	return to;
}

// Keys only: writes the values of all rows of classes, zeros for nulls. By all blocks.
template <class Word> DEVICE void write_classes(const Buckets& b) {
	const Map* map = (const Map*)b.numberMap;
	const Word flip = Numbers<Word>(&b.field).flip;
	const u32 first = block_index() * block_threads() + thread_index(), step = grid_blocks() * block_threads();
	ROLLED for (u32 k = 0; k < CLASSES; k++) {
		const Heavy& h = map->heavy[k];
		const Word value = k < HEAVY_VALUES ? (Word)h.number ^ flip : 0;
		Word* out = (Word*)b.rows + h.first;
		for (u32 i = first; i < h.rows; i += step) out[i] = value;
	}
}

// The rows of the classes in a tile of the first pass. Shared memory is used for them only until they are written. Only
// classes that have rows anywhere have a bitmap.
template <int threads, int tile> struct TileClasses {
	static const int words = tile / 32; // of a bitmap
	static const int bytes = CLASSES * words * 6 + tile * 4 + CLASSES * 12;
	static_assert(threads / 32 * 32 == threads && words % 32 == 0, "whole warps");

	u32 present; // a bit for each class that has rows
	u32* list;  // rows, class by class
	u32* bits;  // the bitmaps
	u32 *firsts, *places,
	    *ends; // of each class: its first row in the list, what to add to a place there for the place in the output
	u16* before; // rows of the class in the words before

	DEVICE TileClasses(u8* memory, u32 present)
	    : present(present), list((u32*)memory), bits(list + tile), firsts(bits + CLASSES * words),
	      places(firsts + CLASSES), ends(places + CLASSES), before((u16*)(ends + CLASSES)) {}

	// The index of a class among those that are present.
	DEVICE u32 slot(u32 cls) const { return count_ones(present & ((1u << cls) - 1)); }
	DEVICE u32 slots() const { return count_ones(present); }
	DEVICE bool has(u32 cls) const { return present >> cls & 1; }

	// A barrier must follow.
	DEVICE void clear() const {
		for (u32 i = thread_index(); i < slots() * words; i += threads) bits[i] = 0;
	}
	// Adds adjacent rows from one on to a class, by its slot: a bit of mask for each row, all in one word.
	DEVICE void add(u32 slot, u32 row, u32 mask) const {
		if (mask) atomic_or(bits + slot * words + row / 32, mask << row % 32);
	}

	// Writes the rows to the places that the plan has computed for the tile, and zeroes its counts for the next sort. A
	// barrier must precede.
	DEVICE void write(const Buckets& b, u32 tileFirst) const {
		for (u32 cls = warp_index(); cls < CLASSES; cls += threads / 32) {
			if (has(cls)) count(b, cls);
		}
		sync_block();
		if (thread_index() < slots()) {
			u32 first = 0;
			for (u32 k = 0; k < thread_index(); k++) first += ends[k];
			firsts[thread_index()] = first;
		}
		sync_block();
		for (u32 i = thread_index(); i < slots() * words; i += threads) {
			u32 mask = bits[i];
			for (u32 at = firsts[i / words] + before[i]; mask; mask &= mask - 1)
				list[at++] = tileFirst + i % words * 32 + lowest_bit(mask);
		}
		sync_block();
		for (u32 k = 0; k < slots(); k++) {
			u32 *out = (u32*)b.rows + places[k], first = firsts[k];
			for (u32 i = thread_index(); i < ends[k]; i += threads) out[i] = list[first + i];
		}
		sync_block();
	}

private:
	// By one warp: ends becomes the rows of the class. Sums of several words are in flight at a time.
	DEVICE void count(const Buckets& b, u32 cls) const {
		const u32 k = slot(cls);
		const int inFlight = 4;
		static_assert(words % (32 * inFlight) == 0, "whole turns");
		u32 rows = 0, *counted = (u32*)b.classCounts + cls * grid_blocks() + block_index();
		u32 place = lane_index() == 0 ? ((const Map*)b.numberMap)->heavy[cls].first + *counted : 0;
		ROLLED for (int w = lane_index(); w < words; w += 32 * inFlight) {
			u32 prior[inFlight], ofWords[inFlight];
			UNROLL for (int c = 0; c < inFlight; c++)
				prior[c] = warp_exclusive_sum(count_ones(bits[k * words + w + 32 * c]), &ofWords[c]);
			UNROLL for (int c = 0; c < inFlight; c++) {
				before[k * words + w + 32 * c] = (u16)(rows + prior[c]);
				rows += ofWords[c];
			}
		}
		if (lane_index() == 0) ends[k] = rows, places[k] = place, *counted = 0;
	}
};
