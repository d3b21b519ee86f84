#include "common/device.h"

// iota writes the row numbers of rows that are in order or reversed.
KERNEL(iota, STREAM_THREADS, 1)(u32* rows, u64 n, u64 reversed) {
	for_each(n, [&](u64 i) { rows[i] = (u32)(reversed ? n - 1 - i : i); });
}
