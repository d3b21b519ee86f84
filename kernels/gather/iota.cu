#include "common/device.h"

// iota writes the row numbers of rows that are in order or reversed.
KERNEL(iota, STREAM_THREADS, 1)(u32* rows, u64 n, u64 reversed) {
	u64 step = (u64)grid_blocks() * STREAM_THREADS;
	for (u64 i = (u64)block_index() * STREAM_THREADS + thread_index(); i < n; i += step)
		rows[i] = (u32)(reversed ? n - 1 - i : i);
}
