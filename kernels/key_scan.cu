#include "look_column.h"
#include "look_keys.h"
#include "plan.h"

// The plan of at most PLAN_THREADS * PLAN_ITEMS buckets, by one block.
DEVICE void plan_by_block(const Buckets* b, LookMemory* m) {
	Planner plan(b, &m->map, m->sums, m->verdict.narrow);
	u32 largest = 0, oversized = 0, end = 0;
	if (warp_index() == LOOK_THREADS / 32 - 1) load_seen(b, &m->seen);
	if (thread_index() == 0) m->verdict.largest = m->verdict.oversized = 0;
	ROLLED for (u32 k = 0; k < CLASSES; k++) {
		if (plan.counted(m->verdict, k)) plan.plan_class(k);
	}
	if (m->verdict.why == WHY_NOT) {
		end = plan.plan_buckets(0, &largest, &oversized);
		plan.plan_end(end);
		if (lane_index() == 0) atomic_max(&m->verdict.largest, largest), atomic_add(&m->verdict.oversized, oversized);
	}
	sync_block();
	if (warp_index() == 0) conclude(b, m->seen, end, &m->verdict, &m->map, (Statistics*)m->warps);
}

// Has the first rows brought near that a warp will read.
DEVICE void fetch_first_rows(const Buckets* b) {
	const Field* f = &b->field;
	if (f->form == FORM_KEYS) return;
	u32 chunks = LOOK_AHEAD / (CHUNK_ROWS * (u32)f->width), warps = LOOK_THREADS / 32;
	u64 first = ((u64)lane_index() * grid_blocks() * warps + block_index() * warps + warp_index()) * CHUNK_ROWS;
	if (lane_index() < chunks && first + CHUNK_ROWS <= b->n) fetch_soon(f->values + first * f->width, CHUNK_ROWS * (u32)f->width);
}

// Reads once, by the map that sample has made. The last block plans, if there are few buckets.
template <class Look> DEVICE void look_and_plan(const Buckets* b, const Look& look_at) {
	LookMemory* m = LookMemory::of(shared_memory());
	const u32 t = thread_index();
	Verdict* verdict = (Verdict*)b->verdict;
	fetch_first_rows(b);
	if (t < HEAVY_VALUES) m->less[t] = 0;
	if (t == 0) m->nulls = m->nans = 0;
	for (u32 i = t; i < 1u << b->bits >> 1; i += LOOK_THREADS) m->counters()[i] = 0;
	wait_for_earlier_kernels();
	if (t < sizeof(Verdict) / 4) ((u32*)&m->verdict)[t] = load_relaxed((const u32*)verdict + t);
	if (t < sizeof(Map) / 8) ((u64*)&m->map)[t] = load_relaxed((const u64*)b->numberMap + t);
	if (t == 0) m->unordered = load_relaxed(&((const Partial*)b->seen)->rises) && load_relaxed(&((const Partial*)b->seen)->falls);
	sync_block();
	if (m->verdict.seems) return; // watch_order looks
	if (m->verdict.early) {
		if (block_index() == 0 && t == 0) ((Report*)b->report)->plan = SAYS_NO;
		return;
	}
	look_at(m);
	sync_block();
	if (m->verdict.why == WHY_NOT) flush(b, m->counters());
	if (warp_index() == 0) join(b, m);
	let_later_kernels_start();
	if (b->bits > SMALL_BUCKET_BITS) return;
	fence();
	sync_block();
	if (t == 0) m->last = atomic_add(&verdict->ticket, 1u) + 1 == grid_blocks();
	sync_block();
	if (!m->last) return;
	fence();
	plan_by_block(b, m);
}

// look reads a column.
KERNEL(look, LOOK_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	look_and_plan(b, [=](const LookMemory* m) {
		if (b->field.width == 4) {
			look_at_column<u32>(b, &m->map);
		} else {
			look_at_column<u64>(b, &m->map);
		}
	});
}

// look_keys reads several as one.
KERNEL(look_keys, LOOK_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	look_and_plan(b, [=](LookMemory* m) { look_at_keys(b, m); });
}
