#include "window.h"

// The buckets of a window, taken together as far as a staged word has room for what tells them apart.
template <int binBits> struct WindowCutter {
	const u32* starts;
	u32 bucket, first, lastBucket, end, prefixBits, together;
	bool fits;

	DEVICE explicit WindowCutter(const Buckets* b) : starts((const u32*)b->starts) {
		const Range* w = (const Range*)b->windows + block_index();
		bucket = w[0].first, first = w[0].end, lastBucket = w[1].first, end = w[1].end;
		prefixBits = 32 - (u32)b->bits;
		int spare = binBits + 32 - (int)b->rowBits - (int)prefixBits; // bits of the bucket's number that fit too
		together = spare > 0 ? 1u << (spare < 16 ? spare : 16) : 1;
		fits = spare >= 0 && lastBucket - bucket <= 16 * together; // else there are many, nearly empty: not worth a turn each
	}
	DEVICE bool more() const { return bucket < lastBucket; }

	DEVICE Span next(u32 window) {
		u32 to = fits && lastBucket - bucket > together ? bucket + together : lastBucket;
		u32 until = to == lastBucket ? end : load(starts + to);
		if (until - first > window && to - bucket > 1) until = load(starts + --to); // the last bucket by itself
		u32 buckets = to - bucket, bits = prefixBits + (buckets > 1 ? 32 - count_leading_zeros(buckets - 1) : 0);
		Span s = {first, until - first, prefixBits < 32 ? bucket << prefixBits : 0, bits > binBits ? bits - binBits : 0};
		bucket = to;
		first = until;
		return s;
	}
};

template <int items, int binBits, bool wide> DEVICE bool finish_span(const Buckets* b, const Span& s) {
	typedef Finish<items, binBits, wide, true> Full;
	if (Full::is_full(s)) return Full(shared_memory()).sort(b, s);
	return Finish<items, binBits, wide, false>(shared_memory()).sort(b, s);
}

template <int items, int binBits, bool wide> DEVICE void finish_window(const Buckets* b) {
	Verdict* verdict = (Verdict*)b->verdict;
	if (!verdict->goOn) return;
	WindowCutter<binBits> cutter(b);
	while (cutter.more()) {
		Span s = cutter.next((u32)b->window);
		if (s.rows == 0) continue;
		bool done = cutter.fits && s.rows <= b->window && finish_span<items, binBits, wide>(b, s);
		if (!done && thread_index() == 0) ((Range*)b->rest)[atomic_add(&verdict->rest, 1u)] = {s.first, s.first + s.rows};
		sync_block(); // the stage is free
	}
}

// finish sorts the buckets of a window, and writes row numbers.
KERNEL(finish, FINISH_THREADS, 4)(const Buckets* b) { finish_window<FINISH_ITEMS, FINISH_BIN_BITS, false>(b); }
KERNEL(finish_wide, FINISH_THREADS, 4)(const Buckets* b) { finish_window<FINISH_ITEMS, FINISH_BIN_BITS, true>(b); }
KERNEL(finish_small, FINISH_THREADS, 4)(const Buckets* b) { finish_window<SMALL_FINISH_ITEMS, SMALL_FINISH_BIN_BITS, false>(b); }
KERNEL(finish_small_wide, FINISH_THREADS, 4)(const Buckets* b) { finish_window<SMALL_FINISH_ITEMS, SMALL_FINISH_BIN_BITS, true>(b); }
