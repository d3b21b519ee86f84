// Decimals of two or four limbs, ordered as package keyencode orders them.
#pragma once
#include "common/device.h"

struct Limbs {
	u64 limb[4];
};

// The value of a row as ordered limbs: two's complement with the sign bit flipped.
DEVICE Limbs decimal_at(u64 values, u64 width, u64 row) {
	const u64* at = (const u64*)(values + row * width);
	Limbs v = {{load(at), load(at + 1), 0, 0}};
	if (width == 32) v.limb[2] = load(at + 2), v.limb[3] = load(at + 3);
	v.limb[width / 8 - 1] ^= 1ull << 63;
	return v;
}

DEVICE Limbs operator-(const Limbs& a, const Limbs& b) {
	Limbs d;
	u64 borrow = 0;
	UNROLL for (int i = 0; i < 4; i++) {
		u64 x = a.limb[i] - b.limb[i];
		d.limb[i] = x - borrow;
		borrow = (a.limb[i] < b.limb[i]) | (x < borrow);
	}
	return d;
}

DEVICE Limbs operator>>(const Limbs& a, u32 by) { // by is below 64
	if (by == 0) return a;
	Limbs d;
	UNROLL for (int i = 0; i < 3; i++) d.limb[i] = a.limb[i] >> by | a.limb[i + 1] << (64 - by);
	d.limb[3] = a.limb[3] >> by;
	return d;
}

// Below, at or above zero as a is less than, equal to or greater than b.
DEVICE int compare(const Limbs& a, const Limbs& b) {
	UNROLL for (int i = 3; i >= 0; i--) {
		if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i] ? -1 : 1;
	}
	return 0;
}

// The number of a row of a FORM_DECIMAL field.
DEVICE u64 decimal_number(const Field* f, u64 row) {
	Limbs base, last;
	UNROLL for (int i = 0; i < 4; i++) base.limb[i] = f->base[i], last.limb[i] = f->last[i];
	Limbs v = (decimal_at(f->values, f->width, row) - base) >> (u32)f->shift;
	if (f->descending) v = last - v;
	u64 number = v.limb[0];
	UNROLL for (int i = 1; i < 4; i++) { // no indexing: it would put the limbs in memory
		if (f->limb == (u64)i) number = v.limb[i];
	}
	return number + f->bias;
}
