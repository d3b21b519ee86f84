// The rows of a tiny sort in shared memory, by row number: numbers of 64 bits, and the classes of those that have none.
#pragma once
#include "number.h"

// What null and NaN are in a tiny sort: numbers of the field, or classes of their own behind or in front of all numbers.
enum Classes : u64 { NO_CLASSES = 0, CLASSES_AT_END = 1, CLASSES_AT_START = 2 };

// What is known of the rows of a thread.
struct Extent64 {
	u64 notLeast = 0, greatest = 0;
	bool mixed = false; // a null or a NaN was there

	DEVICE void add(u64 number) {
		notLeast = ~number > notLeast ? ~number : notLeast;
		greatest = number > greatest ? number : greatest;
	}
};

// Loads rows of a thread, items of them, and turns them into numbers.
template <int items> struct TinyReader {
	const Field* field;
	u32 n;
	Classes classes;
	Linear linear;

	DEVICE TinyReader(const Field* f, u32 n, Classes classes) : field(f), n(n), classes(classes), linear(f) {}

	DEVICE u32 row(int i) const { return i * TINY_THREADS + thread_index(); }
	DEVICE bool has(int i) const { return row(i) < n; }
	// Classes have places 0 to 2, from the front on; that of values is the first or the last.
	DEVICE u32 value_place() const { return classes == CLASSES_AT_START ? 2 : 0; }

	// All loads are on their way before the first is used.
	template <class Value> DEVICE void load_values(u64 (&x)[items]) const {
		const Value* values = (const Value*)field->values;
		UNROLL for (int i = 0; i < items; i++) x[i] = has(i) ? ::load(values + row(i)) : 0;
	}
	DEVICE void load_raw(u64 (&x)[items]) const {
		bool apart = field->form == FORM_BIT || field->form == FORM_BIG_ENDIAN || field->stride != field->width;
		if (!apart && field->width == 8) return load_values<u64>(x);
		if (!apart && field->width == 4) return load_values<u32>(x);
		if (!apart && field->width == 2) return load_values<u16>(x);
		if (!apart && field->width == 1) return load_values<u8>(x);
		UNROLL for (int i = 0; i < items; i++) x[i] = has(i) ? raw_value(field, row(i)) : 0;
	}
	// Bit i: item i is null.
	DEVICE u32 load_nulls() const {
		if (field->validity == 0) return 0;
		u32 nulls = 0;
		UNROLL for (int i = 0; i < items; i++) {
			if (has(i)) nulls |= (u32)!bit_at((const u32*)field->validity, field->bit + row(i)) << i;
		}
		return nulls;
	}

	// Writes the numbers of the rows, 0 for those that have none, and the places of their classes.
	DEVICE Extent64 read(u64* numbers, u8* places) const {
		u64 x[items];
		Extent64 extent;
		u32 nulls = load_nulls();
		load_raw(x);
		UNROLL for (int i = 0; i < items; i++) {
			if (!has(i)) continue;
			bool null = nulls >> i & 1 || (linear.rank && x[i] == 0);
			bool nan = linear.floating && !null && (x[i] & ~linear.sign) > linear.infinity;
			u64 number = null ? linear.null : linear.number(x[i]);
			u32 place = value_place();
			if (classes != NO_CLASSES && (null || nan)) {
				place = nan ? 1 : 2 - place;
				number = 0;
				extent.mixed = true;
			} else {
				extent.add(number);
			}
			numbers[row(i)] = number;
			places[row(i)] = (u8)place;
		}
		return extent;
	}
};
