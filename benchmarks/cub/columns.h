// Key columns on the device, and the order that their rows must have, written down without any code.
#pragma once
#include "../../kernels/test/argsort.h"
#include "../../kernels/test/distributions.h"
#include <math.h>

enum Type { U32, I32, F32, U64, I64, F64, TYPES };
const char* const typeNames[] = {"u32", "i32", "f32", "u64", "i64", "f64"};

BOTH u32 width_of(Type t) { return t <= F32 ? 4 : 8; }
BOTH bool is_float(Type t) { return t == F32 || t == F64; }

// A Keys is a column with the order that is wanted.
struct Keys {
	Type type;
	const u8* values;
	const u32* validity; // may be null
	bool descending, nullsAtStart;
};

BOTH double float_at(const Keys& k, u32 row) { return k.type == F32 ? ((const float*)k.values)[row] : ((const double*)k.values)[row]; }

BOTH int class_of(const Keys& k, u32 row) {
	if (k.validity && !(k.validity[row / 32] >> (row % 32) & 1)) return 2;
	if (is_float(k.type)) {
		double x = float_at(k, row);
		return x != x ? 1 : 0;
	}
	return 0;
}

template <class T> BOTH int sign_of(T a, T b) { return (a > b) - (a < b); }

// Below, at or above zero as row a sorts before, with or behind row b.
BOTH int compare_rows(const Keys& k, u32 a, u32 b) {
	int x = class_of(k, a), y = class_of(k, b);
	if (x != y) return k.nullsAtStart ? y - x : x - y;
	if (x != 0) return 0;
	int c = 0;
	switch (k.type) {
	case U32: c = sign_of(((const u32*)k.values)[a], ((const u32*)k.values)[b]); break;
	case I32: c = sign_of(((const int32_t*)k.values)[a], ((const int32_t*)k.values)[b]); break;
	case U64: c = sign_of(((const u64*)k.values)[a], ((const u64*)k.values)[b]); break;
	case I64: c = sign_of(((const int64_t*)k.values)[a], ((const int64_t*)k.values)[b]); break;
	default: c = sign_of(float_at(k, a), float_at(k, b));
	}
	return k.descending ? -c : c;
}

// Fills a column. Floats are random bits, except where the style says so: 1 in 32 NaN, infinity or a zero of either sign.
__global__ void make_values(Type t, u8* values, u64 n, int distribution, u64 seed, bool odd) {
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
		u64 x = draw(distribution, i, n, seed);
		if (is_ordered(distribution) && (t == I32 || t == I64)) x ^= 1ull << 63; // in the order of the type
		if (odd && is_float(t) && mix(x + i) % 32 == 0) {
			const u64 specials[] = {0, 1ull << 63, 0x7ff0000000000000ull, 0xfff0000000000000ull, 0x7ff8000000000001ull, 0xfff8000000000001ull};
			u64 s = specials[mix(i) % 6];
			double d = __longlong_as_double(s);
			x = t == F64 ? s : (u64)__float_as_uint((float)d) << 32;
		} else if (is_float(t)) { // finite: from the number's leading bits, in (-1, 1)
			double d = (double)(int64_t)x * 0x1p-63;
			x = t == F64 ? (u64)__double_as_longlong(d) : (u64)__float_as_uint((float)d) << 32;
		}
		if (width_of(t) == 4) ((u32*)values)[i] = (u32)(x >> 32);
		else ((u64*)values)[i] = x;
	}
}

__global__ void make_validity(u32* words, u64 n, u64 seed, u32 percent) {
	for (u64 w = (u64)blockIdx.x * blockDim.x + threadIdx.x; w < (n + 31) / 32; w += (u64)gridDim.x * blockDim.x) {
		u32 bits = 0;
		for (int i = 0; i < 32; i++) bits |= (u32)(mix(w * 32 + i + seed) % 100 >= percent) << i;
		words[w] = bits;
	}
}
