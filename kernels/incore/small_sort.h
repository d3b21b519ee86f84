// The rows of a single-launch sort: numbers of 64 bits, and classes.
#pragma once
#include "common/number.h"

// How null and NaN sort: by the numbers of the field, or as classes after or before all numbers.
enum Classes : u64 { NO_CLASSES = 0, CLASSES_AT_END = 1, CLASSES_AT_START = 2 };

// The range of the numbers of a thread's rows.
struct Extent64 : Extent<u64> {
	bool mixed = false; // there is a null or a NaN

	// 0 if there is no value.
	DEVICE u64 span() const { return greatest >= least() ? greatest - least() : 0; }
	DEVICE u32 span_bits() const { return span() ? 64 - leading_zeros(span()) : 0; }
	DEVICE static u32 leading_zeros(u64 x) {
		u32 high = (u32)(x >> 32);
		return high ? count_leading_zeros(high) : 32 + count_leading_zeros((u32)x);
	}
	// That of all rows of a warp.
	DEVICE Extent64 of_warp() const {
		Extent64 all;
		all.notLeast = warp_max(notLeast), all.greatest = warp_max(greatest), all.mixed = vote(mixed) != 0;
		return all;
	}
};

// Fields whose numbers are the words of their type: the patterns, of negative floats in two's complement, but for
// flipped bits.
struct WholeWords {
	u64 flip;
	bool are, floating;

	DEVICE explicit WholeWords(const Field& f) : flip(f.base[0] ^ f.bias), floating(f.form == FORM_FLOAT) {
		bool turns = (f.mul == 1 && f.bias == 0) || (f.mul == ~0ull && f.bias == ~0ull),
		     based = f.base[0] == f.sign || (!floating && f.base[0] == 0);
		are = (floating || f.form == FORM_INTEGER) && (f.width == 4 || f.width == 8) && turns && based && f.shift == 0;
	}
};

// Where the result goes.
struct SmallSortResult {
	const u32* in;
	u32* out;

	DEVICE explicit SmallSortResult(const SmallSort& job) : in((const u32*)job.in), out((u32*)job.out) {}
	DEVICE void put(u32 place, u32 row) const { out[place] = in ? in[row] : row; }
};

// Loads the rows of a thread, and converts them to numbers.
template <int items> struct SmallSortRows {
	const Field* field;
	u32 n, first, step; // row i of the thread is first + i * step
	Classes classes;
	Linear linear;
	WholeWords whole;
	u64 number[items]; // 0 for rows that have none
	u32 nulls = 0;     // bit i: item i is null
	u32 places = 0;    // two bits for each item: the place of its class; without a row, that of values

	DEVICE SmallSortRows(const SmallSort& job, u32 first, u32 step)
	    : field(&job.field), n((u32)job.n), first(first), step(step), classes((Classes)job.classes), linear(field),
	      whole(job.field) {}

	DEVICE u32 row(int i) const { return first + i * step; }
	DEVICE bool has(int i) const { return row(i) < n; }
	// Classes have places 0 to 2, in sort order; that of values is the first or the last.
	DEVICE u32 value_place() const { return classes == CLASSES_AT_START ? 2 : 0; }
	DEVICE u32 place(int i) const { return places >> 2 * i & 3; }

	// All loads are in flight before the first is used.
	template <class Get> DEVICE void load_each(u32 used, const Get& get) {
		UNROLL for (int i = 0; i < items; i++) number[i] = i < (int)used && has(i) ? get(row(i)) : 0;
	}
	template <class Value> DEVICE void load_values(u32 used) {
		const u64 values = field->values, stride = field->stride;
		load_each(used, [=](u32 row) { return (u64)::load((const Value*)(values + row * stride)); });
	}
	DEVICE void load_raw(u32 used) {
		const Field* f = field;
		if (f->form == FORM_BIT)
			return load_each(used, [=](u32 row) { return (u64)bit_at((const u32*)f->values, f->valueBit + row); });
		if (f->form == FORM_BIG_ENDIAN)
			return load_each(
			    used, [=](u32 row) { return big_endian((const u8*)(f->values + row * f->stride), (u32)f->width); });
		if (f->width == 8) return load_values<u64>(used);
		if (f->width == 4) return load_values<u32>(used);
		if (f->width == 2) return load_values<u16>(used);
		load_values<u8>(used);
	}
	DEVICE u32 load_nulls(u32 used) const {
		if (field->validity == 0) return 0;
		u32 nulls = 0;
		UNROLL for (int i = 0; i < items; i++) {
			if (i < (int)used && has(i)) nulls |= (u32)!bit_at((const u32*)field->validity, field->bit + row(i)) << i;
		}
		return nulls;
	}

	// Reads the first used items of all threads.
	DEVICE Extent64 read(u32 used) {
		load(used);
		return settle(used);
	}
	DEVICE void load(u32 used) {
		static_assert(items <= 16, "two bits for each");
		nulls = load_nulls(used);
		load_raw(used);
	}
	// Converts the loaded values to numbers.
	DEVICE Extent64 settle(u32 used) {
		Extent64 extent;
		places = value_place() * (ALL_LANES / 3);
		if (whole.are && (classes != NO_CLASSES || (field->validity == 0 && !whole.floating))) { // as most are
			if (field->width == 8)
				whole.floating ? settle_words<u64, true>(used, extent) : settle_words<u64, false>(used, extent);
			else whole.floating ? settle_words<u32, true>(used, extent) : settle_words<u32, false>(used, extent);
			return extent;
		}
		UNROLL for (int i = 0; i < items; i++) {
			if (i >= (int)used || !has(i)) continue;
			u64 x = number[i];
			bool null = nulls >> i & 1 || (linear.rank && x == 0);
			bool nan = linear.floating && !null && (x & ~linear.sign) > linear.infinity;
			number[i] = null ? linear.null : linear.number(x);
			add(i, null, nan, extent);
		}
		return extent;
	}
	template <class Word, bool floating> DEVICE void settle_words(u32 used, Extent64& extent) {
		const Word sign = (Word)linear.sign, infinity = (Word)linear.infinity, flip = (Word)whole.flip;
		UNROLL for (int i = 0; i < items; i++) {
			if (i >= (int)used || !has(i)) continue;
			Word x = (Word)number[i];
			bool null = nulls >> i & 1, nan = floating && !null && (Word)(x & ~sign) > infinity;
			if (floating && x & sign) x = sign - x; // two's complement: both zeros are one
			number[i] = (Word)(x ^ flip);
			add(i, null, nan, extent);
		}
	}
	DEVICE void add(int i, bool null, bool nan, Extent64& extent) {
		if (classes == NO_CLASSES || !(null || nan)) return extent.add(number[i]);
		u32 place = nan ? 1 : 2 - value_place();
		places ^= (place ^ value_place()) << 2 * i;
		number[i] = 0;
		extent.mixed = true;
	}
};
