// Maps of floats by their values, which are more often spread evenly than their bits are. They are monotone for any
// values, since one fused multiplication and addition is rounded once. The sample computes all constants; no conversion
// between formats follows. Values out of the range of a map get the first or the last code.
#pragma once
#include "common/device.h"

// The value of a float's number, as its pattern.
template <class Word> DEVICE Word pattern_of_number(Word number, Word flip, Word sign) {
	Word x = number ^ flip;
	return x & sign ? (Word)(sign - x) : x;
}
template <class Word> DEVICE double value_of(Word number, Word flip, Word sign) {
	return as_double(pattern_of_number(number, flip, sign));
}
// The number of the float next to a value.
template <class Word> DEVICE Word number_of(double value, Word flip, Word sign) {
	Word x = sizeof(Word) == 4 ? (Word)pattern_of((float)value) : (Word)pattern_of(value);
	return (x & sign ? (Word)(sign - x) : x) ^ flip;
}

// Patterns as the values that they are: zeros of both signs are equal, and a NaN is not equal to itself.
DEVICE float float_of(u32 pattern) { return as_float(pattern); }
DEVICE double float_of(u64 pattern) { return as_double(pattern); }
template <class Word> DEVICE bool is_nan(Word pattern) { return float_of(pattern) != float_of(pattern); }

template <class Word> struct ValueMap;

// Doubles: the bucket is the difference of the high word of the result and that of 2^52; the low word is the rest of
// the code.
template <> struct ValueMap<u64> {
	static const u32 zero = 0x43300000; // the high word of 2^52

	double factor, offset;
	u32 last, bits;

	DEVICE explicit ValueMap(const Map* m)
	    : factor(as_double(m->factor)), offset(as_double(m->offset)), last((1u << (u32)m->bucketBits) - 1),
	      bits((u32)m->bucketBits) {}

	DEVICE u64 place(u64 x) const { return pattern_of(multiply_add(as_double(x), factor, offset)); }
	DEVICE u32 bucket_at(u64 place) const {
		int high = (int)(place >> 32);
		high = high > (int)zero ? high : (int)zero;
		return high - zero < last ? high - zero : last;
	}
	DEVICE u32 bucket(u64 x) const { return bucket_at(place(x)); }
	DEVICE double share(u32) const { return 0; }
	DEVICE u64 code_of(u64 x, double) const {
		u64 at = place(x);
		u32 high = (u32)(at >> 32), in = bucket_at(at), rest = high - zero == in ? (u32)at : in ? ~0u : 0;
		return ((u64)in << 32 | rest) << (32 - bits);
	}
};

// Floats of four bytes: in single precision a place has 24 bits, enough for the bucket; the place within the bucket
// comes from the same sum without the bucket. Equal rows are spread by their row numbers over the cell between a float
// and the next one, away from zero, so that they do not share a bin and stay in order: over all but one of the codes up
// to the next float, and so over none near zero.
template <> struct ValueMap<u32> {
	static const u32 exponent = 0x7f800000, sign = 0x80000000, two23Pattern = 0x4b000000;
	static constexpr float two23 = 8388608.0f, inside = 0.96875f,
	                       margin = 0.015625f; // both ends of a bucket are margins for rounding errors

	float origin, unit, unitOffset, bins; // of the unit that is cut into bins
	float factor, offset, cell, half, code, codes; // within a bucket: a float's cell in multiples of its power of two,
	                                               // a little more than a code, and all codes
	u32 placeUnit, restUnit, keyOffset; // of patterns of places and rests: keyOffset subtracts their exponents
	u32 rowLeft;

	DEVICE static float power(int k) { return as_float((u32)(127 + k) << 23); }
	DEVICE explicit ValueMap(const Map* m) : origin(as_float((u32)m->origin)), rowLeft((u32)m->rowLeft) {
		int bits = (int)m->bucketBits, restBits = rest_bits(bits);
		float all = as_float((u32)m->factor), first = as_float((u32)m->offset), one = power(-bits);
		unit = all * one, unitOffset = first * one, bins = power(bits) - power(bits - 24);
		factor = all * inside, offset = multiply_add(first, inside, margin);
		cell = (factor < 0 ? -factor : factor) * power(-23), half = factor < 0 ? -0.5f : 0.5f,
		code = -1.125f * power(-restBits), codes = power(restBits) - 1;
		placeUnit = 1u << (32 - bits), restUnit = 1u << (32 - bits - restBits);
		keyOffset = 0 - two23Pattern * (placeUnit + restUnit);
	}
	DEVICE static int rest_bits(int bits) { return bits < 12 ? 20 : 32 - bits; } // 20 bits are far from rounding errors

	DEVICE float from_origin(u32 x) const { return as_float(x) - origin; }
	// 2^23 and the bucket.
	DEVICE float place(float distance) const {
		return multiply_add_down(multiply_add_unit(distance, unit, unitOffset), bins, two23);
	}
	DEVICE u32 bucket(u32 x) const { return pattern_of(place(from_origin(x))) & 0x7fffff; }
	// A row's share of a cell, from its middle on.
	DEVICE float share(u32 row) const {
		return multiply_add(as_float(shift_right(two23Pattern >> 23, row << rowLeft, 9)), power(-23), -1.5f);
	}
	DEVICE u32 prefix(u32 x, float share) const {
		float distance = from_origin(x), at = place(distance),
		      in = multiply_add(distance, factor, multiply_add(two23 - at, inside, offset));
		float width = multiply_add_unit(as_float(x & exponent), cell, code);
		in = multiply_add(as_float(pattern_of(width) | (x & sign)), half, in);
		float rest = multiply_add(multiply_add_unit(width, share, in), codes, two23);
		return pattern_of(rest) * restUnit + (pattern_of(at) * placeUnit + keyOffset);
	}
	DEVICE u64 code_of(u32 x, float share) const { return (u64)prefix(x, share) << 32; }
};

// The values of the least and of the greatest number of a map.
struct ValueRange {
	double least, greatest;

	DEVICE double span() const { return greatest - least; } // negative where numbers fall with values
	DEVICE bool usable() const { return span() - span() == 0 && span() != 0; } // neither infinite, nor not a number
};

DEVICE double absolute(double x) { return x < 0 ? -x : x; }

// A part in 2^10 at either end is a margin for rounding errors.
DEVICE bool map_doubles(Map* m, ValueRange r) {
	const double two52 = 4503599627370496.0;
	double unit = as_double((u64)(1023 + 22 + m->bucketBits) << 52), factor = unit * 1022 / r.span(),
	       offset = two52 + unit - r.least * factor;
	double least = multiply_add(r.least, factor, offset) - two52,
	       greatest = multiply_add(r.greatest, factor, offset) - two52;
	m->factor = pattern_of(factor), m->offset = pattern_of(offset);
	m->lossyLow = 0, m->lossyHigh = ~0u;
	return factor - factor == 0 && offset - offset == 0 && least >= 0 && greatest < unit * 1024;
}

// Distances are taken from zero, or exactly from the nearer end of the range if zero is farther away than the other
// end.
DEVICE bool map_singles(Map* m, ValueRange r, u32 rowBits) {
	double a = absolute(r.least), z = absolute(r.greatest), span = absolute(r.span()), origin = 0;
	if ((r.least < 0) == (r.greatest < 0) && (a < z ? a : z) >= span) origin = a < z ? r.least : r.greatest;
	int bits = (int)m->bucketBits;
	double buckets = as_double((u64)(1023 + bits) << 52), wanted = buckets * (1 - 0x1p-9) / r.span();
	float factor = (float)wanted, offset = (float)(buckets * 0x1p-10 - (r.least - origin) * factor);
	double of = absolute(factor);
	if (!(of >= 0x1p-110 && of <= 0x1p100)) return false; // neither factors nor products are subnormal, or infinite
	m->origin = pattern_of((float)origin), m->factor = pattern_of(factor), m->offset = pattern_of(offset);
	m->rowLeft = 32 - rowBits;
	// Computes the power of two from which on floats are two codes apart.
	double codes = of * 0x1p-23 * ValueMap<u32>::inside * as_double((u64)(1023 + ValueMap<u32>::rest_bits(bits)) << 52);
	int apart = 1024 - (int)(pattern_of(codes) >> 52);
	if (apart < -126) apart = -126;
	m->lossyLow = 0, m->lossyHigh = ~0u;
	if (apart > 127) return true;
	u32 near = (u32)(127 + apart) << 23;
	ValueMap<u32> map(m);
	u32 above = map.prefix(near, -0.5f), below = map.prefix(near | ValueMap<u32>::sign, -0.5f);
	u32 aboveEnd = map.prefix(near, 0.5f), belowEnd = map.prefix(near | ValueMap<u32>::sign, 0.5f);
	m->lossyLow = above < below ? above : below, m->lossyHigh = aboveEnd < belowEnd ? belowEnd : aboveEnd;
	return true;
}

// Makes a map of floats by their values, from those of the least and the greatest number, widened by a share. Returns
// false if there is none.
template <class Word>
DEVICE bool make_value_map(Map* m, Word low, Word last, double share, Word flip, Word sign, u32 bits, u32 rowBits) {
	double a = value_of(low, flip, sign), z = value_of(last, flip, sign), room = (z - a) * share;
	low = number_of(a - room, flip, sign), last = number_of(z + room, flip, sign);
	ValueRange r = {value_of(low, flip, sign), value_of(last, flip, sign)}; // rounded
	if (!r.usable() || low > last) return false; // infinite, or all equal
	m->low = low, m->last = last;
	m->floating = 1, m->narrow = 0, m->equalized = NOT_EQUALIZED, m->bucketBits = bits;
	m->clamps = 1, m->right = 1, m->left = m->scale = m->rowLeft = m->rowScale = 0;
	m->flip = flip, m->sign = sign, m->zero = m->sides = 0;
	return sizeof(Word) == 4 ? map_singles(m, r, rowBits) : map_doubles(m, r);
}
