// Divides the buckets of a block into ranges that the bucket sort sorts at once, and describes them.
#pragma once
#include "bucketsort/bin_sorter.h"

// Flags of decision and map. They are loaded with the range, since for few rows each wait for memory counts.
struct RangeFlags {
	static const u32 GO = 1, BELOW = 2, ABOVE = 4, TIES = 8, CLASSES_TOO = 16,
	                 IMPLIED = 32, // records leave out the bits that the bin of the first pass implies
	                 RESTS = 64;   // Map.rests

	DEVICE static u32 of(const Buckets& b) {
		const Decision* v = (const Decision*)b.decision;
		const Map* m = (const Map*)b.numberMap;
		u32 go = v->accepted, below = v->below, above = v->above, records = v->records;
		u32 implied = implied_bits(b, m), least = TILE_ROW_BITS + implied,
		    rowBits = (u32)b.rowBits > least ? (u32)b.rowBits : least; // of a record
		bool exact = m->narrow || // the code is exact
		             (m->right + rowBits <= 32 + implied && !m->floating && !m->equalized && !m->rests);
		return (go ? GO : 0) | (implied ? IMPLIED : 0) | (below ? BELOW : 0) | (above ? ABOVE : 0) |
		       (records != b.n ? CLASSES_TOO : 0) | (exact ? 0 : TIES) | (m->rests ? RESTS : 0);
	}
	// The same for records that are numbers: they are whole, and rows that tie are alike.
	DEVICE static u32 of_values(const Buckets& b) {
		const Decision* v = (const Decision*)b.decision;
		u32 go = v->accepted, below = v->below, above = v->above, records = v->records;
		return (go ? GO : 0) | (below ? BELOW : 0) | (above ? ABOVE : 0) | (records != b.n ? CLASSES_TOO : 0);
	}
	template <class BinSorter> DEVICE static u32 of(const Buckets& b) {
		return BinSorter::valuesOnly ? of_values(b) : of(b);
	}
};

// The bits of a prefix after the bucket, as they lie in the leading word of a record. Bits that the record leaves out
// would precede them.
DEVICE u32 prefix_bits(const Buckets& b, u32 flags) {
	return 32 - (u32)b.bits + (flags & RangeFlags::IMPLIED ? (u32)b.firstBits : 0);
}

// Describes the range of some buckets; by one thread. The sort by binBits leaves wordBits for the words. Arithmetic is
// modulo 2^32, so that records need not have the bits of a prefix that precede those in which the buckets differ.
DEVICE void describe(const Buckets& b, volatile BucketRange* s, u32 flags, u32 bucket, u32 to, u32 first, u32 end,
                     u32 binBits, u32 wordBits) {
	u32 prefixBits = prefix_bits(b, flags), buckets = to - bucket,
	    bits = prefixBits + (buckets > 1 ? 32 - count_leading_zeros(buckets - 1) : 0);
	u32 binShift = bits > binBits ? bits - binBits : 0;
	const Map* map = (const Map*)b.numberMap;
	s->first = first, s->in = b.page ? bucket * (u32)b.page : first, s->rows = end - first;
	s->low = bucket << prefixBits, s->binShift = binShift;
	u32 low = bucket << (32 - b.bits), last = low + ((buckets << (32 - b.bits)) - 1);
	bool exactFloats = map->floating && (last < map->lossyLow || low > map->lossyHigh); // only equal floats tie
	bool outside = (flags & RangeFlags::BELOW && bucket == 0) || (flags & RangeFlags::ABOVE && to == 1u << b.bits) ||
	               binShift > wordBits;
	s->ties = (outside ? TIES_ANYWHERE : flags & RangeFlags::TIES && !exactFloats ? TIES_NEAR_ZERO : 0) |
	          (flags & RangeFlags::RESTS ? TIES_OF_NUMBERS : 0);
	// Rows of classes that sort before the range.
	u32 shift = 0, split = 0;
	if (flags & RangeFlags::CLASSES_TOO) {
		ROLLED for (u32 k = 0; k < CLASSES; k++) {
			const Heavy& h = map->heavy[k];
			if (h.rows == 0) continue;
			if (h.before <= first) shift += h.rows;
			else split |= h.before < end;
		}
	}
	s->shift = shift, s->split = split;
}

// The bucket ranges of a block: as many buckets each as a staged word distinguishes. The state that a sort does not
// need is kept in shared memory.
template <class BinSorter> struct BucketRanges {
	static const bool wide = BinSorter::isWide;

	const Buckets& b;
	volatile BucketRange* range;
	volatile u32* state; // the next bucket, the end of the buckets, the end of the places, and the flags
	u32 bucket, first, lastBucket, end, flags;

	DEVICE BucketRanges(const Buckets& b, u8* memory)
	    : b(b), range((volatile BucketRange*)memory), state((volatile u32*)memory + sizeof(BucketRange) / 4) {
		// The last parts come first, then those from the first one on: at both ends are often few rows, in many ranges.
		const u32 turned = block_index() + grid_blocks() - grid_blocks() / 16,
		          place = turned < grid_blocks() ? turned : turned - grid_blocks();
		const Range* part = (const Range*)b.ranges + place;
		bucket = part[0].first, first = part[0].end, lastBucket = part[1].first, end = part[1].end;
		flags = RangeFlags::of<BinSorter>(b);
	}
	DEVICE bool more() const { return flags & RangeFlags::GO && bucket < lastBucket; }

	// Takes the next range. Returns false if it is not for this kernel: a range that is too large; very many, nearly
	// empty buckets, which would take a turn each; short words that tie, but for floats near zero.
	DEVICE bool cut() {
		u32 most = b.page ? (u32)b.page : BUCKET_RANGE_ROWS, prefixBits = prefix_bits(b, flags),
		    binBits = BinSorter::bitsOfBins,
		    wordBits = 32 - (BinSorter::valuesOnly ? 0 : wide ? (u32)BinSorter::indexBits : (u32)b.rowBits);
		int spare = (int)(binBits + wordBits) - (int)prefixBits; // bits of the bucket number that fit too
		u32 room = spare > 0 && !b.page ? 1u << (spare < 16 ? spare : 16) : 1, merged = 1; // a page at a time
		while (merged < room && (b.n >> b.bits) * merged * 2 <= most) merged *= 2; // as most ranges have rows for
		u32 limit = limit_without_outliers(16 * merged);
		bool all = limit == lastBucket;
		if (limit - bucket > 2 * merged) trim(limit);
		if (all) lastBucket = limit;
		if (limit - bucket > 16 * merged) merged = room;
		bool fits = spare >= 0 && limit - bucket <= 16 * merged;
		u32 to = fits && limit - bucket > merged ? bucket + merged : limit, until = to == lastBucket ? end : start(to);
		if (until - first > most && to - bucket > 1) until = start(--to); // the last bucket by itself
		if (thread_index() == 0) {
			describe(b, range, flags, bucket, to, first, until, binBits, wordBits);
			state[0] = to, state[1] = lastBucket, state[2] = end, state[3] = flags | bucket << 8;
		}
		sync_block();
		return fits && until - first <= most &&
		       (wide || BinSorter::valuesOnly || !range->ties ||
		        (range->ties == TIES_NEAR_ZERO && b.field.width == 4));
	}
	// Excludes the last bucket, or ends after the first, if numbers out of the sampled range can be there: these are
	// far from the others, and would stretch a range of many buckets.
	DEVICE u32 limit_without_outliers(u32 job) const {
		if (lastBucket - bucket <= job) return lastBucket;
		if (flags & RangeFlags::BELOW && bucket == 0) return 1;
		return lastBucket - (flags & RangeFlags::ABOVE && lastBucket == 1u << b.bits);
	}
	// Excludes empty buckets at both ends.
	DEVICE void trim(u32& limit) {
		// skip: the first bucket, counted from the end, so that atomic_max finds it too.
		u32 *ends = (u32*)state + 4, skip = 0, to = bucket;
		if (thread_index() == 0) ends[0] = 0, ends[1] = bucket;
		sync_block();
		for (u32 k = bucket + thread_index(); k < limit; k += BinSorter::threads) {
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

	// Defers the range to bucket_sort_large.
	DEVICE void defer() const {
		if (thread_index() == 0)
			((Range*)b.list)[atomic_add(&((Decision*)b.decision)->listed, 1u)] = {state[3] >> 8, state[0]};
	}
	// Called after the sort of a range.
	DEVICE void next() {
		first = range->first + range->rows, bucket = state[0], lastBucket = state[1], end = state[2],
		flags = state[3] & 0xff;
		sync_block(); // the stage is free
	}
};
