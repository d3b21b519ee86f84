// Codes of a column of 4 or 8 bytes whose word is one whole field, read by warps: item i of a lane is the row first + 32 * i + lane.
#pragma once
#include "number.h"

struct Column32 {
	const Field* field;
	u64 rows; // of the column

	// All loads are on their way before the first is used. Behind the end the last row is read again.
	template <class Value, class Word, int items> DEVICE void load_raw(Word (&x)[items], u64 first) const {
		const Value* values = (const Value*)field->values + first + lane_index();
		if (first + 32 * items <= rows) {
			UNROLL for (int i = 0; i < items; i++) x[i] = load(values + 32 * i);
		} else {
			u64 last = rows - 1;
			UNROLL for (int i = 0; i < items; i++) {
				u64 row = first + 32 * i + lane_index();
				x[i] = load((const Value*)field->values + (row < rows ? row : last));
			}
		}
	}

	template <class Word, int items> DEVICE void load_values(Word (&x)[items], u64 first) const {
		if (sizeof(Word) == 4 || field->width == 4) {
			load_raw<u32>(x, first);
		} else {
			load_raw<u64>(x, first);
		}
	}

	// Bit i of the result is the validity of item i. A word of the bitmap holds the bits of one item of all lanes: each lane loads
	// one of the words, and they are handed around by shuffles.
	template <int items> DEVICE u32 load_validity(u64 first) const {
		static_assert(items <= 32, "a bit for each item");
		if (field->validity == 0) return ALL_LANES;
		u32 word = 0, mine = 0;
		if (lane_index() < items) {
			word = bits_at((const u32*)field->validity, field->bit + first + 32 * lane_index(), field->bit + rows);
		}
		UNROLL for (int i = 0; i < items; i++) mine |= (shuffle(word, i) >> lane_index() & 1) << i;
		return mine;
	}

	// Whether codes of 32 bits, and arithmetic in no more, are enough.
	DEVICE static bool is_short(const Field* f, u64 codeBits) { return f->width == 4 && codeBits <= 32; }

	// The codes of the items; of rows behind the end, anything.
	template <class Word, int items> DEVICE void codes(Word (&x)[items], u64 first) const {
		u32 valid = load_validity<items>(first);
		LinearOf<Word> linear(field);
		load_values(x, first);
		if (linear.plain()) {
			UNROLL for (int i = 0; i < items; i++) x[i] = linear.plain_number(x[i]);
		} else if (linear.floating) {
			UNROLL for (int i = 0; i < items; i++) x[i] = linear.float_number(x[i]);
		} else {
			UNROLL for (int i = 0; i < items; i++) x[i] = linear.integer_number(x[i]);
		}
		if (valid == ALL_LANES) return;
		UNROLL for (int i = 0; i < items; i++) {
			if (!(valid >> i & 1)) x[i] = linear.null;
		}
	}
};
