// One read of a column: exact statistics, the rows of each bucket, and where rows of classes and heavy values are.
#pragma once
#include "buckets.h"

// How rows stand to their predecessors. Nothing is looked at any more when the order is known to be neither way.
template <class Word> struct Watch {
	bool nullsAtStart;
	bool rises = false, ties = false, falls = false, done = false;

	DEVICE int step(Word last, u32 lastClass, Word number, u32 cls) const {
		if (lastClass != cls) return class_rank(cls, nullsAtStart) > class_rank(lastClass, nullsAtStart) ? 1 : -1;
		return cls != CLASS_VALUE || number == last ? 0 : number > last ? 1 : -1;
	}
	DEVICE void add(int step) {
		rises |= step > 0;
		ties |= step == 0;
		falls |= step < 0;
	}
	// before: the row in front. A lane's first row of a group follows the last one of the lane below, or of the group before.
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

// What a lane has seen of the numbers.
template <class Word> struct Seen {
	Word notLeast = 0, greatest = 0, any = 0, notAll = 0;

	DEVICE void add(Word x) {
		Word complement = (Word)~x;
		notLeast = complement > notLeast ? complement : notLeast;
		greatest = x > greatest ? x : greatest;
		any |= x;
		notAll |= complement;
	}
};

// Shared memory of a block, behind the counters.
struct LookMemory {
	Map map;
	Verdict verdict;
	Partial partial;
	u32 less[HEAVY_VALUES];
	u32 last; // whether this is the last block

	DEVICE static LookMemory* of(u8* memory) { return (LookMemory*)memory; }
};
static_assert(sizeof(LookMemory) <= LOOK_HEAD, "room in front of the counters");

template <class Word, u32 threads> struct Looker {
	const Buckets* b;
	LookMemory* m;
	u32* counters; // two of 16 bits in a word; 0: nothing is counted
	Mapper map;
	u32 shift, nulls = 0, nans = 0;
	u64 n;
	Seen<Word> seen;
	Watch<Word> watch;

	DEVICE Looker(const Buckets* b, LookMemory* m, u32* counters)
	    : b(b), m(m), counters(counters), map(&m->map), shift(32 - (u32)b->bits), n(b->n),
	      watch{b->column.nullsAtStart != 0} {}

	DEVICE void run() {
		const Field* f = &b->field;
		Numbers<Word> numbers(f);
		const u64 step = (u64)grid_blocks() * (threads / 32) * CHUNK_ROWS;
		for (u64 first = ((u64)block_index() * (threads / 32) + warp_index()) * CHUNK_ROWS; first < n; first += step) chunk(f, numbers, first);
	}
	DEVICE void chunk(const Field* f, const Numbers<Word>& numbers, u64 first) {
		Chunk<Word> c;
		c.load(f, numbers, first, n);
		bool plain = vote(c.values != (1u << CHUNK_ITEMS) - 1) == 0;
		if (!watch.done) look_back(f, c, first, plain);
		if (plain) {
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) seen.add(c.number[i]);
		} else {
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
				if (c.values >> i & 1) seen.add(c.number[i]);
			}
			classes(c, first);
		}
		if (counters == nullptr) return;
		u32 records = c.values;
		if (map.heavies) records &= ~heavy(c, first);
		count(c, first, records);
	}
	DEVICE void look_back(const Field* f, const Chunk<Word>& c, u64 first, bool plain) {
		NumberedRow before(f, first > 0 ? first - 1 : 0);
		if (plain && before.cls == CLASS_VALUE) {
			watch.template add_rows<true>(c, first, (Word)before.number, CLASS_VALUE);
		} else {
			watch.template add_rows<false>(c, first, (Word)before.number, before.cls);
		}
	}
	DEVICE u32* class_count(u32 cls, u64 first) const {
		u32 tile = first_tile(b), tiles = (u32)((n + tile - 1) / tile);
		return (u32*)b->classCounts + cls * tiles + (u32)(first / tile);
	}
	DEVICE void classes(const Chunk<Word>& c, u64 first) {
		u32 mineNull = count_ones(c.nulls), mineNaN = count_ones(c.inside & ~c.values & ~c.nulls);
		nulls += mineNull, nans += mineNaN;
		if (counters == nullptr) return;
		u32 allNull = warp_add(mineNull), allNaN = warp_add(mineNaN);
		if (lane_index() != 0) return;
		if (allNull) atomic_add(class_count(CLASS_OF_NULL, first), allNull);
		if (allNaN) atomic_add(class_count(CLASS_OF_NAN, first), allNaN);
	}
	// Counts the heavy rows of a chunk, and those that are less; the items that are heavy.
	DEVICE u32 heavy(const Chunk<Word>& c, u64 first) {
		u32 items = 0;
		for (u32 k = 0; k < map.heavies; k++) {
			Word number = (Word)m->map.heavy[k].number;
			u32 equal = 0, less = 0;
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
				equal |= (u32)(c.number[i] == number) << i;
				less |= (u32)(c.number[i] < number) << i;
			}
			equal &= c.values;
			items |= equal;
			u32 both = warp_add(count_ones(equal) << 16 | count_ones(less & c.values));
			if (lane_index() != 0) continue;
			if (both >> 16) atomic_add(class_count(k, first), both >> 16);
			if (both & 0xffff) atomic_add(m->less + k, both & 0xffff);
		}
		return items;
	}
	// Rows of sorted keys share a bucket: one lane adds them all.
	DEVICE void count(const Chunk<Word>& c, u64 first, u32 records) {
		u32 bucket[CHUNK_ITEMS], other = 0;
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) bucket[i] = map.prefix(c.number[i], (u32)first + Chunk<Word>::place(i)) >> shift;
		u32 one = shuffle(bucket[0], 0);
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) other |= bucket[i] ^ one;
		if (vote(other || records != (1u << CHUNK_ITEMS) - 1) == 0) {
			if (lane_index() == 0) atomic_add(counters + one / 2, CHUNK_ROWS << one % 2 * 16);
			return;
		}
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
			if (records >> i & 1) atomic_add(counters + bucket[i] / 2, 1u << bucket[i] % 2 * 16);
		}
	}

	// Adds the block up. The counters are not needed any more.
	DEVICE void store(u64* warps) {
		const u32 words = 6;
		u64 high = sizeof(Word) == 4 && (seen.notLeast | seen.greatest) ? ~0ull << 32 : 0; // the upper halves of short numbers are zero
		u64 mine[words] = {high | seen.notLeast, seen.greatest, seen.any, high | seen.notAll, nulls, nans};
		u32 steps = (u32)(vote(watch.rises) != 0) | (u32)(vote(watch.ties) != 0) << 1 | (u32)(vote(watch.falls) != 0) << 2;
		UNROLL for (u32 k = 0; k < words; k++) {
			u64 x = k < 2 ? warp_max(mine[k]) : k < 4 ? warp_or(mine[k]) : warp_add((u32)mine[k]);
			if (lane_index() == 0) warps[warp_index() * (words + 1) + k] = x;
		}
		if (lane_index() == 0) warps[warp_index() * (words + 1) + words] = steps;
		sync_block();
		if (warp_index() != 0) return;
		u64 all[words + 1];
		UNROLL for (u32 k = 0; k <= words; k++) {
			u64 x = lane_index() < threads / 32 ? warps[lane_index() * (words + 1) + k] : 0;
			all[k] = k < 2 ? warp_max(x) : k < 4 || k == words ? warp_or(x) : warp_sum(x);
		}
		Partial* p = (Partial*)b->partials + block_index();
		if (lane_index() < HEAVY_VALUES) p->less[lane_index()] = m->less[lane_index()];
		if (lane_index() != 0) return;
		p->notLeast = all[0], p->greatest = all[1], p->any = all[2], p->notAll = all[3], p->nulls = all[4], p->nans = all[5];
		p->rises = all[6] & 1, p->ties = all[6] >> 1 & 1, p->falls = all[6] >> 2;
	}
};

// Adds the counters of a block to those of all.
template <u32 threads> DEVICE void flush(const Buckets* b, const u32* counters) {
	for (u32 i = thread_index(); i < 1u << b->bits >> 1; i += threads) {
		u32 two = counters[i];
		if (two) atomic_add((u64*)b->counts + i, (u64)(two >> 16) << 32 | (two & 0xffff));
	}
}

template <class Word, u32 threads> DEVICE void look_at(const Buckets* b, LookMemory* m, u32* counters) {
	Looker<Word, threads> looker(b, m, m->verdict.why == WHY_NOT ? counters : nullptr);
	looker.run();
	sync_block();
	if (m->verdict.why == WHY_NOT) flush<threads>(b, counters);
	sync_block();
	looker.store((u64*)counters);
}

template <u32 threads> DEVICE void look_at_column(const Buckets* b, LookMemory* m, u32* counters) {
	for (u32 i = thread_index(); i < 1u << b->bits >> 1; i += threads) counters[i] = 0;
	if (thread_index() < HEAVY_VALUES) m->less[thread_index()] = 0;
	sync_block();
	if (b->field.width == 4) {
		look_at<u32, threads>(b, m, counters);
	} else {
		look_at<u64, threads>(b, m, counters);
	}
}
