#include "plan.h"

// bucket_plan says where everything begins. The first blocks have buckets, the others a class each; the last one to end judges.
KERNEL(bucket_plan, PLAN_THREADS, 1)(const Buckets* b) {
	u32* sums = (u32*)shared_memory();
	Partial* partial = (Partial*)(sums + 36);
	Verdict* verdict = (Verdict*)b->verdict;
	Planner plan(b, sums);
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
	if (sums[35] + 1 != grid_blocks() || warp_index() != 0) return;
	fence();
	add_partials(b, (u32)b->lookBlocks, partial);
	if (lane_index() == 0) {
		verdict->ticket = 0;
		Verdict v;
		for (u32 k = 0; k < sizeof(Verdict) / 4; k++) ((u32*)&v)[k] = load_relaxed((const u32*)verdict + k);
		judge(b, *partial, v.records, &v, (Map*)b->map);
		*verdict = v;
	}
	sync_warp();
	report(b, *verdict, *partial);
}
