// Key columns on the device, and the order that their rows must have, written down without any code.
#pragma once
#include "../../kernels/test/argsort.h"
#include "../../kernels/test/distributions.h"
#include "generated.h"

enum Type { U32, I32, F32, U64, I64, F64, I16, TYPES };
const char* const typeNames[] = {"u32", "i32", "f32", "u64", "i64", "f64", "i16"};

BOTH u32 width_of(Type t) { return t == I16 ? 2 : t <= F32 ? 4 : 8; }
BOTH bool is_float(Type t) { return t == F32 || t == F64; }
BOTH bool is_signed(Type t) { return t != U32 && t != U64; }

// What is in a column. Floats are finite but for the thousandths that are NaN, and zero in the thousandths that are
// zeros of either sign.
struct Recipe {
	Type type;
	int distribution;
	u32 nullsPercent, nanPermille, zeroPermille;
	bool anyBits; // floats of any bits, in place of finite ones
	u64 variant;  // of a generated distribution; 0: the distribution above
};

// A Key is a column with the order that is wanted.
struct Key {
	Type type;
	const u8* values;
	const u32* validity; // may be null
	bool descending, nullsAtStart;
	u64 bit; // of row 0 in validity
};

// Keys are one key, or two of which the second decides between rows that tie in the first.
struct Keys {
	int count;
	Key key[2];
};

BOTH double float_at(const Key& k, u32 row) {
	return k.type == F32 ? ((const float*)k.values)[row] : ((const double*)k.values)[row];
}

BOTH int class_of(const Key& k, u32 row) {
	u64 at = k.bit + row;
	if (k.validity && !(k.validity[at / 32] >> (at % 32) & 1)) return 2;
	if (is_float(k.type)) {
		double x = float_at(k, row);
		return x != x ? 1 : 0;
	}
	return 0;
}

template <class T> BOTH int sign_of(T a, T b) { return (a > b) - (a < b); }
template <class T> BOTH int compare_at(const Key& k, u32 a, u32 b) {
	return sign_of(((const T*)k.values)[a], ((const T*)k.values)[b]);
}

// Below, at or above zero if row a sorts before, with or after row b.
BOTH int compare_rows(const Key& k, u32 a, u32 b) {
	int x = class_of(k, a), y = class_of(k, b);
	if (x != y) return k.nullsAtStart ? y - x : x - y;
	if (x != 0) return 0;
	int c = 0;
	switch (k.type) {
	case U32: c = compare_at<u32>(k, a, b); break;
	case I32: c = compare_at<int32_t>(k, a, b); break;
	case U64: c = compare_at<u64>(k, a, b); break;
	case I64: c = compare_at<int64_t>(k, a, b); break;
	case I16: c = compare_at<int16_t>(k, a, b); break;
	default: c = sign_of(float_at(k, a), float_at(k, b));
	}
	return k.descending ? -c : c;
}

BOTH int compare_rows(const Keys& o, u32 a, u32 b) {
	int c = compare_rows(o.key[0], a, b);
	return c == 0 && o.count > 1 ? compare_rows(o.key[1], a, b) : c;
}

// A number of the distribution, else a finite one of the leading bits of x, in (-1, 1), or what the recipe asks for.
BOTH double float_of(const Recipe& r, u64 x, u64 i) {
	u64 choice = mix(x + i) % 1000;
	if (choice < r.nanPermille) return i % 2 ? NAN : -NAN;
	if (choice < r.nanPermille + r.zeroPermille) return i % 2 ? 0.0 : -0.0;
	if (is_real(r.distribution)) return draw_real(r.distribution, x);
	return (double)(int64_t)x * 0x1p-63;
}

__global__ void make_values(Recipe r, u8* values, u64 n, u64 seed) {
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) {
		u64 x = r.variant ? draw_generated(r.variant, i, n) : draw(r.distribution, i, n, seed);
		if (is_ordered(r.distribution) && is_signed(r.type)) x ^= 1ull << 63; // in the order of the type
		if (r.anyBits)
			width_of(r.type) == 4 ? (void)(((u32*)values)[i] = (u32)(x >> 32)) : (void)(((u64*)values)[i] = x);
		else if (r.type == F64) ((double*)values)[i] = float_of(r, x, i);
		else if (r.type == F32) ((float*)values)[i] = (float)float_of(r, x, i);
		else if (width_of(r.type) == 2) ((u16*)values)[i] = (u16)(x >> 48);
		else if (width_of(r.type) == 4) ((u32*)values)[i] = (u32)(x >> 32);
		else ((u64*)values)[i] = x;
	}
}

__global__ void make_validity(u32* words, u64 n, u64 seed, u32 nullsPercent) {
	for (u64 w = (u64)blockIdx.x * blockDim.x + threadIdx.x; w < (n + 31) / 32; w += (u64)gridDim.x * blockDim.x) {
		u32 bits = 0;
		for (int i = 0; i < 32; i++) bits |= (u32)(mix(w * 32 + i + seed) % 100 >= nullsPercent) << i;
		words[w] = bits;
	}
}
