#include "common/device.h"

const int COLLECT_ITEMS = SCATTER_TILE / COLLECT_THREADS;
const int COLLECT_PAIRS = COLLECT_ITEMS / 2; // of neighbour rows

// The last step of a gather in windows: the values of a tile are copied from the windows that its row numbers were
// scattered to into shared memory, and written in the order of the row numbers.
template <class Value>
DEVICE void collect(const Value* gathered, u64 out, const u16* places, const u32* offsets, Value* dst) {
	Value* stage = (Value*)shared_memory();
	u32 *starts = (u32*)(stage + SCATTER_TILE), *shifts = starts + GATHER_WINDOWS + 32;
	u64 first = (u64)block_index() * SCATTER_TILE;
	u32 count = out - first < SCATTER_TILE ? (u32)(out - first) : SCATTER_TILE, me = thread_index();
	const u32* table = offsets + (u64)block_index() * 2 * GATHER_WINDOWS;
	if (me < GATHER_WINDOWS) shifts[me] = load(table + me), starts[me] = load(table + GATHER_WINDOWS + me);
	if (me == 0) starts[GATHER_WINDOWS] = count;
	u32 pair[COLLECT_PAIRS];
	UNROLL for (int k = 0; k < COLLECT_PAIRS; k++) {
		u32 i = 2 * (me + k * COLLECT_THREADS);
		pair[k] = i + 1 < count ? load_once((const u32*)(places + first + i))
		          : i < count   ? load_once(places + first + i) : 0;
	}
	sync_block();

	// A warp has adjacent places. The window of the first is searched; from there it advances with the places.
	u32 at = warp_index() * 32 * COLLECT_ITEMS + lane_index(), window = 0;
	UNROLL for (u32 step = GATHER_WINDOWS / 2; step > 0; step /= 2) window += starts[window + step] <= at ? step : 0;
	UNROLL for (int k = 0; k < COLLECT_ITEMS; k++, at += 32) {
		if (at >= count) continue;
		while (starts[window + 1] <= at) window++;
		copy_async(stage + at, gathered + (u32)(shifts[window] + at));
	}
	wait_for_copies();
	sync_block();
	UNROLL for (int k = 0; k < COLLECT_PAIRS; k++) {
		u32 i = 2 * (me + k * COLLECT_THREADS);
		Value* to = dst + first + i;
		if (i + 1 < count) store_once(to, stage[pair[k] & 0xffff], stage[pair[k] >> 16]);
		else if (i < count) store_once(to, stage[pair[k]]);
	}
}

KERNEL(collect_4, COLLECT_THREADS, 2)(const u32* gathered, u64 out, const u16* places, const u32* offsets, u32* dst) {
	collect(gathered, out, places, offsets, dst);
}
KERNEL(collect_8, COLLECT_THREADS, 2)(const u64* gathered, u64 out, const u16* places, const u32* offsets, u64* dst) {
	collect(gathered, out, places, offsets, dst);
}
