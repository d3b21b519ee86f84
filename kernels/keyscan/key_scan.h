// One read of a column: exact statistics, the rows of each bucket, and the rows of classes in each tile.
#pragma once
#include "sample/buckets.h"

// How rows stand to their predecessors. Checks end when some rows rise or tie and some fall.
template <class Word> struct OrderTracker : Steps {
	bool nullsAtStart, done = false;

	DEVICE explicit OrderTracker(bool nullsAtStart) : nullsAtStart(nullsAtStart) {}
	DEVICE int step(Word last, u32 lastClass, Word number, u32 cls) const {
		if (cls == lastClass && cls != CLASS_VALUE) return 0;
		return step_between(class_rank(lastClass, nullsAtStart), last, class_rank(cls, nullsAtStart), number);
	}
	// before: the preceding row. The first row of a lane's group follows the last row of the preceding lane, or of the
	// preceding group.
	template <bool plain> DEVICE void add_rows(const Chunk<Word>& c, u64 first, Word before, u32 beforeClass) {
		const int vector = Chunk<Word>::vector;
		UNROLL for (int g = 0; g < CHUNK_ITEMS; g += vector) {
			Word below = shuffle_up(c.number[g + vector - 1], 1);
			u32 belowClass = plain ? CLASS_VALUE : shuffle_up(c.class_of(g + vector - 1), 1);
			if (lane_index() == 0) below = before, belowClass = beforeClass;
			before = shuffle(c.number[g + vector - 1], 31);
			if (!plain) beforeClass = shuffle(c.class_of(g + vector - 1), 31);
			UNROLL for (int i = g; i < g + vector; i++) {
				Word last = i > g ? c.number[i - 1] : below;
				if (plain && (i > 0 || lane_index() > 0 || first > 0)) { // one instruction each
					rises |= c.number[i] > last;
					ties |= c.number[i] == last;
					falls |= c.number[i] < last;
				} else if (!plain && c.inside >> i & 1 && first + Chunk<Word>::place(i) > 0) {
					add(step(last, i > g ? c.class_of(i - 1) : belowClass, c.number[i], c.class_of(i)));
				}
			}
		}
		done = vote(falls) != 0 && vote(rises || ties) != 0;
	}
};

// Statistics of the numbers of a lane.
template <class Word> struct NumberStatistics {
	Word least = (Word)~(Word)0, greatest = 0, any = 0, all = (Word)~(Word)0;

	DEVICE void add(Word x) {
		least = x < least ? x : least;
		greatest = x > greatest ? x : greatest;
		any |= x;
		all &= x;
	}
	DEVICE void add(const NumberStatistics& s) {
		least = s.least < least ? s.least : least;
		greatest = s.greatest > greatest ? s.greatest : greatest;
		any |= s.any;
		all &= s.all;
	}
};

// Adjacent chunks of a warp, if there are enough rows for all warps.
const u32 KEY_SCAN_GROUP = 4, KEY_SCAN_GROUP_ROWS = 1 << 23;
static_assert(PARTITION_TILE % (KEY_SCAN_GROUP * CHUNK_ROWS) == 0 &&
                  PARTITION_ONLY_TILE % (KEY_SCAN_GROUP * CHUNK_ROWS) == 0, "a group is in one tile");

// Shared memory of a block, before the counters.
struct KeyScanMemory {
	static const u32 words = 5; // of statistics of a warp

	Map map;
	Decision decision;
	PartialStatistics seen; // of all blocks
	u32 less[HEAVY_VALUES], nulls, nans;
	u32 last; // whether this is the last block
	u32 unordered; // whether the sample has found rows that rise, or tie, and rows that fall
	u32 sums[36];
	u64 warps[KEY_SCAN_THREADS / 32 * words];

	DEVICE static KeyScanMemory* of(u8* memory) { return (KeyScanMemory*)memory; }
	DEVICE u32* counters() { return (u32*)((u8*)this + KEY_SCAN_HEADER); } // two of 16 bits in a word
};
static_assert(sizeof(KeyScanMemory) <= KEY_SCAN_HEADER, "it fits before the counters");

// A KeyScan is the work of one thread. Rows are read in chunks. If there are many rows of classes, a warp reads groups
// of adjacent chunks, which lie in one tile of the partition. Plain columns have values only, none of them heavy.
template <class Rows, bool plainColumn> struct KeyScan {
	typedef typename Rows::Word Word;
	const Buckets* b;
	KeyScanMemory* m;
	u32 shift, heavies, group;
	u32 mine = 0, less = 0; // of a lane: rows of its class in the group so far; rows less than its heavy value
	bool counts, classes; // buckets, rows of classes
	NumberStatistics<Word> seen;
	OrderTracker<Word> order;

	DEVICE explicit KeyScan(const Buckets* b)
	    : b(b), m(KeyScanMemory::of(shared_memory())), shift(32 - (u32)b->bits), heavies((u32)m->map.heavies),
	      group(b->n >= KEY_SCAN_GROUP_ROWS && (heavies || b->field.validity) ? KEY_SCAN_GROUP : 1),
	      counts(m->decision.reason == REASON_NONE), classes(counts || m->decision.split),
	      order(b->column.nullsAtStart != 0) {
		order.done = m->unordered != 0;
	}

	DEVICE bool ends_group(u32 first) const { return ((first / CHUNK_ROWS + 1) & (group - 1)) == 0; }
	DEVICE u32 next_chunk(u32 first) const {
		if (plainColumn) return first + grid_blocks() * KEY_SCAN_THREADS * CHUNK_ITEMS;
		return first + CHUNK_ROWS +
		       (ends_group(first) ? (grid_blocks() * (KEY_SCAN_THREADS / 32) - 1) * group * CHUNK_ROWS : 0);
	}
	// The values of the next chunk are loaded while those of one are processed, if there are registers for both.
	template <class Prefix> DEVICE void run(const Prefix& prefix) {
		const bool ahead = sizeof(Word) == 4;
		const Field* f = &b->field;
		const Word* values = (const Word*)f->values;
		Numbers<Word> numbers(f);
		const bool nullable = !plainColumn && f->validity != 0;
		const u32 n = (u32)b->n;
		u32 first = (block_index() * (KEY_SCAN_THREADS / 32) + warp_index()) * (plainColumn ? 1 : group) * CHUNK_ROWS;
		Chunk<Word> next;
		Word before = 0; // the value preceding the next chunk
		auto fetch = [&](u32 at) {
			next.load(values, at, n);
			if (!order.done && at > 0) before = load(values + at - 1);
		};
		if (ahead && first < n) fetch(first);
		while (first < n) {
			Chunk<Word> c = next;
			Word last = before;
			u32 then = next_chunk(first);
			if (!ahead) c.load(values, first, n);
			else if (then < n) fetch(then);
			c.settle(f, nullable, numbers, first, n);
			bool plain = plainColumn ? n - first >= CHUNK_ROWS : vote(c.values != ALL_ITEMS) == 0;
			if (ahead && !order.done && plain && (plainColumn || (numbers.simple() && !nullable))) {
				order.template add_rows<true>(c, first, last ^ numbers.flip, CLASS_VALUE);
			} else if (!order.done) {
				track_order(f, c, first, plain);
			}
			scan_chunk(c, first, plain, prefix);
			if (!plainColumn && (ends_group(first) || then >= n)) add_classes(first);
			first = then;
		}
		store(false);
	}
	DEVICE void end_chunk(u32& first, u32 n) {
		u32 then = next_chunk(first);
		if (!plainColumn && (ends_group(first) || then >= n)) add_classes(first);
		first = then;
	}
	template <class Prefix> DEVICE void scan_chunk(const Chunk<Word>& c, u32 first, bool plain, const Prefix& prefix) {
		if (plain) {
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) seen.add(c.number[i]);
		} else {
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
				if (c.values >> i & 1) seen.add(c.number[i]);
			}
			u32 nulls = warp_add(count_ones(c.nulls)), nans = warp_add(count_ones(c.inside & ~c.values & ~c.nulls));
			mine += lane_index() == CLASS_OF_NULL ? nulls : lane_index() == CLASS_OF_NAN ? nans : 0;
		}
		if (!classes) return;
		u32 records = c.values;
		if (!plainColumn && heavies) {
			records &= ~heavy(c);
			plain = vote(records != ALL_ITEMS) == 0;
		}
		if (counts) count(c, first, records, plain, prefix);
	}
	DEVICE void track_order(const Field* f, const Chunk<Word>& c, u32 first, bool plain) {
		NumberedRow before = Rows::at(f, first > 0 ? first - 1 : 0);
		if (plain && before.cls == CLASS_VALUE) {
			order.template add_rows<true>(c, first, (Word)before.number, CLASS_VALUE);
		} else {
			order.template add_rows<false>(c, first, (Word)before.number, before.cls);
		}
	}
	// Finds the heavy rows of a chunk, and counts those that are less; returns the items that are heavy.
	DEVICE u32 heavy(const Chunk<Word>& c) {
		u32 items = 0;
		ROLLED for (u32 k = 0; k < heavies; k++) {
			Word number = (Word)m->map.heavy[k].number;
			u32 equal = 0, below = 0;
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
				equal |= (u32)(c.number[i] == number) << i;
				below |= (u32)(c.number[i] < number) << i;
			}
			equal &= c.values;
			items |= equal;
			u32 both = warp_add(count_ones(equal) << 16 | count_ones(below & c.values));
			if (lane_index() == k) mine += both >> 16, less += both & 0xffff;
		}
		return items;
	}
	// Adds the counts of class rows of the group that contains a row.
	DEVICE void add_classes(u32 first) {
		if (mine == 0) return;
		u32 cls = lane_index(), tile = first_tile(b), tiles = ((u32)b->n + tile - 1) / tile;
		if (cls == CLASS_OF_NULL) atomic_add(&m->nulls, mine);
		if (cls == CLASS_OF_NAN) atomic_add(&m->nans, mine);
		if (classes) atomic_add((u32*)b->classCounts + cls * tiles + first / tile, mine);
		mine = 0;
	}
	template <class Prefix>
	DEVICE void count(const Chunk<Word>& c, u32 first, u32 records, bool plain, const Prefix& prefix) {
		u32 bucket[CHUNK_ITEMS];
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++)
			bucket[i] = prefix(c.number[i], first + Chunk<Word>::place(i)) >> shift;
		if (plain) {
			count_all(m->counters(), bucket);
		} else {
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
				if (records >> i & 1) atomic_add(m->counters() + bucket[i] / 2, in_counter(bucket[i]));
			}
		}
	}
	DEVICE static u32 in_counter(u32 bucket) { return 1 + (bucket & 1) * 65535; }
	// Rows of sorted keys share a bucket: one lane adds them all.
	DEVICE static void count_all(u32* counters, const u32* bucket) {
		if (vote(bucket[0] != bucket[CHUNK_ITEMS - 1]) == 0) {
			u32 one = shuffle(bucket[0], 0), other = 0;
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) other |= bucket[i] ^ one;
			if (vote(other) == 0) {
				if (lane_index() == 0) atomic_add(counters + one / 2, CHUNK_ROWS * in_counter(one));
				return;
			}
		}
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) atomic_add(counters + bucket[i] / 2, in_counter(bucket[i]));
	}

	// Stores the statistics of the warp, for join; with more, combines them with those stored before.
	DEVICE void store(bool outside, bool more = false) {
		// The upper halves of short numbers are zero, those of their complements are not.
		u64 high = sizeof(Word) == 4 && seen.least <= seen.greatest ? ~0ull << 32 : 0;
		u64 notLeast = warp_max(high | (Word)~seen.least), greatest = warp_max(seen.greatest), any = warp_or(seen.any),
		    notAll = warp_or(high | (Word)~seen.all);
		u32 steps = (u32)(vote(order.rises) != 0) | (u32)(vote(order.ties) != 0) << 1 |
		            (u32)(vote(order.falls) != 0) << 2 | (u32)(vote(outside) != 0) << 3;
		if (!plainColumn && less) atomic_add(m->less + lane_index(), less);
		if (lane_index() != 0) return;
		u64* w = m->warps + warp_index() * KeyScanMemory::words;
		if (more)
			notLeast = notLeast > w[0] ? notLeast : w[0], greatest = greatest > w[1] ? greatest : w[1], any |= w[2],
			notAll |= w[3], steps |= (u32)w[4];
		w[0] = notLeast, w[1] = greatest, w[2] = any, w[3] = notAll, w[4] = steps;
	}
};

// Combines the statistics of a block's warps with those of all blocks; by one warp.
DEVICE void join(const Buckets* b, const KeyScanMemory* m) {
	PartialStatistics* p = (PartialStatistics*)b->partial;
	const u64* w = m->warps + lane_index() * KeyScanMemory::words;
	const bool mine = lane_index() < KEY_SCAN_THREADS / 32;
	u64 notLeast = warp_max(mine ? w[0] : 0), greatest = warp_max(mine ? w[1] : 0), any = warp_or(mine ? w[2] : 0),
	    notAll = warp_or(mine ? w[3] : 0);
	u32 steps = (u32)warp_or(mine ? w[4] : 0);
	u32 k = lane_index();
	if (k < HEAVY_VALUES && m->less[k]) atomic_add(p->less + k, (u64)m->less[k]);
	if (k == 0) atomic_max(&p->notLeast, notLeast);
	if (k == 1) atomic_max(&p->greatest, greatest);
	if (k == 2) atomic_or(&p->any, any);
	if (k == 3) atomic_or(&p->notAll, notAll);
	if (k == 4 && m->nulls) atomic_add(&p->nulls, (u64)m->nulls);
	if (k == 5 && m->nans) atomic_add(&p->nans, (u64)m->nans);
	if (k >= 6 && k < 10 && steps >> (k - 6) & 1) atomic_or(&p->rises + (k - 6), 1);
}

// Adds the bucket counters of a block to those of all blocks.
DEVICE void flush(const Buckets* b, const u32* counters) {
	for (u32 i = thread_index(); i < 1u << b->bits >> 1; i += KEY_SCAN_THREADS) {
		u32 two = counters[i];
		if (two) atomic_add((u64*)b->counts + i, (u64)(two >> 16) << 32 | (two & 0xffff));
	}
}
