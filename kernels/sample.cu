#include "sample.h"

template <class Word, u32 rows> DEVICE void take_sample(const Buckets* b, u8* memory) {
	Map* map = (Map*)memory;
	Verdict* v = (Verdict*)(map + 1);
	Sampler<Word, rows> sampler(b, memory + LOOK_HEAD);
	sampler.run(map, v);
	sync_block();
	u32 t = thread_index();
	const bool unordered = sampler.m.sums->rises && sampler.m.sums->falls; // then look need not watch
	if (t < sizeof(Map) / 8) ((u64*)b->numberMap)[t] = ((const u64*)map)[t];
	Partial* seen = (Partial*)b->seen;
	u64* word = (u64*)seen + t;
	if (t < sizeof(Partial) / 8) *word = unordered && (word == &seen->rises || word == &seen->falls);
	if (t < sizeof(Verdict) / 4) ((u32*)b->verdict)[t] = ((const u32*)v)[t];
	if (v->why != WHY_NOT) { // nothing is planned, and the finish loads its window before it knows that
		for (u64 w = t; w * b->step < b->n + b->step; w += SAMPLE_THREADS) ((Range*)b->windows)[w] = {};
	}
	Report* report = (Report*)b->report;
	if (v->early && t < sizeof(Verdict) / 4) ((u32*)&report->verdict)[t] = ((const u32*)v)[t];
	if (t == 0) {
		report->sample = v->seems ? (u64)SAYS_IN_ORDER : (v->early ? SAYS_NO : v->aside ? SAYS_ASIDE : SAYS_YES) | (u64)v->narrow * SAYS_NARROW;
	}
}

template <class Word> DEVICE void take_sample(const Buckets* b, u8* memory) {
	if (b->n > MIDDLE_SAMPLE_OF) {
		take_sample<Word, SAMPLE_ROWS>(b, memory);
	} else if (b->n > SMALL_SAMPLE_OF) {
		take_sample<Word, MIDDLE_SAMPLE_ROWS>(b, memory);
	} else {
		take_sample<Word, SMALL_SAMPLE_ROWS>(b, memory);
	}
}

// sample makes the map and the first half of the verdict, from evenly spread pairs of neighbours.
KERNEL(sample, SAMPLE_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	fit_keys<SAMPLE_THREADS>(&b->field, b->n, (KeyExtent*)shared_memory());
	if (b->field.width == 4) {
		take_sample<u32>(b, shared_memory());
	} else {
		take_sample<u64>(b, shared_memory());
	}
}
