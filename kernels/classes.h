// Rows of classes (nulls, NaN, values that are in many rows) make no records: they go straight to their places in the output, in the
// order of the input. So they are ranked by ballots.
#pragma once
#include "buckets.h"

// The place in the output of a record whose place among the sorted records is known.
DEVICE u32 output_place(const Buckets* b, u32 place) {
	if (((const Verdict*)b->verdict)->records == b->n) return place;
	const Map* map = (const Map*)b->numberMap;
	u32 to = place;
	ROLLED for (u32 k = 0; k < CLASSES; k++) {
		if (map->heavy[k].before <= place) to += map->heavy[k].rows;
	}
	return to;
}

// The rows of the classes in a tile of the first pass; an item is ranked when all items before it in the warp have been.
template <int threads> struct TileClasses {
	static const int warps = threads / 32;
	static const int bytes = (CLASSES * (warps + 2) + 1) * 4;

	u32* counts; // warps words of each class: rows of the warp so far, later the place in the stage of its first row
	u32 *places, *ends; // what to add to a place in the stage for the place in the output; where the class ends in the stage

	DEVICE explicit TileClasses(u8* memory) : counts((u32*)memory), places(counts + CLASSES * warps), ends(places + CLASSES) {}

	DEVICE void clear() {
		for (u32 i = thread_index(); i < CLASSES * warps; i += threads) counts[i] = 0;
	}

	// Ranks the items of a chunk that are of a class, and notes class and rank in their keys.
	template <int vector, int items> DEVICE void rank(u32 cls, u32 mask, u32* key) {
		if (vote(mask != 0) == 0) return;
		volatile u32* count = counts + cls * warps + warp_index();
		u32 rows = *count, below = (1u << lane_index()) - 1;
		sync_warp(); // all lanes have read
		UNROLL for (int g = 0; g < items; g += vector) {
			u32 place = rows;
			UNROLL for (int i = g; i < g + vector; i++) {
				u32 lanes = vote(mask >> i & 1);
				place += count_ones(lanes & below);
				rows += count_ones(lanes);
			}
			UNROLL for (int i = g; i < g + vector; i++) {
				if (mask >> i & 1) key[i] = cls << 16 | place++;
			}
		}
		if (lane_index() == 0) *count = rows;
		sync_warp();
	}

	// Lays the classes out in the stage behind the records, and finds their places. Takes what the plan has said of the tile, and clears
	// it for the next sort. It needs barriers before and behind.
	DEVICE void place(const Buckets* b, u32 records, u32 tiles) {
		if (warp_index() != 0) return;
		u32 cls = lane_index(), rows = 0, total;
		if (cls < CLASSES) {
			for (int w = 0; w < warps; w++) rows += counts[cls * warps + w];
		}
		u32 start = records + warp_exclusive_sum(rows, &total);
		if (cls >= CLASSES) return;
		u32* before = (u32*)b->classCounts + cls * tiles + block_index();
		places[cls] = ((const Map*)b->numberMap)->heavy[cls].first + *before - start;
		ends[cls] = start + rows;
		*before = 0;
		for (int w = 0; w < warps; w++) {
			u32 ofWarp = counts[cls * warps + w];
			counts[cls * warps + w] = start;
			start += ofWarp;
		}
	}
	DEVICE u32 in_stage(u32 key) const { return counts[(key >> 16) * warps + warp_index()] + (key & 0xffff); }

	template <class Record> DEVICE void write(u32* rows, const Record* stage, u32 records) const {
		u32 end = ends[CLASSES - 1];
		for (u32 at = records + thread_index(); at < end; at += threads) rows[places[stage[at].key >> 16] + at] = stage[at].low;
	}
};
