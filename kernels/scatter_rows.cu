#include "device.h"

const int DEAL_ITEMS = DEAL_TILE / DEAL_THREADS;

// A tile of deal_rows. Whole tiles, which are nearly all, need no look at where they end.
template <bool whole> DEVICE void deal_tile(const u32* rows, u64 out, u32 shift, u32* dealt, u16* places, u32* offsets, u32* cursors) {
	u32* stage = (u32*)shared_memory();
	u32 *counters = stage + DEAL_TILE, *starts = counters + DEAL_WINDOWS + 32, *sums = starts + DEAL_WINDOWS + 32;
	u64 first = (u64)block_index() * DEAL_TILE;
	u32 count = whole ? DEAL_TILE : (u32)(out - first), me = thread_index();
	auto inside = [&](int k) { return whole || me + k * DEAL_THREADS < count; };
	for (u32 w = me; w <= DEAL_WINDOWS; w += DEAL_THREADS) counters[w] = 0; // the last for rows that are not there
	u32 row[DEAL_ITEMS], rank[DEAL_ITEMS / 2];
	UNROLL for (int k = 0; k < DEAL_ITEMS; k++) row[k] = inside(k) ? load_once(rows + first + me + k * DEAL_THREADS) : 0;
	auto window = [&](int k) { return inside(k) ? row[k] >> shift : (u32)DEAL_WINDOWS; };
	sync_block();
	UNROLL for (int k = 0; k < DEAL_ITEMS; k++) {
		u32 r = atomic_add(counters + window(k), 1u);
		rank[k / 2] = k % 2 ? rank[k / 2] | r << 16 : r;
	}
	sync_block();

	// Room in the windows is asked for before the counts are added up, which takes as long as the answer.
	u32 here = me < DEAL_WINDOWS ? counters[me] : 0, total, room = 0;
	if (here) room = (me << shift) + atomic_add(cursors + me, here);
	u32 start = warp_exclusive_sum(here, &total);
	if (lane_index() == 0) sums[warp_index()] = total;
	sync_block();
	u32 before = lane_index() < warp_index() ? sums[lane_index()] : 0;
	start += (u32)warp_sum(before);
	if (me < DEAL_WINDOWS) {
		u32* table = offsets + (u64)block_index() * 2 * DEAL_WINDOWS;
		table[me] = counters[me] = room - start;
		table[DEAL_WINDOWS + me] = starts[me] = start;
	}
	sync_block();

	UNROLL for (int k = 0; k < DEAL_ITEMS; k++) {
		if (!inside(k)) continue;
		u32 place = starts[row[k] >> shift] + (k % 2 ? rank[k / 2] >> 16 : rank[k / 2] & 0xffff);
		stage[place] = row[k];
		places[first + me + k * DEAL_THREADS] = (u16)place;
	}
	sync_block();
	const int ahead = 4; // rows on their way from the stage
	ROLLED for (u32 k = 0; k < DEAL_ITEMS; k += ahead) {
		u32 r[ahead], place = me + k * DEAL_THREADS;
		UNROLL for (int i = 0; i < ahead; i++) r[i] = whole || place + i * DEAL_THREADS < count ? stage[place + i * DEAL_THREADS] : 0;
		UNROLL for (int i = 0; i < ahead; i++) {
			if (whole || place + i * DEAL_THREADS < count) dealt[counters[r[i] >> shift] + place + i * DEAL_THREADS] = r[i];
		}
	}
}

// deal_rows is the first step of a gather in windows: the row numbers of a tile go to the windows of the column that they are in, so
// that what is read from a window is read at about the same time, and the L2 holds it. Each row number comes once, so
// a window of 2^shift rows is dealt that many.
KERNEL(deal_rows, DEAL_THREADS, 2)(const u32* rows, u64 out, u64 shift, u32* dealt, u16* places, u32* offsets, u32* cursors) {
	if ((block_index() + 1) * (u64)DEAL_TILE <= out) {
		deal_tile<true>(rows, out, (u32)shift, dealt, places, offsets, cursors);
	} else {
		deal_tile<false>(rows, out, (u32)shift, dealt, places, offsets, cursors);
	}
}
