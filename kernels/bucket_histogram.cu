#include "buckets.h"

const int BUCKET_ITEMS = 8;

// Adds the rows of a chunk to the counters, two of 16 bits in a word. Rows of sorted keys share a bucket: one lane adds them all.
DEVICE void count_buckets(u32* counters, const u32 (&bucket)[BUCKET_ITEMS], u32 left) {
	u32 one = shuffle(bucket[0], 0);
	bool same = left == 32 * BUCKET_ITEMS;
	UNROLL for (int i = 0; i < BUCKET_ITEMS; i++) same &= bucket[i] == one;
	if (vote(same) == ALL_LANES) {
		if (lane_index() == 0) atomic_add(counters + one / 2, 32 * BUCKET_ITEMS << one % 2 * 16);
		return;
	}
	UNROLL for (int i = 0; i < BUCKET_ITEMS; i++) {
		if (32 * i + lane_index() < left) atomic_add(counters + bucket[i] / 2, 1u << bucket[i] % 2 * 16);
	}
}

template <class Word> DEVICE void count_column(const Buckets* b, u32* counters) {
	u32 shift = 32 - (u32)b->bits;
	u64 n = b->n, chunk = 32 * BUCKET_ITEMS, step = (u64)grid_blocks() * (HISTOGRAM_THREADS / 32) * chunk;
	Prefix prefix(b->codeBits);
	Column32 column = {(const Field*)b->field, n};
	for (u64 first = ((u64)block_index() * (HISTOGRAM_THREADS / 32) + warp_index()) * chunk; first < n; first += step) {
		Word code[BUCKET_ITEMS];
		u32 bucket[BUCKET_ITEMS];
		column.codes(code, first);
		UNROLL for (int i = 0; i < BUCKET_ITEMS; i++) bucket[i] = prefix.of(code[i]) >> shift;
		count_buckets(counters, bucket, n - first < chunk ? (u32)(n - first) : (u32)chunk);
	}
}

// bucket_histogram counts the rows of each bucket. A counter that overflows changes the sum of all, so bucket_plan sees it.
KERNEL(bucket_histogram, HISTOGRAM_THREADS, 1)(const Buckets* b) {
	if (((const Verdict*)b->verdict)->equal) return;
	u32 *counters = (u32*)shared_memory(), words = 1u << b->bits >> 1;
	for (u32 i = thread_index(); i < words; i += HISTOGRAM_THREADS) counters[i] = 0;
	sync_block();
	if (Column32::is_short((const Field*)b->field, b->codeBits)) {
		count_column<u32>(b, counters);
	} else {
		count_column<u64>(b, counters);
	}
	sync_block();
	for (u32 i = thread_index(); i < words; i += HISTOGRAM_THREADS) {
		u32 two = counters[i];
		if (two) atomic_add((u64*)b->counts + i, (u64)(two >> 16) << 32 | (two & 0xffff));
	}
}
