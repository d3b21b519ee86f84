// Numbers of a column over the whole range of its type, read by warps in adjacent rows.
#pragma once
#include "common/number.h"
#include "common/row_order.h"

// The summand of a value that is not null in the number of several keys.
DEVICE u64 number_of_value(const Field* f, u64 x) {
	if (f->form != FORM_FLOAT_VALUE) return Linear(f).number(x);
	double value = f->width == 4 ? as_double((u32)x) : as_double(x);
	return value != value ? f->nan : f->bias + ValuePlaces(f).of(value) * f->mul;
}
DEVICE u64 key_number(const Field* f, u64 row) {
	if (f->validity != 0 && !bit_at((const u32*)f->validity, f->bit + row)) return f->null;
	return number_of_value(f, raw_value(f, row));
}

// The number of a row of several keys, FORM_KEYS: of those before the first that is left out.
NOINLINE u64 number_of_keys(const Field* f, u64 row) {
	const Field* keys = (const Field*)f->values;
	u64 number = 0;
	ROLLED for (u32 k = 0; k < (u32)f->stride && keys[k].mul != 0; k++) number += key_number(keys + k, row);
	return number;
}

// The rest of a row: what rows with equal numbers of several keys are compared by.
NOINLINE u64 rest_of_keys(const Field* f, u64 row) {
	const Field* rests = (const Field*)f->values + f->stride;
	u64 rest = 0;
	ROLLED for (u32 k = (u32)f->stride; k-- > 0 && rests[k].mask != 0;)
		rest += (field_number(rests + k, row) & rests[k].mask) << rests[k].up;
	return rest;
}
// Reports whether rows with equal numbers may differ.
DEVICE bool has_rests(const Field* f) {
	return f->form == FORM_KEYS && ((const Field*)f->values)[2 * f->stride - 1].mask != 0;
}

// The first of several keys that is not a bit, whose values are prefetched.
DEVICE const Field* leading_column(const Field* f) {
	if (f->form != FORM_KEYS) return f;
	f = (const Field*)f->values;
	while (f->form == FORM_BIT) f++;
	return f;
}

// Converts stored values to numbers: for a Field whose base is the sign bit, or zero.
template <class Word> struct Numbers {
	Word flip, sign, infinity;
	bool floating, rank;

	DEVICE explicit Numbers(const Field* f)
	    : flip((Word)f->base[0] ^ (f->mul == 1 ? (Word)0 : (Word) ~(Word)0)), sign((Word)f->sign),
	      infinity((Word)f->infinity), floating(f->form == FORM_FLOAT), rank(f->form == FORM_RANK) {}

	// Integers: their numbers are x ^ flip.
	DEVICE bool simple() const { return !floating && !rank; }
	// The same for many values of other types.
	template <int count> DEVICE void make_values(Word* x) const {
		if (floating) {
			UNROLL for (int i = 0; i < count; i++) x[i] = (x[i] & sign ? sign - x[i] : x[i]) ^ flip;
			return;
		}
		Word less = rank;
		UNROLL for (int i = 0; i < count; i++) x[i] = (x[i] - less) ^ flip;
	}
	// Converts x to a number. Returns false for NaN, and for the rank of null.
	DEVICE bool make(Word& x) const {
		bool value = true;
		if (floating) {
			if (x & sign) x = sign - x; // two's complement: both zeros are one
			value = (Word)(x + infinity) <= 2 * infinity;
		} else if (rank) {
			value = x != 0;
			x--;
		}
		x ^= flip;
		return value;
	}
};

// The number of any row that is a value.
template <class Word> DEVICE Word number_at(const Field* f, u64 row) {
	if (sizeof(Word) == 8 && f->form == FORM_KEYS) return (Word)number_of_keys(f, row);
	Word x = load((const Word*)f->values + row);
	Numbers<Word>(f).make(x);
	return x;
}

// Combines the ranges of a block's threads: the complement of the least number, and the greatest one. words: 64 unused
// words of shared memory.
template <class Word> DEVICE void block_range(u64* words, Word* notLeast, Word* greatest) {
	Word low = warp_max(*notLeast), top = warp_max(*greatest);
	if (lane_index() == 0) words[warp_index()] = low, words[32 + warp_index()] = top;
	sync_block();
	*notLeast = warp_max((Word)words[lane_index()]), *greatest = warp_max((Word)words[32 + lane_index()]);
}

// The number and the class of any row.
struct NumberedRow {
	u64 number;
	u32 cls;

	DEVICE explicit NumberedRow(u64 number) : number(number), cls(CLASS_VALUE) {}
	DEVICE NumberedRow(const Field* f, u64 row) : number(0), cls(CLASS_VALUE) {
		bool value;
		if (f->width == 4) {
			u32 x = load((const u32*)f->values + row);
			value = Numbers<u32>(f).make(x);
			number = x;
		} else {
			number = load((const u64*)f->values + row);
			value = Numbers<u64>(f).make(number);
		}
		if (!value) cls = f->form == FORM_FLOAT ? CLASS_NAN : CLASS_NULL;
		if (f->validity != 0 && !bit_at((const u32*)f->validity, f->bit + row)) cls = CLASS_NULL;
	}
};

// The place of a lane's item among the rows of its warp: a lane has 16 adjacent bytes.
template <int vector> DEVICE u32 place_of_item(int i) { return (i / vector * 32 + lane_index()) * vector + i % vector; }

// A validity bitmap: load returns words of it, one per lane; of_items returns the valid items of a lane.
struct Validity {
	const u32* words;
	u64 bit, last; // position of row 0; the last word

	DEVICE Validity(const Field* f, u64 rows)
	    : words((const u32*)f->validity), bit(f->bit), last((f->bit + rows - 1) / 32) {}
	template <int items> DEVICE u32 load(u64 first) const {
		static_assert(items < 32, "a word for each item, and one more");
		u64 word = (bit + first) / 32 + lane_index();
		return lane_index() <= items && word <= last ? ::load(words + word) : 0;
	}
	template <int items, int vector> DEVICE u32 of_items(u32 words, u32 first) const {
		u32 bits = shift_right(shuffle(words, (lane_index() + 1) % 32), words, ((u32)bit + first) % 32), mask = 0;
		UNROLL for (int i = 0; i < items; i += vector) {
			u32 at = place_of_item<vector>(i);
			mask |= (shuffle(bits, at / 32) >> at % 32 & ((1u << vector) - 1)) << i;
		}
		return mask;
	}
};
template <int items, int vector> DEVICE u32 valid_items(const Field* f, u64 first, u64 rows) {
	Validity v(f, rows);
	return v.of_items<items, vector>(v.load<items>(first), (u32)first);
}

const u32 CHUNK_ROWS = 32 * CHUNK_ITEMS, ALL_ITEMS = (1u << CHUNK_ITEMS) - 1;

// The rows of a warp. Masks have a bit for each item.
template <class NumberWord> struct Chunk {
	typedef NumberWord Word;
	static const int vector = 16 / sizeof(Word);

	Word number[CHUNK_ITEMS];
	u32 inside, values, nulls;

	DEVICE static u32 place(int i) { return place_of_item<vector>(i); }
	DEVICE static NumberedRow at(const Field* f, u64 row) { return NumberedRow(f, row); }
	DEVICE u32 class_of(int i) const { return values >> i & 1 ? CLASS_VALUE : nulls >> i & 1 ? CLASS_NULL : CLASS_NAN; }

	DEVICE void load(const Word* values, u32 first, u32 rows) {
		const Word* mine = values + first + place(0);
		if (first + CHUNK_ROWS <= rows) {
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i += vector) load_vector(mine + 32 * i, number + i);
			inside = ALL_ITEMS;
			return;
		}
		inside = 0;
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) { // items after the end read the last row again
			u32 row = first + place(i);
			number[i] = ::load(values + (row < rows ? row : rows - 1));
			inside |= (u32)(row < rows) << i;
		}
	}
	// Converts loaded values to numbers.
	DEVICE void settle(const Field* f, bool nullable, const Numbers<Word>& numbers, u32 first, u32 rows) {
		values = inside;
		if (nullable) values &= valid_items<CHUNK_ITEMS, vector>(f, first, rows);
		nulls = inside & ~values;
		if (numbers.simple()) {
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) number[i] ^= numbers.flip;
			return;
		}
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
			if (!numbers.make(number[i])) values &= ~(1u << i);
		}
		if (numbers.rank) nulls = inside & ~values;
	}
};
