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

// sample counts the rows among some, evenly spread, whose prefix another one of them has. Some are neighbours: every other row
// of the sample is the one behind the row before.
KERNEL(sample, 1024, 1)(const Buckets* b) {
	u32* table = (u32*)shared_memory();
	const Field* f = (const Field*)b->field;
	Linear linear(f);
	Prefix prefix(b->codeBits);
	Verdict* verdict = (Verdict*)b->verdict;
	u32 ties = 0;
	for (u32 i = thread_index(); i < SAMPLE_SLOTS; i += 1024) table[i] = ~0u;
	if (thread_index() < sizeof(Verdict) / 4) ((u32*)verdict)[thread_index()] = 0;
	sync_block();
	for (u32 i = thread_index(); i < SAMPLE_ROWS; i += 1024) {
		u64 row = (u64)(i / 2) * (b->n - 1) / (SAMPLE_ROWS / 2) + i % 2;
		if (row < b->n && b->n >= SAMPLE_ROWS) ties += is_known(table, prefix.of(code_at(f, linear, (u32)row)));
	}
	ties = (u32)warp_sum(ties);
	if (lane_index() == 0 && ties) atomic_add(&verdict->ties, ties);
}
