#include "sample/equalize.h"

// equalize runs where the sample finds that rows are uneven. It replaces the map by an equalized one, and the decision
// of the sample, unless that map spreads the rows no better.
KERNEL(equalize, SAMPLE_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	EqualizeMemory& m = *(EqualizeMemory*)shared_memory();
	Decision* v = (Decision*)b->decision;
	const u32 t = thread_index();
	if (t < sizeof(Map) / 8) ((u64*)&m.map)[t] = ((u64*)&m.wanted)[t] = ((const u64*)b->numberMap)[t];
	sync_block();
	const bool equalized = Equalize(b, m).run();
	sync_block();
	if (equalized && t < sizeof(Map) / 8) ((u64*)b->numberMap)[t] = ((const u64*)&m.wanted)[t];
	if (t != 0) return;
	v->order = ORDER_NONE;
	if (equalized) v->reason = REASON_NONE, v->early = v->narrow = 0;
	Report* report = (Report*)b->report;
	if (v->early) report->decision = *v, store_system(&report->plan, STATUS_DECLINED);
	store_system(&report->sample, v->early    ? +STATUS_DECLINED
	                              : equalized ? STATUS_ACCEPTED | STATUS_EQUALIZED
	                              : v->reason ? +STATUS_PLAN_ONLY
	                                          : +STATUS_ACCEPTED);
}
