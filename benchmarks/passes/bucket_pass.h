// The pass that sorts buckets, and the proof of the result.
#pragma once
#include "incore.h"

// Buckets as the second pass leaves them: chains of pages of 512 records, and the place of each in the result.
struct Buckets65536 {
	const u64* cursors;
	const u32* table;
	const u32* starts;
	u32 stride, count;
	u32* list; // buckets that are larger than a block has room for, after their number

	DEVICE u32 rows(u32 bucket) const {
		u64 c = load(cursors + bucket);
		return ((u32)(c >> 32) & Chains<40>::sequenceMask) * 512 + (u32)c;
	}
};

// Sorts buckets of up to room rows; lists the others, or sorts those of the list.
template <int threads, int items, Format format, int blocks, bool listed>
__global__ void __launch_bounds__(threads, blocks) sort_buckets(Records in, Buckets65536 b, u32* out) {
	typedef Incore<threads, items, format> Sorter;
	Sorter sorter(shared_memory());
	u32 *pages = sorter.control + 192, count = listed ? load_relaxed(b.list) : b.count;
	for (u32 i = block_index(); i < count; i += grid_blocks()) {
		u32 bucket = listed ? load(b.list + 1 + i) : i, n = b.rows(bucket);
		if (n > Sorter::room) { // uniform
			if (listed) asm volatile("trap;");
			if (thread_index() == 0) b.list[1 + atomic_add(b.list, 1u)] = bucket;
			continue;
		}
		sync_block(); // the last bucket has been written
		const u32* table = b.table + (u64)bucket * b.stride;
		if (thread_index() < (n + 511) / 512) pages[thread_index()] = load(table + thread_index());
		sync_block();
		u32 next = i + grid_blocks();
		if (!listed && next < count && thread_index() >= threads - 32) { // brings the next bucket into the L2 cache
			u32 rows = b.rows(next);
			if (lane_index() < (rows + 511) / 512) {
				u64 page = load(b.table + (u64)next * b.stride + lane_index());
				fetch_soon((u64)(in.words + page * 512), 4096);
				if (format == R12) fetch_soon((u64)(in.rows + page * 512), 2048);
			}
		}
		if (n) sorter.sort(in, pages, n, out + load(b.starts + bucket));
	}
}

// counts: rows that are not in order or come twice, rows in all.
template <class Word> __global__ void prove_order(const u32* out, u32 n, const Word* keys, u32* bitmap, u32* counts) {
	u32 wrong = 0;
	for (u32 i = block_index() * block_threads() + thread_index(); i < n; i += grid_blocks() * block_threads()) {
		u32 row = out[i];
		if (row >= n) {
			wrong++;
			continue;
		}
		wrong += atomic_or(bitmap + row / 32, 1u << row % 32) >> row % 32 & 1;
		u32 last = i > 0 ? out[i - 1] : n;
		wrong += last < n && !(keys[last] < keys[row] || (keys[last] == keys[row] && last < row));
	}
	if (wrong) atomic_add(counts, wrong);
	if (block_index() == 0 && thread_index() == 0) counts[1] = n;
}
