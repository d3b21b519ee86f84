// What the blocks of a grid know of all rows from a sample. All of them take the same one, a row for each thread, and come to the same
// conclusions, so that none has to wait for others.
#pragma once
#include "grid_block.h"
#include "spread.h"

const float GRID_SUSPECT = 1.5f; // times the room is too much in a sample
const u32 GRID_MARGIN = 7; // the range of the sample is widened by a part in 2^7 at either end

struct GridSample {
	FewRows<1> row;

	// A row's numbers are on their way.
	DEVICE explicit GridSample(const GridBlock& b) : row(b.many.few, row_of(b.n, thread_index()), 0) { row.load(1); }
	// Ascending, but not evenly spaced, as the rows of one kind may be.
	DEVICE static u32 row_of(u32 n, u32 t) { return t * n / GRID_THREADS + multiply_high(t * 2654435769u, n / GRID_THREADS); }
	static_assert((u64)GRID_ROWS * GRID_THREADS <= 1ull << 32, "such products are words");

	// The first warp makes the map, of what all have seen; it is there behind a barrier.
	DEVICE void measure(const GridBlock& b) {
		Extent64 mine = row.settle(1);
		const u64 number = row.number[0], before = shuffle_up(number, 1);
		const u32 place = row.place(0), placeBefore = shuffle_up(place, 1);
		if (Spread::whole_floats(b.many.few) && !Spread::is_finite(b.many.few, number)) mine = Extent64(); // the range is that of finite floats
		Steps watched;
		if (lane_index() > 0) watched.add(place != placeBefore ? (place > placeBefore ? 1 : -1) : number == before ? 0 : number > before ? 1 : -1);
		u64* warps = b.numbers;
		mine.notLeast = warp_max(mine.notLeast), mine.greatest = warp_max(mine.greatest);
		u32 seen = warp_or((watched.rises ? STEP_RISES : 0) | (watched.ties ? STEP_TIES : 0) | (watched.falls ? STEP_FALLS : 0));
		if (lane_index() == 0) warps[warp_index()] = mine.notLeast, warps[32 + warp_index()] = mine.greatest, b.sums[warp_index()] = seen;
		sync_block();
		if (warp_index() != 0) return;
		mine.notLeast = warp_max(warps[lane_index()]), mine.greatest = warp_max(warps[32 + lane_index()]);
		seen = warp_or(b.sums[lane_index()]);
		Spread spread(b.many.few, mine, GRID_BUCKETS * GRID_BINS, GRID_MARGIN);
		if (lane_index() == 0) *map(b) = spread, *b.control = seen;
	}
	DEVICE static Spread* map(const GridBlock& b) { return (Spread*)(b.numbers + 64); }

	// Whether the rows may be in order, or reversed.
	DEVICE static bool ordered(const GridBlock& b) {
		u32 steps = *b.control;
		return !(steps & STEP_FALLS) || !(steps & (STEP_RISES | STEP_TIES));
	}
	// Whether some bucket has many more rows than there is room for. Floats that are not spread well by their values are spread by their
	// bits. The counters behind those of buckets are zero.
	DEVICE bool crowded(const GridBlock& b, Spread& spread) const {
		const u32 most = (u32)(GRID_SUSPECT * (float)b.room() * GRID_THREADS / b.n) + 1; // rows of the sample
		bool counts = row.place(0) == row.value_place();
		auto crowds = [&](u32* hits) {
			u32* bucket = hits + (spread.bin(row.number[0]) >> GRID_BIN_BITS);
			return sync_block_or(counts && atomic_add(bucket, 1u) > most);
		};
		if (spread.floating) spread.floating = !crowds(b.counters + 2 * GRID_BUCKETS);
		return !spread.floating && crowds(b.counters + GRID_BUCKETS);
	}
};
