// How the value of a row becomes an ordered number, as in package keyencode.
#pragma once
#include "common/device.h"

// The parameters of a Field, in registers. 32-bit arithmetic is enough for columns of 4 bytes whose codes have at most
// 32 bits, since all of it is modulo a power of two.
template <class Word> struct LinearOf {
	Word base, mul, bias, nan, null, widthMask, sign, infinity;
	u32 shift;
	bool floating, rank;

	DEVICE explicit LinearOf(const Field* f)
	    : base((Word)f->base[0]), mul((Word)f->mul), bias((Word)f->bias), nan((Word)f->nan), null((Word)f->null),
	      widthMask((Word)(~0ull >> (64 - 8 * (f->width ? f->width : 8)))), sign((Word)f->sign),
	      infinity((Word)f->infinity), shift((u32)f->shift), floating(f->form == FORM_FLOAT),
	      rank(f->form == FORM_RANK) {}

	// Most columns are integers in ascending order, whose numbers need no product and no check of the class.
	DEVICE bool plain() const { return !floating && !rank && mul == 1; }
	DEVICE Word plain_number(Word x) const { return bias + (((x - base) & widthMask) >> shift); }

	// Most of these only need an addition.
	DEVICE bool moves() const { return plain() && shift == 0 && widthMask == (Word)~0ull; }

	// x is zero above its width.
	DEVICE Word float_number(Word x) const {
		if (x & sign) x = (sign - x) & widthMask; // two's complement: both zeros are one
		bool isNaN = ((x + infinity) & widthMask) > 2 * infinity;
		Word code = bias + (((x - base) & widthMask) >> shift) * mul;
		return isNaN ? nan : code;
	}
	DEVICE Word integer_number(Word x) const {
		return rank && x == 0 ? null : bias + (((x - rank - base) & widthMask) >> shift) * mul;
	}
	DEVICE Word number(Word x) const { return floating ? float_number(x) : integer_number(x); }
};

typedef LinearOf<u64> Linear;

// Bits at..at+31 of a bitmap of the given number of bits. Reads whole words, none after that of the last bit: bits
// after the end are as they are in this word, and zero beyond it.
DEVICE u32 bits_at(const u32* bitmap, u64 at, u64 bits) {
	if (at >= bits) return 0;
	u64 word = at / 32, lastWord = (bits - 1) / 32;
	u32 low = load(bitmap + word), high = word < lastWord ? load(bitmap + word + 1) : 0;
	return (u32)(((u64)high << 32 | low) >> (at % 32));
}

// Bit i of the result is the validity of row first + 32 * i + lane of a column of rows rows. A word of the bitmap holds
// the bits of one i of all lanes: each lane loads one word, and shuffles exchange them.
template <int items> DEVICE u32 load_validity(const Field* field, u64 rows, u64 first) {
	static_assert(items <= 32, "a bit for each item");
	if (field->validity == 0) return ALL_LANES;
	u32 word = 0, mine = 0;
	if (lane_index() < items)
		word = bits_at((const u32*)field->validity, field->bit + first + 32 * lane_index(), field->bit + rows);
	UNROLL for (int i = 0; i < items; i++) mine |= (shuffle(word, i) >> lane_index() & 1) << i;
	return mine;
}

DEVICE bool bit_at(const u32* bitmap, u64 at) { return load(bitmap + at / 32) >> (at % 32) & 1; }

DEVICE u64 big_endian(const u8* bytes, u32 width) {
	u64 x = 0;
	ROLLED for (u32 i = 0; i < width; i++) x = x << 8 | load(bytes + i);
	return x;
}

// FORM_FLOAT_VALUE: monotone places of floats, in equal steps of their values. They are the low bits of numbers around
// 2^52, so that one rounded multiplication and addition makes them, and no conversion of formats.
struct ValuePlaces {
	static const u64 zero = 0x4330000000000000ull; // the pattern of 2^52
	double factor, offset;
	u64 last;

	DEVICE explicit ValuePlaces(const Field* f)
	    : factor(as_double(f->base[1])), offset(as_double(f->base[2])), last(f->last[1]) {}
	DEVICE u64 of(double value) const {
		u64 place = pattern_of(multiply_add(value, factor, offset));
		if ((int64_t)place < (int64_t)zero) return 0;
		return place - zero < last ? place - zero : last;
	}
};

// The integer of a row, zero above its width.
DEVICE u64 raw_value(const Values* f, u64 row) {
	const u8* at = (const u8*)(f->values + row * f->stride);
	if (f->form == FORM_BIT) return bit_at((const u32*)f->values, f->valueBit + row);
	if (f->form == FORM_BIG_ENDIAN) return big_endian(at, (u32)f->width);
	switch (f->width) {
	case 1: return load(at);
	case 2: return load((const u16*)at);
	case 4: return load((const u32*)at);
	default: return load((const u64*)at);
	}
}

// The range of some numbers: the complement of the least, so that zeros stand for no number, and the greatest.
template <class Word> struct Extent {
	Word notLeast = 0, greatest = 0;

	DEVICE void add(Word x) {
		const Word complement = (Word)~x;
		notLeast = complement > notLeast ? complement : notLeast;
		greatest = x > greatest ? x : greatest;
	}
	// By all lanes of a warp: becomes the range of all their numbers.
	DEVICE void join_warp() { notLeast = warp_max(notLeast), greatest = warp_max(greatest); }
	DEVICE Word least() const { return (Word)~notLeast; }
};

// The number of a row that is no decimal; NaN and null have numbers of the Field.
DEVICE u64 field_number(const Field* f, u64 row) {
	if (f->validity != 0 && !bit_at((const u32*)f->validity, f->bit + row)) return f->null;
	return Linear(f).number(raw_value(f, row));
}
