#include "sample/sample.h"

template <class Word, u32 rows> DEVICE void take_sample(const Buckets* b, u8* memory) {
	Map* map = (Map*)memory;
	Decision* v = (Decision*)(map + 1);
	Sampler<Word, rows> sampler(b, memory + KEY_SCAN_HEADER);
	sampler.run(map, v);
	sync_block();
	u32 t = thread_index();
	const bool unordered = sampler.m.sums->rises && sampler.m.sums->falls; // then the key scan need not check the order
	if (t < sizeof(Map) / 8) ((u64*)b->numberMap)[t] = ((const u64*)map)[t];
	PartialStatistics* seen = (PartialStatistics*)b->partial;
	u64* word = (u64*)seen + t;
	if (t < sizeof(PartialStatistics) / 8) *word = unordered && (word == &seen->rises || word == &seen->falls);
	if (t < sizeof(Decision) / 4) ((u32*)b->decision)[t] = ((const u32*)v)[t];
	Report* report = (Report*)b->report;
	if (v->early && v->order == ORDER_NONE && t < sizeof(Decision) / 4)
		((u32*)&report->decision)[t] = ((const u32*)v)[t];
	if (t != 0) return;
	const u64 status = v->early ? STATUS_DECLINED : v->reason ? STATUS_PLAN_ONLY : STATUS_ACCEPTED;
	if (v->order == ORDER_FIXED_POINT) return sampler.report_fixed_point(report);
	const u64 more = (u64)v->narrow * STATUS_NARROW | (v->order == ORDER_EVEN ? (u64)STATUS_EVEN : 0);
	store_system(&report->sample, v->order == ORDER_UNEVEN    ? (u64)STATUS_UNEVEN
	                              : v->order == ORDER_CROWDED ? (u64)STATUS_CROWDED
	                              : v->order && v->accepted == 0 ? (u64)STATUS_IN_ORDER
	                                                             : status | more);
}

template <class Word> DEVICE void take_sample(const Buckets* b, u8* memory) {
	if (b->n > MIDDLE_SAMPLE_OF) take_sample<Word, SAMPLE_ROWS>(b, memory);
	else if (b->n > SMALL_SAMPLE_OF) take_sample<Word, MIDDLE_SAMPLE_ROWS>(b, memory);
	else take_sample<Word, SMALL_SAMPLE_ROWS>(b, memory);
}

// sample makes the map and the first half of the decision, from evenly spread pairs of adjacent rows.
KERNEL(sample, SAMPLE_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	fit_keys(&b->field, b->n, (KeyFit*)shared_memory());
	if (b->field.width == 4) take_sample<u32>(b, shared_memory());
	else take_sample<u64>(b, shared_memory());
}
