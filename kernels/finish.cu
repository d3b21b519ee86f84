#include "window.h"

// The buckets of a window, taken together as far as a staged word has room for what tells them apart. Where it stands is kept in
// shared memory.
template <int binBits> struct WindowCutter {
	volatile u32* at; // the next bucket and its first record
	volatile Span* span;

	DEVICE WindowCutter(const Buckets* b, u8* memory) : at((volatile u32*)memory), span((volatile Span*)(at + 2)) {
		if (thread_index() == 0) at[0] = window(b)[0].first, at[1] = window(b)[0].end;
		sync_block();
	}
	DEVICE static const Range* window(const Buckets* b) { return (const Range*)b->windows + block_index(); }
	DEVICE bool more(const Buckets* b) const { return at[0] < window(b)[1].first; }

	// Returns whether the span is for the finish: not if it is too large, nor if the window has very many, nearly empty buckets,
	// which are not worth a turn each.
	DEVICE bool next(const Buckets* b) {
		const u32* starts = (const u32*)b->starts;
		u32 bucket = at[0], first = at[1], lastBucket = window(b)[1].first, end = window(b)[1].end, most = (u32)b->window;
		u32 prefixBits = 32 - (u32)b->bits;
		int spare = binBits + 32 - (int)b->rowBits - (int)prefixBits; // bits of the bucket's number that fit too
		u32 together = spare > 0 ? 1u << (spare < 16 ? spare : 16) : 1;
		bool fits = spare >= 0 && lastBucket - bucket <= 16 * together;
		u32 to = fits && lastBucket - bucket > together ? bucket + together : lastBucket;
		u32 until = to == lastBucket ? end : load(starts + to);
		if (until - first > most && to - bucket > 1) until = load(starts + --to); // the last bucket by itself
		u32 buckets = to - bucket, bits = prefixBits + (buckets > 1 ? 32 - count_leading_zeros(buckets - 1) : 0);
		sync_block(); // all have read
		if (thread_index() == 0) {
			at[0] = to, at[1] = until;
			span->first = first, span->rows = until - first;
			span->low = prefixBits < 32 ? bucket << prefixBits : 0, span->binShift = bits > binBits ? bits - binBits : 0;
			const Verdict* v = (const Verdict*)b->verdict;
			span->clamped = (v->below && bucket == 0) || (v->above && to == 1u << b->bits);
			find_shift(b);
		}
		sync_block();
		return fits && until - first <= most;
	}
	DEVICE void find_shift(const Buckets* b) const {
		span->shift = span->split = 0;
		if (((const Verdict*)b->verdict)->records == b->n) return;
		const Map* map = (const Map*)b->map;
		u32 first = span->first, shift = 0, split = 0;
		for (u32 k = 0; k < CLASSES; k++) {
			const Heavy& h = map->heavy[k];
			if (h.rows == 0) continue;
			if (h.before <= first) shift += h.rows;
			else split |= h.before < first + span->rows;
		}
		span->shift = shift, span->split = split;
	}
};

template <int items, int binBits, bool wide> DEVICE bool finish_span(const Buckets* b, const volatile Span* s) {
	typedef Finish<items, binBits, wide, true> Full;
	if (Full::is_full(s)) return Full(shared_memory(), s).sort(b);
	return Finish<items, binBits, wide, false>(shared_memory(), s).sort(b);
}

template <int items, int binBits> DEVICE void finish_window(const Buckets* b) {
	if (!((const Verdict*)b->verdict)->go) return;
	WindowCutter<binBits> cutter(b, shared_memory());
	while (cutter.more(b)) {
		bool done = cutter.next(b);
		const volatile Span* s = cutter.span;
		if (s->rows == 0) continue;
		if (done) {
			bool wide = ((const Map*)b->map)->right != 0 || s->clamped; // prefixes do not tell all
			done = wide ? finish_span<items, binBits, true>(b, s) : finish_span<items, binBits, false>(b, s);
		}
		if (!done && thread_index() == 0) ((Range*)b->rest)[atomic_add(&((Verdict*)b->verdict)->rest, 1u)] = {s->first, s->first + s->rows};
		sync_block(); // the stage is free
	}
}

// finish sorts the buckets of a window, and writes row numbers.
KERNEL(finish, FINISH_THREADS, 4)(const Buckets* b) { finish_window<FINISH_ITEMS, FINISH_BIN_BITS>(b); }
KERNEL(finish_small, FINISH_THREADS, 4)(const Buckets* b) { finish_window<SMALL_FINISH_ITEMS, SMALL_FINISH_BIN_BITS>(b); }
