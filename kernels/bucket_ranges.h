// Cuts a window of the finish into spans, and makes ready what their sort needs to know.
#pragma once
#include "window.h"

// What verdict and map say; loaded with the window, since each wait for memory counts where rows are few.
struct SpanFlags {
	static const u32 GO = 1, BELOW = 2, ABOVE = 4, TIES = 8, CLASSES_TOO = 16, IMPLIED = 32; // IMPLIED: records leave out what the first pass tells

	DEVICE static u32 of(const Buckets& b) {
		const Verdict* v = (const Verdict*)b.verdict;
		const Map* m = (const Map*)b.numberMap;
		u32 go = v->goOn, below = v->below, above = v->above, records = v->records;
		u32 implied = implied_bits(b, m), rowBits = (u32)b.rowBits > TILE_ROW_BITS + implied ? (u32)b.rowBits : TILE_ROW_BITS + implied; // of a record
		bool exact = m->narrow || (m->right + rowBits <= 32 + implied && !m->floating);                                                 // the code tells all
		return (go ? GO : 0) | (implied ? IMPLIED : 0) | (below ? BELOW : 0) | (above ? ABOVE : 0) | (records != b.n ? CLASSES_TOO : 0) | (exact ? 0 : TIES);
	}
};

// The bits of a prefix behind the bucket, as they lie in a record's leading word: in front of them are those that it leaves out.
DEVICE u32 prefix_bits(const Buckets& b, u32 flags) { return 32 - (u32)b.bits + (flags & SpanFlags::IMPLIED ? (u32)b.firstBits : 0); }

// Describes the span of some buckets; by one thread. The sort by so many bits first leaves bits for the words. All is modulo 2^32, so that
// records need not have the bits of a prefix in front of those in which the buckets differ.
DEVICE void describe(const Buckets& b, volatile Span* s, u32 flags, u32 bucket, u32 to, u32 first, u32 end, u32 binBits, u32 wordBits) {
	u32 prefixBits = prefix_bits(b, flags), buckets = to - bucket, bits = prefixBits + (buckets > 1 ? 32 - count_leading_zeros(buckets - 1) : 0);
	u32 binShift = bits > binBits ? bits - binBits : 0;
	const Map* map = (const Map*)b.numberMap;
	s->first = first, s->rows = end - first;
	s->low = bucket << prefixBits, s->binShift = binShift;
	u32 low = bucket << (32 - b.bits), last = low + ((buckets << (32 - b.bits)) - 1);
	bool tells = map->floating && (last < map->lossyLow || low > map->lossyHigh); // equal floats alone tie
	bool outside = (flags & SpanFlags::BELOW && bucket == 0) || (flags & SpanFlags::ABOVE && to == 1u << b.bits) || binShift > wordBits;
	s->ties = outside ? TIES_ANYWHERE : flags & SpanFlags::TIES && !tells ? TIES_NEAR_ZERO : 0;
	// Rows of classes that sort before.
	u32 shift = 0, split = 0;
	if (flags & SpanFlags::CLASSES_TOO) {
		ROLLED for (u32 k = 0; k < CLASSES; k++) {
			const Heavy& h = map->heavy[k];
			if (h.rows == 0) continue;
			if (h.before <= first) shift += h.rows;
			else split |= h.before < end;
		}
	}
	s->shift = shift, s->split = split;
}

// The buckets of a window, taken together as far as a staged word has room for what tells them apart. What the sort of a span does not
// need is kept in shared memory.
template <class Finish, bool wide> struct WindowCutter {
	const Buckets& b;
	volatile Span* span;
	volatile u32* rest; // the next bucket, the last one, the end of the window, and the flags
	u32 bucket, first, lastBucket, end, flags;

	DEVICE WindowCutter(const Buckets& b, u8* memory) : b(b), span((volatile Span*)memory), rest((volatile u32*)memory + sizeof(Span) / 4) {
		const Range* window = (const Range*)b.windows + block_index();
		bucket = window[0].first, first = window[0].end, lastBucket = window[1].first, end = window[1].end;
		flags = SpanFlags::of(b);
	}
	DEVICE bool more() const { return flags & SpanFlags::GO && bucket < lastBucket; }

	// Returns whether the span is for the finish: not if it is too large, nor if the window has very many, nearly empty buckets,
	// which are not worth a turn each, nor if rows of short words tie, but for floats near zero.
	DEVICE bool cut() {
		u32 most = (u32)b.window, prefixBits = prefix_bits(b, flags), binBits = Finish::bitsOfBins, wordBits = 32 - (wide ? (u32)Finish::indexBits : (u32)b.rowBits);
		int spare = (int)(binBits + wordBits) - (int)prefixBits; // bits of the bucket's number that fit too
		u32 room = spare > 0 ? 1u << (spare < 16 ? spare : 16) : 1, together = 1;
		while (together < room && (b.n >> b.bits) * together * 2 <= most) together *= 2; // as many as fit into most windows
		u32 limit = apart(16 * together);
		bool all = limit == lastBucket;
		if (limit - bucket > 2 * together) trim(limit);
		if (all) lastBucket = limit;
		if (limit - bucket > 16 * together) together = room;
		bool fits = spare >= 0 && limit - bucket <= 16 * together;
		u32 to = fits && limit - bucket > together ? bucket + together : limit, until = to == lastBucket ? end : start(to);
		if (until - first > most && to - bucket > 1) until = start(--to); // the last bucket by itself
		if (thread_index() == 0) {
			describe(b, span, flags, bucket, to, first, until, binBits, wordBits);
			rest[0] = to, rest[1] = lastBucket, rest[2] = end, rest[3] = flags | bucket << 8;
		}
		sync_block();
		return fits && until - first <= most && (wide || !span->ties || (span->ties == TIES_NEAR_ZERO && b.field.width == 4));
	}
	// Where to end before the last bucket: numbers that no sample has foreseen, in the first bucket of all and in the last one, are far from
	// the others, and would stretch the span of a window that has many buckets.
	DEVICE u32 apart(u32 many) const {
		if (lastBucket - bucket <= many) return lastBucket;
		if (flags & SpanFlags::BELOW && bucket == 0) return 1;
		return lastBucket - (flags & SpanFlags::ABOVE && lastBucket == 1u << b.bits);
	}
	// Leaves out empty buckets at both ends.
	DEVICE void trim(u32& limit) {
		u32 *ends = (u32*)rest + 4, skip = 0, to = bucket; // the first are counted from the end, so that they have a maximum too
		if (thread_index() == 0) ends[0] = 0, ends[1] = bucket;
		sync_block();
		for (u32 k = bucket + thread_index(); k < limit; k += Finish::threads) {
			if (start(k) == start(k + 1)) continue;
			if (skip == 0) skip = limit - k;
			to = k + 1;
		}
		atomic_max(ends, skip), atomic_max(ends + 1, to);
		sync_block();
		bucket = limit - ends[0];
		if (ends[0]) limit = ends[1];
		sync_block();
	}
	DEVICE u32 start(u32 bucket) const { return load((const u32*)b.starts + bucket); }

	// Leaves a span to finish_rest.
	DEVICE void leave() const {
		if (thread_index() == 0) ((Range*)b.rest)[atomic_add(&((Verdict*)b.verdict)->rest, 1u)] = {rest[3] >> 8, rest[0]};
	}
	// Behind the sort of the span.
	DEVICE void next() {
		first = span->first + span->rows, bucket = rest[0], lastBucket = rest[1], end = rest[2], flags = rest[3] & 0xff;
		sync_block(); // the stage is free
	}
};
