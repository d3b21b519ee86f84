#include "plan.h"

static_assert(36 * 4 + sizeof(Partial) + sizeof(Verdict) + sizeof(Map) + sizeof(Statistics) <= 1024, "the shared memory that the host gives it");

// bucket_plan says where everything begins. The first blocks have buckets, the others a class each; the last one to end judges.
KERNEL(bucket_plan, PLAN_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	u32* sums = (u32*)shared_memory();
	Partial* seen = (Partial*)(sums + 36);
	Verdict* v = (Verdict*)(seen + 1);
	Map* map = (Map*)(v + 1);
	Verdict* verdict = (Verdict*)b->verdict;
	if (verdict->early) return;
	Planner plan(b, (Map*)b->numberMap, sums, verdict->narrow);
	u32 blocks = grid_blocks() - CLASSES;
	if (verdict->why == WHY_NOT && block_index() < blocks) {
		u32 largest = 0, oversized = 0, end = plan.plan_buckets(block_index() * PLAN_THREADS * PLAN_ITEMS, &largest, &oversized);
		if (lane_index() == 0) {
			if (oversized) atomic_add(&verdict->oversized, oversized);
			atomic_max(&verdict->largest, largest);
		}
		if (block_index() + 1 == blocks) {
			plan.plan_end(end);
			if (thread_index() == 0) verdict->records = end;
		}
	} else if (block_index() >= blocks && plan.counted(*verdict, block_index() - blocks)) {
		plan.plan_class_by_warps(block_index() - blocks);
	}
	fence();
	sync_block();
	if (thread_index() == 0) sums[35] = atomic_add(&verdict->ticket, 1u);
	sync_block();
	if (sums[35] + 1 != grid_blocks()) return;
	fence();
	if (warp_index() != 0) return;
	load_seen(b, seen);
	if (lane_index() < sizeof(Verdict) / 4) ((u32*)v)[lane_index()] = load_relaxed((const u32*)verdict + lane_index());
	for (u32 i = lane_index(); i < sizeof(Map) / 8; i += 32) ((u64*)map)[i] = load_relaxed((const u64*)b->numberMap + i);
	sync_warp();
	conclude(b, *seen, v->records, v, map, (Statistics*)(map + 1));
}
