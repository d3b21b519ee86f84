#include "sample.h"

// sample makes the map and the first half of the verdict. All its blocks collect the sample, evenly spread pairs of neighbours; the last
// one looks at it.
KERNEL(sample, SAMPLE_THREADS, 1)(const Buckets* b) {
	u64 *numbers = (u64*)b->samples, *values = numbers + SAMPLE_ROWS;
	const Field* f = (const Field*)b->field;
	for (u32 i = block_index() * SAMPLE_THREADS + thread_index(); i < SAMPLE_ROWS; i += grid_blocks() * SAMPLE_THREADS) {
		NumberedRow r(f, i / 2 * (b->n - 2) / (SAMPLE_ROWS / 2) + i % 2);
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
	Sampler<SAMPLE_ROWS> sampler((u8*)shared + LOOK_HEAD);
	UNROLL for (int i = 0; i < sampler.items; i++) {
		u32 at = (i / 2 * SAMPLE_THREADS + thread_index()) * 2 + i % 2;
		sampler.number[i] = numbers[at];
		sampler.values |= (u32)(values[at] != 0) << i;
	}
	take_sample(b, sampler, map, v);
	for (u32 i = thread_index(); i < sizeof(Map) / 4; i += SAMPLE_THREADS) ((u32*)b->numberMap)[i] = ((const u32*)map)[i];
	if (thread_index() < sizeof(Verdict) / 4) ((u32*)verdict)[thread_index()] = ((const u32*)v)[thread_index()];
}
