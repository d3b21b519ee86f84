#include "window.h"

// The buckets of a window, taken together as far as a staged word has room for what tells them apart. What the sort of a span does not
// need is kept in shared memory.
template <int binBits> struct WindowCutter {
	volatile Span* span;
	volatile u32* rest; // the next bucket, the last one, the end of the window, and the flags
	u32 bucket, first, lastBucket, end;
	u32 flags; // what the verdict and the map say; loaded with the window, since each wait for memory counts where rows are few
	static const u32 GO = 1, BELOW = 2, ABOVE = 4, TIES = 8, CLASSES_TOO = 16;

	DEVICE WindowCutter(const Buckets* b, u8* memory) : span((volatile Span*)memory), rest((volatile u32*)memory + sizeof(Span) / 4) {
		const Range* window = (const Range*)b->windows + block_index();
		const Verdict* v = (const Verdict*)b->verdict;
		bucket = window[0].first, first = window[0].end, lastBucket = window[1].first, end = window[1].end;
		flags = (v->goOn ? GO : 0) | (v->below ? BELOW : 0) | (v->above ? ABOVE : 0) | (v->records != b->n ? CLASSES_TOO : 0) |
		        (((const Map*)b->numberMap)->right != 0 ? TIES : 0);
	}
	DEVICE bool more() const { return flags & GO && bucket < lastBucket; }

	// Returns whether the span is for the finish: not if it is too large, nor if the window has very many, nearly empty buckets,
	// which are not worth a turn each.
	DEVICE bool cut(const Buckets* b) {
		u32 most = (u32)b->window, prefixBits = 32 - (u32)b->bits;
		int spare = binBits + 32 - (int)b->rowBits - (int)prefixBits; // bits of the bucket's number that fit too
		u32 together = spare > 0 ? 1u << (spare < 16 ? spare : 16) : 1;
		bool fits = spare >= 0 && lastBucket - bucket <= 16 * together;
		u32 to = fits && lastBucket - bucket > together ? bucket + together : lastBucket, until = to == lastBucket ? end : start(b, to);
		if (until - first > most && to - bucket > 1) until = start(b, --to); // the last bucket by itself
		if (thread_index() == 0) {
			u32 buckets = to - bucket, bits = prefixBits + (buckets > 1 ? 32 - count_leading_zeros(buckets - 1) : 0);
			span->first = first, span->rows = until - first;
			span->low = prefixBits < 32 ? bucket << prefixBits : 0, span->binShift = bits > binBits ? bits - binBits : 0;
			span->ties = flags & TIES || (flags & BELOW && bucket == 0) || (flags & ABOVE && to == 1u << b->bits);
			const Field* f = &b->field;
			if (span->ties) span->values = f->values, span->valueShift = f->width == 4 ? 2 : 3;
			find_shift(b);
			rest[0] = to, rest[1] = lastBucket, rest[2] = end, rest[3] = flags;
		}
		sync_block();
		return fits && until - first <= most;
	}
	DEVICE static u32 start(const Buckets* b, u32 bucket) { return load((const u32*)b->starts + bucket); }

	// Rows of classes that sort before.
	DEVICE void find_shift(const Buckets* b) const {
		span->shift = span->split = 0;
		if (!(flags & CLASSES_TOO)) return;
		const Map* map = (const Map*)b->numberMap;
		u32 shift = 0, split = 0;
		ROLLED for (u32 k = 0; k < CLASSES; k++) {
			const Heavy& h = map->heavy[k];
			if (h.rows == 0) continue;
			if (h.before <= first) shift += h.rows;
			else split |= h.before < first + span->rows;
		}
		span->shift = shift, span->split = split;
	}
	// Behind the sort of the span.
	DEVICE void next() {
		first = span->first + span->rows, bucket = rest[0], lastBucket = rest[1], end = rest[2], flags = rest[3];
		sync_block(); // the stage is free
	}
};

template <int items, int binBits, bool wide> DEVICE void finish_span(const Buckets* b, const volatile Span* s) {
	typedef Finish<items, binBits, wide, true> Full;
	if (Full::is_full(s)) {
		Full(shared_memory(), s).sort(b);
	} else {
		Finish<items, binBits, wide, false>(shared_memory(), s).sort(b);
	}
}

template <int items, int binBits> DEVICE void finish_window(const Buckets* b) {
	WindowCutter<binBits> cutter(b, shared_memory());
	for (; cutter.more(); cutter.next()) {
		bool fits = cutter.cut(b);
		const volatile Span* s = cutter.span;
		if (s->rows == 0) continue;
		if (!fits) {
			if (thread_index() == 0) ((Range*)b->rest)[atomic_add(&((Verdict*)b->verdict)->rest, 1u)] = {s->first, s->first + s->rows};
		} else if (s->ties) {
			finish_span<items, binBits, true>(b, s);
		} else {
			finish_span<items, binBits, false>(b, s);
		}
	}
}

// finish sorts the buckets of a window, and writes row numbers.
KERNEL(finish, FINISH_THREADS, 4)(PARAMETER Buckets b) { finish_window<FINISH_ITEMS, FINISH_BIN_BITS>(&b); }
KERNEL(finish_small, FINISH_THREADS, 4)(PARAMETER Buckets b) { finish_window<SMALL_FINISH_ITEMS, SMALL_FINISH_BIN_BITS>(&b); }
