// Fixed-point floats: each is the nearest one to an integer divided by a power of ten, as prices and rounded readings
// are. Sorts and dictionaries want the integers, of which few bits vary. (ALP compresses floats so: Afroozeh, Kuffó and
// Boncz, 2023.)
#pragma once
#include "common/device.h"

struct FixedPoint {
	static const u64 origin = 0x4338000000000000ull; // the pattern of 1.5 * 2^52: the doubles around it are integers
	double power, inverse;

	DEVICE explicit FixedPoint(double power) : power(power), inverse(1 / power) {}

	// Makes the integer of a float, plus 2^51, from its pattern. Returns false if the float is not that nearest to its
	// integer. The integer rises with the float, and the nearest float is computed from the integer alone: so two
	// floats with the same integer are equal, whatever is rounded.
	template <class Word> DEVICE bool make(Word pattern, u64* integer) const {
		const double sum = multiply_add(as_double(pattern), power, as_double(origin)), whole = sum - as_double(origin),
		             near = whole * inverse, nearest = multiply_add(multiply_add(-near, power, whole), inverse, near);
		*integer = pattern_of(sum) & ((1ull << 52) - 1);
		return pattern_of(sum) >> 52 == origin >> 52 && is(nearest, pattern);
	}

private:
	DEVICE static bool is(double x, u64 pattern) { return x == as_double(pattern); }
	DEVICE static bool is(double x, u32 pattern) { return (float)x == as_float(pattern); }
};
