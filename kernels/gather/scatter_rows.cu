#include "common/device.h"

const int SCATTER_ITEMS = SCATTER_TILE / SCATTER_THREADS;

// A tile of scatter_rows. Whole tiles, which nearly all are, need no checks of their end.
template <bool whole>
DEVICE void scatter_tile(const u32* rows, u64 out, u32 shift, u32* scattered, u16* places, u32* offsets, u32* cursors) {
	u32* stage = (u32*)shared_memory();
	u32 *counters = stage + SCATTER_TILE, *starts = counters + GATHER_WINDOWS + 32,
	    *sums = starts + GATHER_WINDOWS + 32;
	u64 first = (u64)block_index() * SCATTER_TILE;
	u32 count = whole ? SCATTER_TILE : (u32)(out - first), me = thread_index();
	auto inside = [&](int k) { return whole || me + k * SCATTER_THREADS < count; };
	for (u32 w = me; w <= GATHER_WINDOWS; w += SCATTER_THREADS) counters[w] = 0; // the last for items without a row
	u32 row[SCATTER_ITEMS], rank[SCATTER_ITEMS / 2];
	UNROLL for (int k = 0; k < SCATTER_ITEMS; k++)
		row[k] = inside(k) ? load_once(rows + first + me + k * SCATTER_THREADS) : 0;
	auto window = [&](int k) { return inside(k) ? row[k] >> shift : (u32)GATHER_WINDOWS; };
	sync_block();
	UNROLL for (int k = 0; k < SCATTER_ITEMS; k++) {
		u32 r = atomic_add(counters + window(k), 1u);
		rank[k / 2] = k % 2 ? rank[k / 2] | r << 16 : r;
	}
	sync_block();

	// Reserves places in the windows before the counts are summed, which hides the latency.
	u32 here = me < GATHER_WINDOWS ? counters[me] : 0, total, room = 0;
	if (here) room = (me << shift) + atomic_add(cursors + me, here);
	u32 start = warp_exclusive_sum(here, &total);
	if (lane_index() == 0) sums[warp_index()] = total;
	sync_block();
	u32 before = lane_index() < warp_index() ? sums[lane_index()] : 0;
	start += (u32)warp_sum(before);
	if (me < GATHER_WINDOWS) {
		u32* table = offsets + (u64)block_index() * 2 * GATHER_WINDOWS;
		table[me] = counters[me] = room - start;
		table[GATHER_WINDOWS + me] = starts[me] = start;
	}
	sync_block();

	UNROLL for (int k = 0; k < SCATTER_ITEMS; k++) {
		if (!inside(k)) continue;
		u32 place = starts[row[k] >> shift] + (k % 2 ? rank[k / 2] >> 16 : rank[k / 2] & 0xffff);
		stage[place] = row[k];
		places[first + me + k * SCATTER_THREADS] = (u16)place;
	}
	sync_block();
	const int ahead = 4; // rows in flight from the stage
	ROLLED for (u32 k = 0; k < SCATTER_ITEMS; k += ahead) {
		u32 r[ahead], place = me + k * SCATTER_THREADS;
		UNROLL for (int i = 0; i < ahead; i++)
			r[i] = whole || place + i * SCATTER_THREADS < count ? stage[place + i * SCATTER_THREADS] : 0;
		UNROLL for (int i = 0; i < ahead; i++) {
			if (whole || place + i * SCATTER_THREADS < count)
				scattered[counters[r[i] >> shift] + place + i * SCATTER_THREADS] = r[i];
		}
	}
}

// scatter_rows is the first step of a gather in windows: the row numbers of a tile are scattered to the windows of the
// column, so that values of a window are read at about the same time, while the L2 cache holds it. Row numbers are a
// permutation, so a window of 2^shift rows receives 2^shift row numbers.
KERNEL(scatter_rows, SCATTER_THREADS, 2)(const u32* rows, u64 out, u64 shift, u32* scattered, u16* places, u32* offsets,
                                         u32* cursors) {
	if ((block_index() + 1) * (u64)SCATTER_TILE <= out) {
		scatter_tile<true>(rows, out, (u32)shift, scattered, places, offsets, cursors);
	} else {
		scatter_tile<false>(rows, out, (u32)shift, scattered, places, offsets, cursors);
	}
}
