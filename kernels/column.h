// Codes of a column whose word is one whole field, read by warps: item i of a lane is the row first + 32 * i + lane.
#pragma once
#include "number.h"

struct Column32 {
	const Field* field;
	u64 rows; // of the column

	// A row's integers, all loads on their way before the first is used.
	template <class Value, int items> DEVICE void load_raw(u64 (&x)[items], u64 first) const {
		const Value* values = (const Value*)field->values + first + lane_index();
		bool whole = first + 32 * items <= rows;
		UNROLL for (int i = 0; i < items; i++) {
			x[i] = 0;
			if (whole || first + 32 * i + lane_index() < rows) x[i] = load(values + 32 * i);
		}
	}

	template <int items> DEVICE void load_any(u64 (&x)[items], u64 first) const {
		UNROLL for (int i = 0; i < items; i++) {
			u64 row = first + 32 * i + lane_index();
			x[i] = row < rows ? raw_value(field, row) : 0;
		}
	}

	template <int items> DEVICE void load_values(u64 (&x)[items], u64 first) const {
		bool packed = field->form != FORM_BIT && field->form != FORM_BIG_ENDIAN && field->stride == field->width;
		switch (packed ? field->width : 0) {
		case 1: return load_raw<u8>(x, first);
		case 2: return load_raw<u16>(x, first);
		case 4: return load_raw<u32>(x, first);
		case 8: return load_raw<u64>(x, first);
		default: return load_any(x, first);
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

	// The codes of the items; of rows behind the end, anything.
	template <int items> DEVICE void codes(u64 (&x)[items], u64 first) const {
		Linear linear(field);
		if (field->form == FORM_NONE) {
			UNROLL for (int i = 0; i < items; i++) x[i] = linear.null;
			return;
		}
		load_values(x, first);
		if (linear.plain()) {
			UNROLL for (int i = 0; i < items; i++) x[i] = linear.plain_number(x[i]);
		} else {
			UNROLL for (int i = 0; i < items; i++) x[i] = linear.number(x[i]);
		}
		if (field->validity == 0) return;
		u32 valid = load_validity<items>(first);
		UNROLL for (int i = 0; i < items; i++) {
			if (!(valid >> i & 1)) x[i] = linear.null;
		}
	}
};
