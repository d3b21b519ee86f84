#include "common/number.h"
#include "common/row_order.h"

const int STATISTICS_ITEMS = 8;

// Some rows of a lane: their ordered words, and a bit for each row that is a value and that is null.
template <class Word> struct Rows {
	Word word[STATISTICS_ITEMS];
	u32 values, nulls;

	DEVICE u32 class_of(int i) const { return values >> i & 1 ? CLASS_VALUE : nulls >> i & 1 ? CLASS_NULL : CLASS_NAN; }
};

// The range and the bits of the values so far, in words no longer than theirs.
template <class Word> struct ValueBits : Extent<Word> {
	Word any = 0, notAll = 0;

	DEVICE void add(Word x) {
		Extent<Word>::add(x);
		any |= x;
		notAll |= (Word)~x;
	}
};

// Reads a key column by its form.
struct KeyColumn {
	Field field;
	u64 rows, signBit;

	DEVICE KeyColumn(const Column* c, u64 n) : rows(n), signBit(c->signBit) { (Values&)field = *c; }
	DEVICE bool direct(u64 width) const {
		return field.width == width && field.stride == width &&
		       (field.form == FORM_INTEGER || field.form == FORM_FLOAT || field.form == FORM_RANK);
	}

	template <class Word> DEVICE void load_words(Rows<Word>& r, u64 first, bool any) const {
		UNROLL for (int i = 0; i < STATISTICS_ITEMS; i++) {
			u64 row = first + 32 * i + lane_index(), at = row < rows ? row : rows - 1;
			r.word[i] = any ? (field.form == FORM_NONE ? 0 : (Word)raw_value(&field, at))
			                : load((const Word*)field.values + at);
		}
	}

	// Items after the end are neither values nor nulls nor NaNs: their bits of inside are zero.
	template <class Word> DEVICE u32 load_rows(Rows<Word>& r, u64 first, bool any) const {
		load_words(r, first, any);
		u32 inside = 0;
		UNROLL for (int i = 0; i < STATISTICS_ITEMS; i++) inside |= (u32)(first + 32 * i + lane_index() < rows) << i;
		r.values = field.form == FORM_NONE ? 0 : inside & load_validity<STATISTICS_ITEMS>(&field, rows, first);
		r.nulls = inside & ~r.values;
		if (field.form == FORM_FLOAT) order_floats(r);
		if (field.form == FORM_RANK) order_ranks(r);
		UNROLL for (int i = 0; i < STATISTICS_ITEMS; i++) r.word[i] ^= (Word)signBit;
		return inside;
	}
	template <class Word> DEVICE void order_floats(Rows<Word>& r) const {
		Word sign = (Word)field.sign, infinity = (Word)field.infinity, mask = (Word)(2 * field.sign - 1);
		UNROLL for (int i = 0; i < STATISTICS_ITEMS; i++) {
			Word x = r.word[i];
			if (x & sign) x = (sign - x) & mask;
			if (((x + infinity) & mask) > 2 * infinity) r.values &= ~(1u << i);
			r.word[i] = x;
		}
	}
	template <class Word> DEVICE void order_ranks(Rows<Word>& r) const {
		UNROLL for (int i = 0; i < STATISTICS_ITEMS; i++) {
			u32 none = r.word[i] == 0 ? r.values & 1u << i : 0;
			r.values ^= none;
			r.nulls |= none;
			r.word[i]--;
		}
	}
};

// How rows stand to their predecessors. A lane's predecessor is the row of the preceding lane; the first lane loads it.
template <class Word> struct Order {
	bool descending, nullsAtStart, done = false;
	Steps steps;

	DEVICE int step(Word before, u32 beforeClass, Word word, u32 cls) const {
		if (before == word && beforeClass == cls) return 0;
		if (beforeClass != cls) return class_rank(cls, nullsAtStart) > class_rank(beforeClass, nullsAtStart) ? 1 : -1;
		if (cls != CLASS_VALUE) return 0;
		return (word > before) != descending ? 1 : -1;
	}
	DEVICE void add(const Rows<Word>& r, u32 inside, u64 first, Word before, u32 beforeClass) {
		UNROLL for (int i = 0; i < STATISTICS_ITEMS; i++) {
			u32 cls = r.class_of(i);
			Word last = shuffle_up(r.word[i], 1);
			u32 lastClass = shuffle_up(cls, 1);
			if (lane_index() == 0) last = before, lastClass = beforeClass;
			before = shuffle(r.word[i], 31);
			beforeClass = shuffle(cls, 31);
			if (inside >> i & 1 && first + 32 * i + lane_index() > 0) steps.add(step(last, lastClass, r.word[i], cls));
		}
		done = vote(steps.falls) != 0 && vote(steps.rises || steps.ties) != 0; // the order is decided
	}
};

// The sums of a warp, then of a block, then of the kernel.
struct Totals {
	u64 nulls, nans, notMin, max, any, notAll;

	DEVICE void join(const Totals& t) {
		nulls += t.nulls;
		nans += t.nans;
		notMin = t.notMin > notMin ? t.notMin : notMin;
		max = t.max > max ? t.max : max;
		any |= t.any;
		notAll |= t.notAll;
	}
};

// One thread of a block adds to out, since atomic operations on one word are serialized.
DEVICE void store_sums(const Totals& lane, Statistics* out) {
	Totals* warps = (Totals*)shared_memory();
	Totals t = {warp_sum(lane.nulls), warp_sum(lane.nans), warp_max(lane.notMin),
	            warp_max(lane.max),   warp_or(lane.any),   warp_or(lane.notAll)};
	if (lane_index() == 0) warps[warp_index()] = t;
	sync_block();
	if (thread_index() != 0) return;
	for (int w = 1; w < STREAM_THREADS / 32; w++) t.join(warps[w]);
	if (t.nulls) atomic_add(&out->nulls, t.nulls);
	if (t.nans) atomic_add(&out->nans, t.nans);
	atomic_max(&out->notMin[0], t.notMin);
	atomic_max(&out->max[0], t.max);
	atomic_or(&out->any, t.any);
	atomic_or(&out->notAll, t.notAll);
}

template <class Word> DEVICE void measure(const Column* c, u64 n, bool any, Statistics* out) {
	KeyColumn column(c, n);
	ValueBits<Word> seen;
	Order<Word> order = {c->descending != 0, c->nullsAtStart != 0};
	u64 nulls = 0, nans = 0, wideLow = 0; // the upper halves of short words are zero: their complements are not
	const u64 chunk = 32 * STATISTICS_ITEMS, warps = (u64)grid_blocks() * (STREAM_THREADS / 32);
	for (u64 first = ((u64)block_index() * (STREAM_THREADS / 32) + warp_index()) * chunk; first < n;
	     first += warps * chunk) {
		Rows<Word> r;
		u32 inside = column.load_rows(r, first, any);
		nulls += count_ones(r.nulls);
		nans += count_ones(inside & ~r.values & ~r.nulls);
		UNROLL for (int i = 0; i < STATISTICS_ITEMS; i++) {
			if (r.values >> i & 1) seen.add(r.word[i]);
		}
		if (order.done) continue;
		Rows<Word> before; // the preceding chunk, for its last row: only until the order is decided
		column.load_rows(before, first >= chunk ? first - chunk : 0, any);
		u32 beforeClass = shuffle(before.class_of(STATISTICS_ITEMS - 1), 31);
		order.add(r, inside, first, shuffle(before.word[STATISTICS_ITEMS - 1], 31), beforeClass);
	}
	if (sizeof(Word) == 4 && (seen.notLeast | seen.greatest) != 0) wideLow = ~0ull << 32;
	order.steps.store(out);
	store_sums({nulls, nans, wideLow | seen.notLeast, seen.greatest, seen.any, wideLow | seen.notAll}, out);
}

// The statistics of a key column in one read.
KERNEL(statistics, STREAM_THREADS, 3)(const Column* column, u64 n, Statistics* out) {
	KeyColumn c(column, n);
	if (c.direct(4)) measure<u32>(column, n, false, out);
	else measure<u64>(column, n, !c.direct(8), out);
}
