// What partition and finish share: prefixes of codes.
#pragma once
#include "column.h"

// A Prefix takes the leading 32 bits of a code, and the bits behind them.
struct Prefix {
	u32 right, left;

	DEVICE explicit Prefix(u64 codeBits) : right(codeBits > 32 ? (u32)codeBits - 32 : 0), left(codeBits < 32 ? 32 - (u32)codeBits : 0) {}
	DEVICE u32 of(u64 code) const { return (u32)(code >> right) << left; }
	DEVICE u32 of(u32 code) const { return code << left; } // a short code
	DEVICE u32 rest(u64 code) const { return (u32)(code & ((1ull << right) - 1)); }
};

// The code of a row from anywhere in the column.
DEVICE u64 code_at(const Field* f, const Linear& linear, u32 row) {
	if (f->validity != 0 && !bit_at((const u32*)f->validity, f->bit + row)) return linear.null;
	return linear.number(f->width == 4 ? load((const u32*)f->values + row) : load((const u64*)f->values + row));
}
