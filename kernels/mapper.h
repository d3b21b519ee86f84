// The map from numbers to prefixes, in registers.
#pragma once
#include "device.h"

static_assert(sizeof(Map) == MAP_BYTES && sizeof(Partial) == PARTIAL_BYTES, "the sizes that the host knows");

// The value of a float's number.
template <class Word> DEVICE double value_of(Word number, Word flip, Word sign) {
	Word x = number ^ flip;
	return as_double(x & sign ? (Word)(sign - x) : x);
}
// The number of the float next to a value.
template <class Word> DEVICE Word number_of(double value, Word flip, Word sign) {
	Word x = sizeof(Word) == 4 ? (Word)pattern_of((float)value) : (Word)pattern_of(value);
	return (x & sign ? (Word)(sign - x) : x) ^ flip;
}

// A map of floats by their values, for code that has registers for it. A double has room behind a float of four bytes: there the row number
// lies, so that rows that are equal are spread up to the next float, nearly, and are in order.
template <class Word> struct ByValue {
	Word flip, sign, low, last;
	u32 rowLeft;
	double offset, factor;

	DEVICE explicit ByValue(const Map* m)
	    : flip((Word)m->flip), sign((Word)m->sign), low((Word)m->low), last((Word)m->last), rowLeft((u32)m->rowLeft), offset(as_double(m->offset)),
	      factor(as_double(m->factor)) {}

	DEVICE double spread(double value, u32 row) const {
		u64 x = pattern_of(value), by = (u64)row << rowLeft;
		by -= by >> 3;
		bool shrinks = (x ^ pattern_of(factor)) >> 63; // away from zero or towards it: where numbers rise
		return x == 0 ? value : as_double(shrinks ? x - by : x + by);
	}
	// The prefix, and 20 bits behind it.
	DEVICE u64 code(Word number, u32 row) const {
		double value = value_of(number, flip, sign);
		if (sizeof(Word) == 4) value = spread(value, row);
		u64 c = pattern_of(multiply_add(value - offset, factor, 4503599628418816.0)) << 12; // 2^52 + 2^20, the prefix 1
		if (number < low) c = 0;
		return number > last ? ~0ull : c;
	}
	DEVICE u32 prefix(Word number, u32 row) const { return (u32)(code(number, row) >> 32); }
};

// The bits of a number, at least one.
DEVICE u32 bit_length(u64 x) { return x >> 32 ? 64 - count_leading_zeros((u32)(x >> 32)) : 32 - count_leading_zeros((u32)x | 1); }

struct Mapper {
	u64 low, top; // top: of number - low
	u32 right, left, scale, rowLeft, rowRight, heavies;
	bool clamps, floating, narrow;
	const Map* map;

	DEVICE explicit Mapper(const Map* m)
	    : low(m->low), top(m->last - m->low), right((u32)m->right), left((u32)m->left), scale((u32)m->scale), rowLeft((u32)m->rowLeft),
	      rowRight((u32)m->rowRight), heavies((u32)m->heavies), clamps(m->clamps != 0), floating(m->floating != 0), narrow(m->narrow != 0), map(m) {}

	// Neither clamps nor row numbers: the maps of columns that fill the range of their type.
	DEVICE bool simple() const { return !clamps && left == 0 && !floating; }
	DEVICE u32 simple_prefix(u32 number) const {
		u32 x = number - (u32)low;
		return x + multiply_high(x, scale);
	}
	// A code is the prefix, and behind it more of the number. The bits that are shifted out below take part in the product: the slope is
	// up to two, which would leave every other prefix empty.
	DEVICE u64 simple_code(u64 number) const {
		u64 above = number - low;
		u32 x = (u32)(above >> right), below = (u32)(above << (32 - right));
		return (u64)x * scale + ((u64)x << 32 | below);
	}
	DEVICE u32 simple_prefix(u64 number) const { return (u32)(simple_code(number) >> 32); }
	DEVICE u64 simple_code(u32 number) const { return (u64)simple_prefix(number) << 32; }
	// Of a narrow map. What is above the range, or below it and so far above zero, is one comparison; in which way, nearly no row asks.
	template <class Word> DEVICE u32 narrow_prefix(Word number, u32 row) const {
		Word above = number - (Word)low;
		u32 x = (u32)(above >> right) << left;
		x += multiply_high(x, scale) + (row << rowLeft >> rowRight);
		if (above > (Word)top) x = number < (Word)low ? 0 : ~0u;
		return x;
	}
	// Of a map that is not narrow.
	DEVICE u64 wide_code(u64 number) const {
		u64 c = simple_code(number);
		if (number - low > top) c = number < low ? 0 : ~0ull;
		return c;
	}
	DEVICE u32 prefix_by_bits(u32 number, u32 row) const { return narrow_prefix(number, row); }
	DEVICE u32 prefix_by_bits(u64 number, u32 row) const { return narrow ? narrow_prefix(number, row) : (u32)(wide_code(number) >> 32); }
	template <class Word> DEVICE u32 by_value(Word number, u32 row) const { return ByValue<Word>(map).prefix(number, row); }
	template <class Word> DEVICE u32 prefix(Word number, u32 row) const { return floating ? by_value(number, row) : prefix_by_bits(number, row); }
};

// Makes a map of numbers low..last, of at most most, which are multiples of 2^stride apart, for rows of so many bits. Slopes are at least
// one: nothing gets lost.
DEVICE void make_map(Map* m, u64 low, u64 last, u64 most, u32 stride, u32 rowBits) {
	u64 top = last - low;
	u32 bits = bit_length(top >> stride), right = bits > 32 ? bits + stride - 32 : stride, left = bits < 32 ? 32 - bits : 0, x = (u32)(top >> right) << left;
	u64 room = ~0u - x - (left ? (1u << left) - 1 : x != ~0u), scale = x ? (room << 32) / x : 0; // one is for what the bits below carry
	m->low = low, m->last = last, m->right = right, m->left = left;
	m->scale = scale < ~0u ? scale : ~0u;
	m->rowLeft = left > rowBits ? left - rowBits : 0;
	m->rowRight = left > rowBits ? 0 : rowBits - left;
	m->clamps = low != 0 || last != most, m->narrow = bits <= 32;
	m->floating = 0, m->lossyLow = 1, m->lossyHigh = 0;
}

// Finds the prefixes of floats of four bytes that are so near zero that they are less than eight prefixes apart: only those may
// share one.
DEVICE void find_lossy(Map* m, double offset, double factor, u32 rowBits) {
	const double prefix = 1048576, most = 4294967295.0 * prefix;
	double apart = 8 * prefix * 8388608 / (factor < 0 ? -factor : factor), zone = as_double(((pattern_of(apart) >> 52) + 1) << 52);
	double a = (-zone - offset) * factor, z = (zone - offset) * factor, low = a < z ? a : z, high = a < z ? z : a;
	m->lossyLow = low <= 0 ? 0 : low < most ? (u64)(low / prefix) : ~0u;
	m->lossyHigh = high <= 0 ? 2 : high < most ? (u64)(high / prefix) + 2 : ~0u; // the first prefix is 1
	m->rowLeft = 29 - rowBits;
}

// Makes a map of floats by their values, from those of the least and the greatest number, widened by a share. It returns false if there
// is none. Low words of doubles from 2^52 on are integers, and rounding keeps the order.
template <class Word> DEVICE bool make_value_map(Map* m, Word low, Word last, double share, Word flip, Word sign, u32 rowBits) {
	double a = value_of(low, flip, sign), z = value_of(last, flip, sign), room = (z - a) * share;
	low = number_of(a - room, flip, sign), last = number_of(z + room, flip, sign);
	a = value_of(low, flip, sign), z = value_of(last, flip, sign); // as they are rounded
	double factor = 4503599620000000.0 / (z - a); // a little below 2^52
	if (!(z - z == 0) || !(a - a == 0) || !(factor - factor == 0) || factor == 0 || low > last) return false; // infinite, or all alike
	m->low = low, m->last = last;
	m->floating = 1, m->narrow = 0, m->factor = pattern_of(factor), m->offset = pattern_of(a);
	m->flip = flip, m->sign = sign, m->clamps = 1;
	m->right = 1, m->left = m->scale = m->rowLeft = m->rowRight = 0;
	m->lossyLow = 0, m->lossyHigh = ~0u;
	if (sizeof(Word) == 4) find_lossy(m, a, factor, rowBits);
	return true;
}
