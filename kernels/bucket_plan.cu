#include "plan.h"

// bucket_plan says where everything begins. The first blocks have buckets, the others a class each; the last one to end judges.
KERNEL(bucket_plan, PLAN_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	u32* sums = (u32*)shared_memory();
	Partial* partial = (Partial*)(sums + 36);
	Verdict* v = (Verdict*)(partial + 1);
	Verdict* verdict = (Verdict*)b->verdict;
	Planner<true> plan(b, (Map*)b->numberMap, sums);
	u32 blocks = grid_blocks() - CLASSES;
	if (verdict->why == WHY_NOT && block_index() < blocks) {
		u32 largest = 0, oversized = 0, end = plan.plan_buckets(block_index() * PLAN_THREADS * PLAN_BUCKETS, &largest, &oversized);
		if (lane_index() == 0) {
			if (oversized) atomic_add(&verdict->oversized, oversized);
			atomic_max(&verdict->largest, largest);
		}
		if (block_index() + 1 == blocks) {
			plan.plan_end(end);
			if (thread_index() == 0) verdict->records = end;
		}
	} else if (verdict->why == WHY_NOT) {
		plan.plan_class_by_block(block_index() - blocks);
	}
	fence();
	sync_block();
	if (thread_index() == 0) sums[35] = atomic_add(&verdict->ticket, 1u);
	sync_block();
	if (sums[35] + 1 != grid_blocks()) return;
	fence();
	add_partials(b, (u32)b->lookBlocks, partial);
	if (thread_index() < sizeof(Verdict) / 4) ((u32*)v)[thread_index()] = load_relaxed((const u32*)verdict + thread_index());
	sync_block();
	if (warp_index() != 0) return;
	if (lane_index() == 0) {
		v->ticket = 0;
		judge(b, *partial, v->records, v, (Map*)b->numberMap);
	}
	sync_warp();
	if (lane_index() < sizeof(Verdict) / 4) ((u32*)verdict)[lane_index()] = ((const u32*)v)[lane_index()];
	report(b, *v, *partial, (Statistics*)(v + 1));
}
