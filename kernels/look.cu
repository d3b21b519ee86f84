#include "look.h"
#include "plan.h"
#include "sample.h"

// look reads the column once, by the map that sample has made.
KERNEL(look, LOOK_THREADS, 1)(const Buckets* b) {
	LookMemory* m = LookMemory::of(shared_memory());
	for (u32 i = thread_index(); i < sizeof(Map) / 4; i += LOOK_THREADS) ((u32*)&m->map)[i] = ((const u32*)b->map)[i];
	if (thread_index() == 0) m->verdict.why = ((const Verdict*)b->verdict)->why;
	sync_block();
	look_at_column(b, m, (u32*)(shared_memory() + LOOK_HEAD));
}

// The sample of a few rows: two neighbours for each thread.
struct Pair {
	u64 number[2];
	bool value[2];

	DEVICE u64 get(int i) const { return number[i]; }
	DEVICE bool is(int i) const { return value[i]; }
};

DEVICE Pair read_pair(const Buckets* b) {
	Pair p = {};
	const Field* f = (const Field*)b->field;
	const u64 pairs = SMALL_SAMPLE_ROWS / 2;
	if (b->n < SMALL_SAMPLE_ROWS && 2 * thread_index() >= b->n) return p; // all rows are the sample
	u64 row = b->n < SMALL_SAMPLE_ROWS ? 2 * thread_index() : thread_index() * (b->n - 2) / pairs;
	UNROLL for (int i = 0; i < 2; i++) {
		if (row + i >= b->n) continue;
		NumberedRow r(f, row + i);
		p.number[i] = r.number;
		p.value[i] = r.cls == CLASS_VALUE;
	}
	return p;
}

// The plan of at most PLAN_THREADS * PLAN_BUCKETS buckets, by one block.
DEVICE void plan_by_block(const Buckets* b, LookMemory* m, u32* sums) {
	Planner plan(b, sums);
	u32 largest = 0, oversized = 0, end = 0;
	if (thread_index() == 0) m->verdict.largest = m->verdict.oversized = 0;
	sync_block();
	if (m->verdict.why == WHY_NOT) {
		end = plan.plan_buckets(0, &largest, &oversized);
		plan.plan_end(end);
		if (lane_index() == 0) atomic_max(&m->verdict.largest, largest), atomic_add(&m->verdict.oversized, oversized);
		if (warp_index() < CLASSES) plan.plan_class(warp_index());
	}
	if (warp_index() == 31) add_partials(b, grid_blocks(), &m->partial);
	fence();
	sync_block();
	if (warp_index() != 0) return;
	if (lane_index() == 0) {
		Map* map = (Map*)b->map;
		judge(b, m->partial, end, &m->verdict, map);
		m->verdict.ticket = 0;
		*(Verdict*)b->verdict = m->verdict;
	}
	sync_warp();
	report(b, m->verdict, m->partial);
}

// look_small samples, looks and plans in one launch: every block takes the same sample, and the last one plans.
KERNEL(look_small, LOOK_THREADS, 1)(const Buckets* b) {
	LookMemory* m = LookMemory::of(shared_memory());
	u32* counters = (u32*)(shared_memory() + LOOK_HEAD);
	Pair pair = read_pair(b);
	take_sample<SMALL_SAMPLE_ROWS, LOOK_THREADS>(b, pair, (u8*)counters, &m->map, &m->verdict);
	look_at_column(b, m, counters);
	fence();
	sync_block();
	if (thread_index() == 0) m->last = atomic_add(&((Verdict*)b->verdict)->ticket, 1u) + 1 == grid_blocks();
	sync_block();
	if (!m->last) return;
	fence();
	for (u32 i = thread_index(); i < sizeof(Map) / 4; i += LOOK_THREADS) ((u32*)b->map)[i] = ((const u32*)&m->map)[i];
	sync_block();
	plan_by_block(b, m, counters);
}
