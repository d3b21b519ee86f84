// Key columns on the device, and the order that their rows must have, written down without any code.
#pragma once
#include "device.h"
#include "generated.h"

BOTH u32 width_of(Type t) { return t == I16 ? 2 : t <= F32 ? 4 : 8; }
BOTH bool is_float(Type t) { return t == F32 || t == F64; }
BOTH bool is_signed(Type t) { return t != U32 && t != U64; }

BOTH double float_at(const Key& k, u32 row) {
	return k.type == F32 ? ((const float*)k.values)[row] : ((const double*)k.values)[row];
}

BOTH int class_of(const Key& k, u32 row) {
	u64 at = k.bit + row;
	if (k.validity && !(((const u32*)k.validity)[at / 32] >> (at % 32) & 1)) return 2;
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
	int c = 0;
	for (int k = 0; k < o.count && c == 0; k++) c = compare_rows(o.key[k], a, b);
	return c;
}

// A number of the distribution, else a finite one of the leading bits of x, in (-1, 1), or what the recipe asks for.
BOTH double float_of(const Recipe& r, u64 x, u64 i) {
	u64 choice = mix(x + i) % 1000;
	if (choice < r.nanPermille) return i % 2 ? NAN : -NAN;
	if (choice < r.nanPermille + r.zeroPermille) return i % 2 ? 0.0 : -0.0;
	if (is_real(r.distribution)) return draw_real(r.distribution, x);
	return (double)(int64_t)x * 0x1p-63;
}

// Writes the value of a row.
BOTH void make_value(const Recipe& r, u8* values, u64 i, u64 n, u64 seed) {
	u64 x = r.variant ? draw_generated(r.variant, i) : draw(r.distribution, i, n, seed);
	if (is_ordered(r.distribution) && is_signed(r.type)) x ^= 1ull << 63; // in the order of the type
	if (r.anyBits && width_of(r.type) == 4) ((u32*)values)[i] = (u32)(x >> 32);
	else if (r.anyBits) ((u64*)values)[i] = x;
	else if (r.type == F64) ((double*)values)[i] = float_of(r, x, i);
	else if (r.type == F32) ((float*)values)[i] = (float)float_of(r, x, i);
	else if (width_of(r.type) == 2) ((u16*)values)[i] = (u16)(x >> 48);
	else if (width_of(r.type) == 4) ((u32*)values)[i] = (u32)(x >> 32);
	else ((u64*)values)[i] = x;
}

// The validity of rows 32 * w to 32 * w + 31.
BOTH u32 validity_word(u64 w, u64 seed, u32 nullsPercent) {
	u32 bits = 0;
	for (int i = 0; i < 32; i++) bits |= (u32)(mix(w * 32 + i + seed) % 100 >= nullsPercent) << i;
	return bits;
}
