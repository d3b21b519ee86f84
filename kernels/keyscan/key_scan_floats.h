// The key scan of floats that are mapped by their values. When their order is decided no numbers are computed: buckets
// come from the values, and statistics from their patterns.
#pragma once
#include "keyscan/key_scan.h"
#include "sample/equalizer.h"

DEVICE u32 high_word(u32 x) { return x; }
DEVICE u32 high_word(u64 x) { return (u32)(x >> 32); }

// Statistics of the floats of a lane. Of doubles only the high words: the least and the greatest are bounds for any low
// word, and any bit may vary but those that are zero in all doubles.
template <class Word> struct FloatStatistics {
	int top = (int)0x80000000u;    // the greatest pattern, as a signed number: of the positive floats if there are any
	u32 far = 0, near = ~0u; // unsigned: the greatest, of the negative floats if there are any, and the least
	Word any = 0;

	DEVICE void add(Word x) {
		u32 high = high_word(x);
		top = (int)high > top ? (int)high : top;
		far = high > far ? high : far;
		near = high < near ? high : near;
		any |= x;
	}
	DEVICE void add(const FloatStatistics& s) {
		top = s.top > top ? s.top : top;
		far = s.far > far ? s.far : far;
		near = s.near < near ? s.near : near;
		any |= s.any;
	}
	DEVICE bool nothing() const { return near > far; }
	// Reports whether there may be a NaN. Of doubles, infinity is suspicious too.
	DEVICE bool suspicious(Word infinity) const {
		u32 most = high_word(infinity) - (sizeof(Word) == 8);
		return top > (int)most || far > (most | 0x80000000u);
	}

	// All bits from the lowest one on that is not zero in all patterns.
	DEVICE u64 low_bits() const {
		if (any == 0) return 0;
		return ~0ull << ((u32)any ? lowest_bit((u32)any) : 32 + lowest_bit(high_word(any)));
	}
	DEVICE static Word filled(u32 high, u64 low) {
		return sizeof(Word) == 4 ? (Word)high : (Word)((u64)high << 32 | (u32)low);
	}
	// The statistics of their numbers.
	DEVICE NumberStatistics<Word> of_numbers(const Numbers<Word>& numbers) const {
		NumberStatistics<Word> s;
		if (nothing()) return s;
		u64 vary = low_bits();
		Word least = (int)far < 0 ? filled(far, vary) : filled(near, 0),
		     greatest = top < 0 ? filled(near, 0) : filled((u32)top, vary);
		numbers.make(least), numbers.make(greatest);
		s.least = least < greatest ? least : greatest, s.greatest = least < greatest ? greatest : least;
		u64 differ = s.least ^ s.greatest;
		for (u32 by = 1; by < 64; by *= 2) differ |= differ >> by;
		vary &= differ;
		s.any = s.least | (Word)vary, s.all = s.least & (Word)~vary;
		return s;
	}
};

// Whether a warp's chunk from a row on has all rows.
DEVICE bool is_whole(u32 first, u32 n) { return first < n && n - first >= CHUNK_ROWS; }
template <class Word> DEVICE void load_floats(const Word* values, u32 first, Word* x) {
	const int vector = Chunk<Word>::vector;
	UNROLL for (int i = 0; i < CHUNK_ITEMS; i += vector) load_vector(values + first + 32 * i, x + i);
}

// The whole chunks from a row on, up to the first that may have a NaN. The values of the next chunk are loaded
// meanwhile: a separate function, so that it has registers for both.
template <class Word> struct PlainFloats {
	FloatStatistics<Word> seen;
	u32 end; // the first row that is not read
};
template <class Word> NOINLINE PlainFloats<Word> scan_plain_floats(const Buckets* b, u32 first, bool counts) {
	KeyScanMemory* m = KeyScanMemory::of(shared_memory());
	const ValueMap<Word> map(&m->map);
	const Word infinity = (Word)b->field.infinity, *values = (const Word*)b->field.values;
	values += place_of_item<Chunk<Word>::vector>(0);
	const u32 n = (u32)b->n;
	FloatStatistics<Word> seen;
	Word next[CHUNK_ITEMS];
	if (is_whole(first, n)) load_floats(values, first, next);
	while (is_whole(first, n)) {
		Word x[CHUNK_ITEMS];
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) x[i] = next[i];
		u32 then = first + grid_blocks() * KEY_SCAN_THREADS * CHUNK_ITEMS;
		if (is_whole(then, n)) load_floats(values, then, next);
		FloatStatistics<Word> s;
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) s.add(x[i]);
		if (vote(s.suspicious(infinity))) break;
		seen.add(s);
		first = then;
		if (!counts) continue;
		u32 bucket[CHUNK_ITEMS];
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) bucket[i] = map.bucket(x[i]);
		KeyScan<Chunk<Word>, false>::count_all(m->counters(), bucket);
	}
	return {seen, first};
}

template <class Word> struct FloatKeyScan : KeyScan<Chunk<Word>, false> {
	typedef KeyScan<Chunk<Word>, false> Any;
	using Any::b, Any::m, Any::mine, Any::less, Any::order, Any::counts, Any::classes;
	static const int vector = Chunk<Word>::vector;

	const ValueMap<Word> map;
	FloatStatistics<Word> floats;

	DEVICE explicit FloatKeyScan(const Buckets* b) : Any(b), map(&m->map) {}

	// Rows are read by general code until their order is decided, and at the end; without checks of classes until a NaN
	// is found.
	DEVICE void run() {
		const u32 n = (u32)b->n;
		u32 first = (block_index() * (KEY_SCAN_THREADS / 32) + warp_index()) * this->group * CHUNK_ROWS;
		Numbers<Word> numbers(&b->field);
		const Word flip = numbers.flip, sign = numbers.sign;
		auto scan_any_chunk = [&] {
			Chunk<Word> c;
			c.load((const Word*)b->field.values, first, n);
			c.settle(&b->field, b->field.validity != 0, numbers, first, n);
			bool plain = vote(c.values != ALL_ITEMS) == 0;
			if (!order.done) this->track_order(&b->field, c, first, plain);
			this->scan_chunk(c, first, plain,
			                 [&](Word x, u32) { return map.bucket(pattern_of_number(x, flip, sign)) << this->shift; });
			this->end_chunk(first, n);
		};
		while (first < n && !order.done) scan_any_chunk();
		if (b->field.validity == 0 && this->heavies == 0) {
			PlainFloats<Word> plain = scan_plain_floats<Word>(b, first, counts);
			first = plain.end, floats = plain.seen;
		}
		run_mixed(first, n);
		if (first < n) scan_any_chunk();
		this->seen.add(floats.of_numbers(numbers));
		this->store(false);
	}
	DEVICE void run_mixed(u32& first, u32 n) {
		const Word* values = (const Word*)b->field.values + place_of_item<vector>(0);
		const Validity validity(&b->field, n);
		while (is_whole(first, n)) {
			Word x[CHUNK_ITEMS];
			u32 words = validity.words ? validity.load<CHUNK_ITEMS>(first) : 0;
			load_floats(values, first, x);
			scan_mixed(x, validity.words ? validity.of_items<CHUNK_ITEMS, vector>(words, first) : ALL_ITEMS);
			this->end_chunk(first, n);
		}
	}
	DEVICE void scan_mixed(const Word* x, u32 valid) {
		u32 values = valid;
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
			if (is_nan(x[i])) values &= ~(1u << i);
		}
		u32 both = warp_add(count_ones(ALL_ITEMS & ~valid) << 16 | count_ones(valid & ~values));
		mine += lane_index() == CLASS_OF_NULL ? both >> 16 : lane_index() == CLASS_OF_NAN ? both & 0xffff : 0;
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
			if (values >> i & 1) floats.add(x[i]);
		}
		if (!classes) return;
		u32 records = values & ~heavy(x, values), bucket[CHUNK_ITEMS];
		if (!counts) return;
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) bucket[i] = map.bucket(x[i]);
		u32 counters = shared_place(m->counters());
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++)
			count_shared_if(records, 1u << i, counters + bucket[i] / 2 * 4, this->in_counter(bucket[i]));
	}
	// As in KeyScan. In descending order the numbers that are less are those of greater values.
	DEVICE u32 heavy(const Word* x, u32 values) {
		u32 items = 0;
		ROLLED for (u32 k = 0; k < this->heavies; k++) {
			auto value =
			    float_of(pattern_of_number((Word)m->map.heavy[k].number, (Word)m->map.flip, (Word)m->map.sign));
			u32 equal = 0, below = 0;
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
				if (float_of(x[i]) == value) equal |= 1u << i;
				if (float_of(x[i]) < value) below |= 1u << i;
			}
			equal &= values, below &= values;
			if (b->column.descending) below ^= values & ~equal;
			items |= equal;
			u32 both = warp_add(count_ones(equal) << 16 | count_ones(below));
			if (lane_index() == k) mine += both >> 16, less += both & 0xffff;
		}
		return items;
	}
};

template <class Word> NOINLINE void scan_floats(const Buckets* b) { FloatKeyScan<Word>(b).run(); }
