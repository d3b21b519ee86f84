#include "sample.h"

// The last block looks at what all have collected.
template <u32 rows> DEVICE void judge_sample(const Buckets* b, u32* shared) {
	const u64 *numbers = (const u64*)b->samples, *values = numbers + SAMPLE_ROWS;
	Map* map = (Map*)shared;
	Verdict *verdict = (Verdict*)b->verdict, *v = (Verdict*)(map + 1);
	Sampler<rows> sampler((u8*)shared + LOOK_HEAD);
	UNROLL for (int i = 0; i < sampler.items; i++) {
		u32 at = (i / 2 * SAMPLE_THREADS + thread_index()) * 2 + i % 2;
		sampler.number[i] = numbers[at];
		sampler.values |= (u32)(values[at] != 0) << i;
	}
	take_sample(b, sampler, map, v);
	for (u32 i = thread_index(); i < sizeof(Map) / 4; i += SAMPLE_THREADS) ((u32*)b->numberMap)[i] = ((const u32*)map)[i];
	if (thread_index() < sizeof(Verdict) / 4) ((u32*)verdict)[thread_index()] = ((const u32*)v)[thread_index()];
}

// sample makes the map and the first half of the verdict. All its blocks collect the sample, evenly spread pairs of neighbours.
KERNEL(sample, SAMPLE_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	u64 *numbers = (u64*)b->samples, *values = numbers + SAMPLE_ROWS, n = b->n;
	const Field* f = &b->field;
	u32 rows = n >= SAMPLE_ALL_ROWS ? SAMPLE_ROWS : MIDDLE_SAMPLE_ROWS;
	for (u32 i = block_index() * SAMPLE_THREADS + thread_index(); i < rows; i += grid_blocks() * SAMPLE_THREADS) {
		NumberedRow r(f, i / 2 * (n - 2) / (rows / 2) + i % 2);
		numbers[i] = r.number;
		values[i] = r.cls == CLASS_VALUE;
	}
	u32* shared = (u32*)shared_memory();
	fence();
	sync_block();
	if (thread_index() == 0) shared[0] = atomic_add(&((Verdict*)b->verdict)->ticket, 1u);
	sync_block();
	bool last = shared[0] + 1 == grid_blocks();
	sync_block();
	if (!last) return;
	fence();
	if (rows == SAMPLE_ROWS) {
		judge_sample<SAMPLE_ROWS>(b, shared);
	} else {
		judge_sample<MIDDLE_SAMPLE_ROWS>(b, shared);
	}
}
