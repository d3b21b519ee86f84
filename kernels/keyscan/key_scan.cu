#include "keyscan/key_scan_column.h"
#include "keyscan/key_scan_keys.h"
#include "keyscan/plan.h"
#include "sample/pages.h"

// Plans at most PLAN_THREADS * PLAN_ITEMS buckets, by one block.
DEVICE void plan_by_block(const Buckets* b, KeyScanMemory* m) {
	Planner plan(b, &m->map, m->sums);
	u32 largest = 0, oversized = 0, end = 0;
	if (warp_index() == KEY_SCAN_THREADS / 32 - 1) load_seen(b, &m->seen);
	if (thread_index() == 0) m->decision.largest = m->decision.oversized = 0;
	ROLLED for (u32 k = 0; k < CLASSES; k++) {
		if (plan.counted(m->decision, k)) plan.plan_class(k);
	}
	if (m->decision.reason == REASON_NONE) {
		end = plan.plan_buckets(0, &largest, &oversized);
		plan.plan_end(end);
		if (lane_index() == 0) atomic_max(&m->decision.largest, largest), atomic_add(&m->decision.oversized, oversized);
	}
	sync_block();
	if (warp_index() == 0) conclude(b, m->seen, end, &m->decision, &m->map, (Statistics*)m->warps);
}

// Prefetches the first rows that a warp will read, while the sample runs: half of a large L2 cache for all warps.
const u32 KEY_SCAN_PREFETCH = 8 << 10; // bytes of a warp
DEVICE void fetch_first_rows(const Buckets* b) {
	const Field* f = &b->field;
	if (f->form == FORM_KEYS) return;
	u32 chunks = KEY_SCAN_PREFETCH / (CHUNK_ROWS * (u32)f->width), warps = KEY_SCAN_THREADS / 32;
	u64 first = ((u64)lane_index() * grid_blocks() * warps + block_index() * warps + warp_index()) * CHUNK_ROWS;
	if (lane_index() < chunks && first + CHUNK_ROWS <= b->n)
		fetch_soon(f->values + first * f->width, CHUNK_ROWS * (u32)f->width);
}

// Looks at a row of each thread's strip, many more than the sample has. NaN has no page, and rows out of the range of
// the map share two buckets: where they are too many, the first pass does nothing, and the sort is declined.
template <class Word> DEVICE void look_outside(const Buckets* b, const Map* map) {
	const u32 strips = grid_blocks() * KEY_SCAN_THREADS, strip = block_index() * KEY_SCAN_THREADS + thread_index(),
	          rows = (u32)b->n / strips;
	if (rows == 0) return;
	Word x = load((const Word*)b->field.values + (u64)strip * rows + hash_number(strip) % rows);
	const bool value = Numbers<Word>(&b->field).make(x);
	if (value && x >= (Word)map->low && x <= (Word)map->last) return;
	Decision* decision = (Decision*)b->decision;
	const u32 before = atomic_add(&decision->outside, 1u);
	if (!value || (before + 1) * rows > EXTENSION_RECORDS) decision->accepted = 0, decision->reason = REASON_NO_PAGE;
}
DEVICE void begin_pages(const Buckets* b, const Map* map) {
	open_pages(b);
	if (b->field.form == FORM_KEYS || !map->clamps) return;
	if (b->field.width == 4) look_outside<u32>(b, map);
	else look_outside<u64>(b, map);
}

// Reads the column once, by the map of the sample. The last block plans if there are few buckets.
template <class Scan> DEVICE void scan_and_plan(const Buckets* b, const Scan& scan_rows) {
	KeyScanMemory* m = KeyScanMemory::of(shared_memory());
	const u32 t = thread_index();
	Decision* decision = (Decision*)b->decision;
	fetch_first_rows(b);
	if (t < HEAVY_VALUES) m->less[t] = 0;
	if (t == 0) m->nulls = m->nans = 0;
	for (u32 i = t; i < 1u << b->bits >> 1; i += KEY_SCAN_THREADS) m->counters()[i] = 0;
	wait_for_earlier_kernels();
	if (t < sizeof(Decision) / 4) ((u32*)&m->decision)[t] = load_relaxed((const u32*)decision + t);
	if (t < sizeof(Map) / 8) ((u64*)&m->map)[t] = load_relaxed((const u64*)b->numberMap + t);
	if (t == 0)
		m->unordered = load_relaxed(&((const PartialStatistics*)b->partial)->rises) &&
		               load_relaxed(&((const PartialStatistics*)b->partial)->falls);
	sync_block();
	if (m->decision.order == ORDER_EVEN) return begin_pages(b, &m->map);
	if (m->decision.order) return; // another kernel reads the column instead
	if (m->decision.early) {
		if (block_index() == 0 && t == 0) store_system(&((Report*)b->report)->plan, STATUS_DECLINED);
		return;
	}
	scan_rows(m);
	sync_block();
	if (m->decision.reason == REASON_NONE) flush(b, m->counters());
	if (warp_index() == 0) join(b, m);
	if (b->bits > SMALL_BUCKET_BITS) return;
	if (is_last_block(&decision->ticket, &m->last)) plan_by_block(b, m);
}

// key_scan reads one column.
KERNEL(key_scan, KEY_SCAN_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	scan_and_plan(b, [=](const KeyScanMemory* m) {
		if (b->field.width == 4) scan_column<u32>(b, &m->map);
		else scan_column<u64>(b, &m->map);
	});
}

// key_scan_equalized reads a column of 8 bytes, by the map of equalize.
KERNEL(key_scan_equalized, KEY_SCAN_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	scan_and_plan(b, [=](const KeyScanMemory* m) {
		if (b->field.form != FORM_FLOAT && b->field.validity == 0 && m->map.heavies == 0) scan_equalized<true>(b);
		else scan_equalized<false>(b);
	});
}

// key_scan_keys reads several columns as one.
KERNEL(key_scan_keys, KEY_SCAN_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	scan_and_plan(b, [=](KeyScanMemory* m) { scan_keys(b, m); });
}
