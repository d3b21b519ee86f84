// The function from a number to a bin inside of a bucket.
#pragma once
#include "../../kernels/device.h"

// From a number (or a row, where numbers are equal) to one of `bins` bins, none of which sorts before a lower one.
struct Spread {
	u64 least;
	u32 shift, scale, rowScale; // rowScale: not 0: each number has as many bins, which rows are spread over

	DEVICE static Spread between(u64 least, u64 greatest, u32 bins) {
		u64 range = greatest - least;
		if (range < bins) return {least, 0, 0, bins / ((u32)range + 1)};
		u32 high = (u32)(range >> 32), shift = high ? 32 - count_leading_zeros(high) : 0;
		float steps = (float)(u32)(range >> shift) + 1;
		return {least, shift, (u32)((float)bins * 4294967296.0f / steps * 0.999999f), 0};
	}
	DEVICE u32 bin(u64 number) const { return multiply_high((u32)((number - least) >> shift), scale); }
	// row: below 2^28.
	DEVICE u32 bin(u64 number, u32 row) const {
		return (u32)(number - least) * rowScale + multiply_high(row << 4, rowScale);
	}
};

DEVICE u64 warp_min(u64 x) { return ~warp_max(~x); }
DEVICE u64 lesser(u64 a, u64 b) { return a < b ? a : b; }
DEVICE u64 greater(u64 a, u64 b) { return a > b ? a : b; }
