#include "sample.h"

// Rows evenly spread, two neighbours each time, as sample has collected them.
struct Collected {
	const u64 *numbers, *values;
	u32 stride;

	DEVICE u32 at(int i) const { return (i / 2 * stride + thread_index()) * 2 + i % 2; }
	DEVICE u64 get(int i) const { return numbers[at(i)]; }
	DEVICE bool is(int i) const { return values[at(i)] != 0; }
};

const u32 COLLECT_THREADS = 1024, COLLECT_PAIRS = SAMPLE_ROWS / 2;

// The number of a row of the sample.
DEVICE u64 sampled_row(u64 pair, u64 pairs, u64 n) { return pair * (n - 2) / pairs; }

// sample makes the map and the first half of the verdict. All its blocks collect the sample; the last one looks at it.
KERNEL(sample, COLLECT_THREADS, 1)(const Buckets* b) {
	u64 *numbers = (u64*)b->samples, *values = numbers + SAMPLE_ROWS;
	const Field* f = (const Field*)b->field;
	for (u32 i = block_index() * COLLECT_THREADS + thread_index(); i < SAMPLE_ROWS; i += grid_blocks() * COLLECT_THREADS) {
		NumberedRow r(f, sampled_row(i / 2, COLLECT_PAIRS, b->n) + i % 2);
		numbers[i] = r.number;
		values[i] = r.cls == CLASS_VALUE;
	}
	u32* shared = (u32*)shared_memory();
	Verdict* verdict = (Verdict*)b->verdict;
	fence();
	sync_block();
	if (thread_index() == 0) shared[0] = atomic_add(&verdict->ticket, 1u);
	sync_block();
	bool last = shared[0] + 1 == grid_blocks();
	sync_block();
	if (!last) return;
	fence();
	Map* map = (Map*)shared;
	Verdict* v = (Verdict*)(map + 1);
	take_sample<SAMPLE_ROWS, COLLECT_THREADS>(b, Collected{numbers, values, COLLECT_THREADS}, (u8*)shared + LOOK_HEAD, map, v);
	if (thread_index() == 0) *(Map*)b->map = *map, *verdict = *v;
}
