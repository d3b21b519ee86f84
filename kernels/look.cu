#include "look.h"
#include "plan.h"
#include "sample.h"

// look reads the column once, by the map that sample has made.
KERNEL(look, LOOK_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	LookMemory* m = LookMemory::of(shared_memory());
	for (u32 i = thread_index(); i < sizeof(Map) / 4; i += LOOK_THREADS) ((u32*)&m->map)[i] = ((const u32*)b->numberMap)[i];
	if (thread_index() == 0) m->verdict.why = ((const Verdict*)b->verdict)->why;
	sync_block();
	look_at_column<LOOK_THREADS>(b, m, (u32*)(shared_memory() + LOOK_HEAD));
}

// The sample of a few rows: two neighbours for each thread; all rows where they are fewer.
DEVICE void read_pair(const Buckets* b, Sampler<SMALL_SAMPLE_ROWS>& sampler) {
	const Field* f = &b->field;
	u64 n = b->n, row = n < SMALL_SAMPLE_ROWS ? 2 * thread_index() : thread_index() * (n - 2) / (SMALL_SAMPLE_ROWS / 2);
	UNROLL for (int i = 0; i < 2; i++) {
		sampler.number[i] = 0;
		if (row + i >= n) continue;
		NumberedRow r(f, row + i);
		sampler.number[i] = r.number;
		sampler.values |= (u32)(r.cls == CLASS_VALUE) << i;
	}
}

// The plan of at most PLAN_THREADS * PLAN_BUCKETS buckets, by one block.
DEVICE void plan_by_block(const Buckets* b, LookMemory* m, u32* sums) {
	Planner<false> plan(b, &m->map, sums);
	u32 largest = 0, oversized = 0, end = 0;
	bool counted = m->verdict.why == WHY_NOT;
	if (thread_index() == 0) m->verdict.largest = m->verdict.oversized = 0;
	add_partials(b, grid_blocks(), &m->partial);
	sync_block();
	if (counted) {
		if (warp_index() >= 32 - CLASSES) plan.plan_class(warp_index() - (32 - CLASSES));
		end = plan.plan_buckets(0, &largest, &oversized);
		plan.plan_end(end);
		if (lane_index() == 0) atomic_max(&m->verdict.largest, largest), atomic_add(&m->verdict.oversized, oversized);
	}
	sync_block();
	if (thread_index() == 0) {
		m->verdict.ticket = 0;
		judge(b, m->partial, end, &m->verdict, &m->map);
	}
	sync_block();
	if (warp_index() == 0) report(b, m->verdict, m->partial, (Statistics*)(sums + 64));
	if (thread_index() < sizeof(Verdict) / 4) ((u32*)b->verdict)[thread_index()] = ((const u32*)&m->verdict)[thread_index()];
	if (thread_index() < sizeof(Map) / 4) ((u32*)b->numberMap)[thread_index()] = ((const u32*)&m->map)[thread_index()];
}

// look_small samples, looks and plans in one launch: every block takes the same sample, and the last one plans.
KERNEL(look_small, LOOK_SMALL_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	LookMemory* m = LookMemory::of(shared_memory());
	u32* counters = (u32*)(shared_memory() + LOOK_HEAD);
	{
		Sampler<SMALL_SAMPLE_ROWS> sampler((u8*)counters);
		read_pair(b, sampler);
		take_sample(b, sampler, &m->map, &m->verdict);
	}
	look_at_column<LOOK_SMALL_THREADS>(b, m, counters);
	fence();
	sync_block();
	if (thread_index() == 0) m->last = atomic_add(&((Verdict*)b->verdict)->ticket, 1u) + 1 == grid_blocks();
	sync_block();
	if (!m->last) return;
	fence();
	plan_by_block(b, m, counters);
}
