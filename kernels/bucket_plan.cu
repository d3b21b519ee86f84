#include "buckets.h"

const u32 PLAN_THREADS = 1024, PLAN_BUCKETS = 4;

// Sums of a block, by warps and then by all.
DEVICE u32 block_exclusive_sum(u32 x, u32* sums, u32* total) {
	u32 warpTotal, before = warp_exclusive_sum(x, &warpTotal);
	sync_block();
	if (lane_index() == 0) sums[warp_index()] = warpTotal;
	sync_block();
	u32 ofWarps = warp_exclusive_sum(sums[lane_index()], total);
	return before + shuffle(ofWarps, warp_index());
}

// The rows in buckets of earlier blocks.
DEVICE u32 rows_before(const u32* counts, u32 bucket, u32* sum) {
	u32 rows = 0;
	for (u32 i = thread_index(); i < bucket; i += PLAN_THREADS) rows += counts[i];
	rows = (u32)warp_sum(rows);
	if (lane_index() == 0 && rows) atomic_add(sum, rows);
	sync_block();
	return *sum;
}

// Window w of the finish begins with the first bucket that starts at row w * window or behind.
DEVICE void plan_windows(const Buckets* b, u32 bucket, u32 first, u32 end) {
	u32 window = (u32)b->window, windows = (u32)((b->n + window - 1) / window);
	Range* out = (Range*)b->windows;
	for (u32 w = first / window + 1; w <= end / window && w < windows; w++) out[w] = {bucket + 1, end};
	if (bucket == 0) out[0] = {0, 0};
	if (bucket + 1 == 1u << b->bits) out[windows] = {bucket + 1, end};
}

DEVICE void plan_bucket(const Buckets* b, u32 bucket, u32 first, u32 rows) {
	((u32*)b->starts)[bucket] = ((u32*)b->cursors)[bucket] = first;
	if (bucket + 1 == 1u << b->bits) ((u32*)b->starts)[bucket + 1] = first + rows;
	plan_windows(b, bucket, first, first + rows);
	if (!b->second || bucket % (1u << b->second) != 0) return;
	((u32*)b->firstStarts)[bucket >> b->second] = ((u32*)b->firstCursors)[bucket >> b->second] = first;
}

// bucket_plan says where each bucket starts, which buckets make up a window of the finish, and what speaks against it all.
KERNEL(bucket_plan, PLAN_THREADS, 1)(const Buckets* b) {
	u32* sums = (u32*)shared_memory();
	u32 buckets = 1u << b->bits, blockFirst = block_index() * PLAN_THREADS * PLAN_BUCKETS;
	u32 bucket = blockFirst + thread_index() * PLAN_BUCKETS, rows[PLAN_BUCKETS], all = 0, largest = 0, oversized = 0, total;
	const u32* counts = (const u32*)b->counts;
	if (thread_index() == 0) sums[32] = 0;
	UNROLL for (u32 k = 0; k < PLAN_BUCKETS; k++) {
		rows[k] = bucket + k < buckets ? counts[bucket + k] : 0;
		all += rows[k];
		largest = rows[k] > largest ? rows[k] : largest;
		oversized += rows[k] > b->window;
	}
	u32 first = block_exclusive_sum(all, sums, &total), before = rows_before(counts, blockFirst, sums + 32);
	Verdict* verdict = (Verdict*)b->verdict;
	if (thread_index() == 0 && block_index() + 1 == grid_blocks() && before + total != b->n) verdict->miscount = 1;
	first += before;
	UNROLL for (u32 k = 0; k < PLAN_BUCKETS; k++) {
		if (bucket + k < buckets) plan_bucket(b, bucket + k, first, rows[k]);
		first += rows[k];
	}
	largest = (u32)warp_max(largest), oversized = (u32)warp_sum(oversized);
	if (lane_index() != 0) return;
	if (oversized) atomic_add(&verdict->oversized, oversized);
	atomic_max(&verdict->largest, largest);
}
