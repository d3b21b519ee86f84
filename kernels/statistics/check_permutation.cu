#include "common/device.h"

// check_permutation counts row numbers that are out of range or repeated.
KERNEL(check_permutation, STREAM_THREADS, 1)(const u32* rows, u64 out, u64 n, u32* seen, u64* wrong) {
	u64 count = 0;
	for_each(out, [&](u64 i) {
		u32 row = load(rows + i), bit = 1u << row % 32;
		if (row < n && !(atomic_or(seen + row / 32, bit) & bit)) return;
		atomic_max(wrong + 1, ~i);
		count++;
	});
	if (count) atomic_add(wrong, count);
}
