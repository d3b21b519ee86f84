#include "buckets.h"

const u32 SAMPLE_SLOTS = 2 * SAMPLE_ROWS;

// Puts a prefix into a hash table; reports whether it was there already.
DEVICE bool is_known(u32* table, u32 prefix) {
	const u32 empty = ~0u;
	if (prefix == empty) prefix = 0; // one prefix stands for two: a sample need not be exact
	for (u32 slot = (u32)(prefix * 2654435761u) >> (32 - SAMPLE_BITS - 1);; slot = (slot + 1) % SAMPLE_SLOTS) {
		u32 is = compare_and_swap(table + slot, empty, prefix);
		if (is == prefix) return true;
		if (is == empty) return false;
	}
}

// Rows that tie with more than eight others are better sorted by digits, and so are neighbours that tie by the dozen.
DEVICE u32 many_equal(const Verdict& v, u64 n) {
	if (v.sampled == 0) return 0;
	double partners = 2.0 * (v.ties - v.neighbours) * n / ((double)v.sampled * v.sampled);
	return partners > 8 || v.neighbours > 0.35 * v.sampled;
}

const int SAMPLE_THREADS = 1024, SAMPLE_PAIRS = SAMPLE_ROWS / SAMPLE_THREADS / 2;

// sample looks for equal prefixes among pairs of neighbouring rows, evenly spread: rows that tie with their neighbour, and rows
// that tie with any other row of the sample. Few rows are sampled by fewer pairs: that is quicker, and their estimate as good.
KERNEL(sample, SAMPLE_THREADS, 1)(const Buckets* b) {
	u32* table = (u32*)shared_memory();
	const Field* f = (const Field*)b->field;
	Linear linear(f);
	Prefix prefix(b->codeBits);
	u32 pairs = b->n >= SAMPLE_ALL_ROWS ? SAMPLE_PAIRS : SAMPLE_PAIRS / 4, ties = 0, neighbours = 0, key[2 * SAMPLE_PAIRS];
	double step = (double)(b->n - 2) / (pairs * SAMPLE_THREADS);
	bool enough = b->n >= SAMPLE_ROWS;
	UNROLL for (u32 k = 0; k < SAMPLE_PAIRS; k++) {
		u32 row = (u32)((k * SAMPLE_THREADS + thread_index()) * step);
		if (k < pairs && enough) key[2 * k] = prefix.of(code_at(f, linear, row)), key[2 * k + 1] = prefix.of(code_at(f, linear, row + 1));
	}
	for (u32 i = thread_index(); i < SAMPLE_SLOTS; i += SAMPLE_THREADS) table[i] = ~0u;
	sync_block();
	UNROLL for (u32 k = 0; k < SAMPLE_PAIRS; k++) {
		if (k >= pairs || !enough) continue;
		neighbours += key[2 * k] == key[2 * k + 1];
		ties += is_known(table, key[2 * k]) + is_known(table, key[2 * k + 1]);
	}
	ties = (u32)warp_sum(ties), neighbours = (u32)warp_sum(neighbours);
	u32* sums = table + SAMPLE_SLOTS;
	if (lane_index() == 0) sums[warp_index()] = ties, sums[32 + warp_index()] = neighbours;
	sync_block();
	if (thread_index() >= 32) return;
	Verdict v = {};
	v.ties = (u32)warp_sum(sums[lane_index()]);
	v.neighbours = (u32)warp_sum(sums[32 + lane_index()]);
	v.sampled = enough ? pairs * SAMPLE_THREADS * 2 : 0;
	v.equal = many_equal(v, b->n);
	if (thread_index() == 0) *(Verdict*)b->verdict = v;
}
