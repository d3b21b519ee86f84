// The rows that a thread of a tiny sort holds: numbers of 64 bits, and the classes of those that have none.
#pragma once
#include "number.h"

// What null and NaN are in a tiny sort: numbers of the field, or classes of their own behind or in front of all numbers.
enum Classes : u64 { NO_CLASSES = 0, CLASSES_AT_END = 1, CLASSES_AT_START = 2 };

// A tag is a row number and a class, which says where the row stands among rows of other classes.
const u32 TAG_CLASS = 16, TAG_ROW = (1u << TAG_CLASS) - 1;

template <int items> struct TinyRows {
	const Field* field;
	u32 n;
	Classes classes;
	u64 word[items];
	u32 nulls = 0, nans = 0; // bit i: of item i

	DEVICE TinyRows(const Field* f, u32 n, Classes classes) : field(f), n(n), classes(classes) {}

	DEVICE u32 row(int i) const { return warp_index() * 32 * items + 32 * i + lane_index(); }
	DEVICE bool has(int i) const { return row(i) < n; }
	DEVICE bool is_value(int i) const { return has(i) && !((nulls | nans) >> i & 1); }
	DEVICE u32 any_class() const { return nulls | nans; }
	// From the front on.
	DEVICE u32 class_of(int i) const {
		bool null = nulls >> i & 1, nan = nans >> i & 1;
		return classes == CLASSES_AT_START ? (null ? 0 : nan ? 1 : 2) : (null ? 2 : nan ? 1 : 0);
	}
	DEVICE u32 tag(int i) const { return class_of(i) << TAG_CLASS | row(i); }
	// The bin of an item whose number is in bin number, of 0..last.
	DEVICE u32 bin(int i, u32 number, u32 last) const {
		bool start = classes == CLASSES_AT_START;
		u32 place = class_of(i);
		if (start) return place < 2 ? place : number + 2;
		return place > 0 ? last + place : number;
	}

	// All loads are on their way before the first is used.
	template <class Value> DEVICE void load_values() {
		const Value* values = (const Value*)field->values;
		UNROLL for (int i = 0; i < items; i++) word[i] = has(i) ? ::load(values + row(i)) : 0;
	}
	DEVICE void load_raw() {
		bool apart = field->form == FORM_BIT || field->form == FORM_BIG_ENDIAN || field->stride != field->width;
		if (!apart && field->width == 8) return load_values<u64>();
		if (!apart && field->width == 4) return load_values<u32>();
		if (!apart && field->width == 2) return load_values<u16>();
		if (!apart && field->width == 1) return load_values<u8>();
		UNROLL for (int i = 0; i < items; i++) word[i] = has(i) ? raw_value(field, row(i)) : 0;
	}
	DEVICE void load_validity() {
		if (field->validity == 0) return;
		UNROLL for (int i = 0; i < items; i++) {
			u64 first = field->bit + warp_index() * 32 * items + 32 * i;
			nulls |= (~bits_at((const u32*)field->validity, first, field->bit + n) >> lane_index() & 1) << i;
		}
	}

	// Loads the rows and turns values into numbers.
	DEVICE void load() {
		load_validity();
		load_raw();
		Linear linear(field);
		UNROLL for (int i = 0; i < items; i++) {
			bool null = nulls >> i & 1 || (linear.rank && word[i] == 0);
			bool nan = linear.floating && !null && (word[i] & ~linear.sign) > linear.infinity;
			word[i] = null ? linear.null : linear.number(word[i]);
			if (classes == NO_CLASSES) null = nan = false;
			nulls = (nulls & ~(1u << i)) | (u32)null << i;
			nans |= (u32)nan << i;
			if (null || nan) word[i] = 0;
		}
	}
};
