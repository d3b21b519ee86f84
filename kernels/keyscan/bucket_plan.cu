#include "keyscan/plan.h"

static_assert(36 * 4 + sizeof(PartialStatistics) + sizeof(Decision) + sizeof(Map) + sizeof(Statistics) <= 1024,
              "the shared memory of bucket_plan");

// bucket_plan computes where everything begins. The first blocks plan buckets, the others a class each; the last block
// to finish decides.
KERNEL(bucket_plan, PLAN_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	u32* sums = (u32*)shared_memory();
	PartialStatistics* seen = (PartialStatistics*)(sums + 36);
	Decision* v = (Decision*)(seen + 1);
	Map* map = (Map*)(v + 1);
	Decision* decision = (Decision*)b->decision;
	if (decision->early) return;
	Planner plan(b, (Map*)b->numberMap, sums);
	u32 blocks = grid_blocks() - CLASSES;
	if (decision->reason == REASON_NONE && block_index() < blocks) {
		u32 largest = 0, oversized = 0,
		    end = plan.plan_buckets(block_index() * PLAN_THREADS * PLAN_ITEMS, &largest, &oversized);
		if (lane_index() == 0) {
			if (oversized) atomic_add(&decision->oversized, oversized);
			atomic_max(&decision->largest, largest);
		}
		if (block_index() + 1 == blocks) {
			plan.plan_end(end);
			if (thread_index() == 0) decision->records = end;
		}
	} else if (block_index() >= blocks && plan.counted(*decision, block_index() - blocks)) {
		plan.plan_class(block_index() - blocks);
	}
	if (!is_last_block(&decision->ticket, sums + 35) || warp_index() != 0) return;
	load_seen(b, seen);
	if (lane_index() < sizeof(Decision) / 4)
		((u32*)v)[lane_index()] = load_relaxed((const u32*)decision + lane_index());
	for (u32 i = lane_index(); i < sizeof(Map) / 8; i += 32)
		((u64*)map)[i] = load_relaxed((const u64*)b->numberMap + i);
	sync_warp();
	conclude(b, *seen, v->records, v, map, (Statistics*)(map + 1));
}
