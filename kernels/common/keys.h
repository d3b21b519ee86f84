// Several key columns read as one column of 8-byte numbers (FORM_KEYS): the sum of the numbers of their Fields.
#pragma once
#include "common/numbers.h"

// Some values of a key. Items 2 k and 2 k + 1 are rows at + 64 k and the next.
template <class Word, int items> struct KeyValues {
	const Field* f;
	Word x[items];

	DEVICE explicit KeyValues(const Field* f) : f(f) {}

	DEVICE void load(u64 at) {
		const u8* values = (const u8*)(f->values + at * f->stride);
		if (sizeof(Word) == 8) {
			UNROLL for (int i = 0; i < items; i += 2) load_vector((const u64*)values + 32 * i, (u64*)x + i);
		} else if (f->width == 4) {
			load_twos<u64, u64>(values);
		} else if (f->width == 2) {
			load_twos<u32, u32>(values);
		} else {
			load_twos<u16, u32>(values);
		}
	}
	// Two values at a time, whose bytes are a Two.
	template <class Two, class Held> DEVICE void load_twos(const u8* values) {
		const int bits = sizeof(Two) * 4;
		UNROLL for (int i = 0; i < items; i += 2) {
			Held two = ::load((const Two*)values + 16 * i);
			x[i] = (Word)(two & (((Held)1 << bits) - 1)), x[i + 1] = (Word)(two >> bits);
		}
	}
	DEVICE void load_bits(u64 at, u64 rows) {
		UNROLL for (int i = 0; i < items; i++)
			x[i] = bits_at((const u32*)f->values, f->valueBit + at + 32 * (i & ~1), f->valueBit + rows) >> i % 2 & 1;
	}
	// Near the end: items after the last row read the last row again.
	DEVICE void load_some(u64 at, u64 rows) {
		UNROLL for (int i = 0; i < items; i++) {
			u64 row = at + 32 * (i & ~1) + i % 2;
			x[i] = (Word)raw_value(f, row < rows ? row : rows - 1);
		}
	}
	DEVICE u32 valid(u64 at, u64 rows) const {
		u32 mask = 0;
		if (f->validity == 0) return (1u << items) - 1;
		UNROLL for (int i = 0; i < items; i += 2) {
			u64 row = at + 32 * i;
			mask |= (bits_at((const u32*)f->validity, f->bit + (row < rows ? row : rows - 1), f->bit + rows) & 3) << i;
		}
		return mask;
	}

	// Adds to the numbers of rows. Returns whether some value is out of the Field's range. For integers without nulls:
	DEVICE bool add_plain(u64* number) const {
		Word base = (Word)f->base[0], mask = sizeof(Word) == 8 ? (Word)~0ull : (Word)(~0ull >> (64 - 8 * f->width)),
		     last = (Word)f->last[0];
		u64 mul = f->mul, bias = f->bias;
		u32 shift = (u32)f->shift;
		bool outside = false;
		UNROLL for (int i = 0; i < items; i++) {
			Word above = (x[i] - base) & mask;
			outside |= above > last;
			number[i] += bias + (above >> shift) * mul;
		}
		return outside;
	}
	DEVICE bool add(u64* number, u64 at, u64 rows) {
		Word base = (Word)f->base[0], mask = (Word)(~0ull >> (64 - 8 * f->width)), last = (Word)f->last[0];
		u32 values = valid(at, rows), nans = 0, shift = (u32)f->shift;
		bool outside = false;
		if (f->form == FORM_FLOAT_VALUE) return add_places(number, values), false;
		if (f->form == FORM_FLOAT) {
			Word sign = (Word)f->sign, infinity = (Word)f->infinity;
			UNROLL for (int i = 0; i < items; i++) {
				if (x[i] & sign) x[i] = (sign - x[i]) & mask;
				nans |= (u32)(((x[i] + infinity) & mask) > 2 * infinity) << i;
			}
		} else if (f->form == FORM_RANK) {
			UNROLL for (int i = 0; i < items; i++) {
				if (x[i]-- == 0) values &= ~(1u << i);
			}
		}
		UNROLL for (int i = 0; i < items; i++) {
			Word above = (x[i] - base) & mask;
			u64 piece = f->bias + (above >> shift) * f->mul;
			bool nan = nans >> i & 1, value = values >> i & 1;
			outside |= value && !nan && above > last;
			if (nan) piece = f->nan;
			if (!value) piece = f->null;
			number[i] += piece;
		}
		return outside;
	}
	// Floats by their values, of which any have places.
	DEVICE void add_places(u64* number, u32 values) {
		ValuePlaces places(f);
		UNROLL for (int i = 0; i < items; i++) {
			double value = as_double(x[i]);
			u64 piece = f->bias + places.of(value) * f->mul;
			if (value != value) piece = f->nan;
			number[i] += values >> i & 1 ? piece : f->null;
		}
	}
};

// Reads numbers of keys of all kinds.
struct KeysReader {
	const Field* fields;
	u32 count;
	bool outside = false; // some value was

	DEVICE explicit KeysReader(const Field* f) : fields((const Field*)f->values), count((u32)f->stride) {}

	template <class Word, int items> DEVICE void add(const Field* f, u64* number, u64 at, u64 rows, bool whole) {
		KeyValues<Word, items> values(f);
		if (!whole) values.load_some(at, rows);
		else if (f->form == FORM_BIT) values.load_bits(at, rows);
		else values.load(at);
		outside |= values.add(number, at, rows);
	}
	template <int items> DEVICE void load(u64* number, u64 first, u64 rows, bool whole) {
		u64 at = first + 2 * lane_index();
		UNROLL for (int i = 0; i < items; i++) number[i] = 0;
		ROLLED for (u32 k = 0; k < count && fields[k].mul != 0; k++) {
			if (fields[k].width == 8) add<u64, items>(fields + k, number, at, rows, whole);
			else add<u32, items>(fields + k, number, at, rows, whole);
		}
	}
};

// Reads numbers of two integer keys without nulls. All values are in flight before the first is used.
template <class A, class B> struct PairReader {
	static const int atOnce = sizeof(A) + sizeof(B) > 12 ? 8 : 16; // rows of a thread
	const Field* fields;
	bool outside = false;

	DEVICE explicit PairReader(const Field* f) : fields((const Field*)f->values) {}

	template <int items> DEVICE void make(u64* number, u64 first) {
		u64 at = first + 2 * lane_index();
		KeyValues<A, items> a(fields);
		KeyValues<B, items> b(fields + 1);
		if (a.f->width < 4) { // of short values two are in a word, which is waited for
			b.load(at), a.load(at);
		} else {
			a.load(at), b.load(at);
		}
		UNROLL for (int i = 0; i < items; i++) number[i] = 0;
		outside |= a.add_plain(number);
		outside |= b.add_plain(number);
	}
};

// Reports whether keys are two integer keys without nulls.
DEVICE bool is_pair(const Field* keys) {
	const Field* f = (const Field*)keys->values;
	bool plain = keys->stride == 2;
	for (u32 k = 0; k < 2 && plain; k++) plain = f[k].form == FORM_INTEGER && f[k].validity == 0 && f[k].mul != 0;
	return plain;
}
// Calls call with the reader of a pair.
template <class Call> DEVICE void with_pair(const Field* keys, const Call& call) {
	const Field* f = (const Field*)keys->values;
	switch ((f[0].width == 8) + 2 * (f[1].width == 8)) {
	case 0: return call(PairReader<u32, u32>(keys));
	case 1: return call(PairReader<u64, u32>(keys));
	case 2: return call(PairReader<u32, u64>(keys));
	default: return call(PairReader<u64, u64>(keys));
	}
}
