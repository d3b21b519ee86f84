// The map from numbers to prefixes, in registers.
#pragma once
#include "common/value_map.h"

static_assert(sizeof(Map) == MAP_BYTES && sizeof(PartialStatistics) == PARTIAL_STATISTICS_BYTES,
              "the sizes of tuning.go");

// The bits of a number, at least one.
DEVICE u32 bit_length(u64 x) {
	return x >> 32 ? 64 - count_leading_zeros((u32)(x >> 32)) : 32 - count_leading_zeros((u32)x | 1);
}

struct Mapper {
	u64 low, top; // top: of number - low
	u32 right, left, scale, rowLeft, rowScale, heavies, classes;
	bool clamps, floating, narrow;
	const Map* map;

	DEVICE explicit Mapper(const Map* m)
	    : low(m->low), top(m->last - m->low), right((u32)m->right), left((u32)m->left), scale((u32)m->scale),
	      rowLeft((u32)m->rowLeft), rowScale((u32)m->rowScale), heavies((u32)m->heavies), classes((u32)m->classes),
	      clamps(m->clamps != 0), floating(m->floating != 0), narrow(m->narrow != 0), map(m) {}

	// Neither clamps nor row numbers: the maps of columns that fill the range of their type.
	DEVICE bool simple() const { return !clamps && left == 0 && !floating; }
	DEVICE u32 simple_prefix(u32 number) const {
		u32 x = number - (u32)low;
		return x + multiply_high(x, scale);
	}
	// A code is the prefix, followed by more bits of the number. The bits that are shifted out take part in the
	// product, because its slope is up to two, which would leave every other prefix empty.
	DEVICE u64 simple_code(u64 number) const {
		u64 above = number - low;
		u32 x = (u32)(above >> right), below = (u32)(above << (32 - right));
		return (u64)x * scale + ((u64)x << 32 | below);
	}
	DEVICE u32 simple_prefix(u64 number) const { return (u32)(simple_code(number) >> 32); }
	DEVICE u64 simple_code(u32 number) const { return (u64)simple_prefix(number) << 32; }
	// For a narrow map. One comparison finds numbers greater than the range, and those less than it, whose difference
	// wraps around.
	template <class Word> DEVICE u32 narrow_prefix(Word number, u32 row) const {
		Word above = number - (Word)low;
		u32 x = (u32)(above >> right) << left;
		x += multiply_high(x, scale) + multiply_high(row << rowLeft, rowScale);
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
	DEVICE u32 prefix_by_bits(u64 number, u32 row) const {
		return narrow ? narrow_prefix(number, row) : (u32)(wide_code(number) >> 32);
	}
	template <class Word> DEVICE u32 by_value(Word number, u32 row) const {
		ValueMap<Word> values(map);
		return (u32)(values.code_of(pattern_of_number(number, (Word)map->flip, (Word)map->sign), values.share(row)) >>
		             32);
	}
	template <class Word> DEVICE u32 prefix(Word number, u32 row) const {
		return floating ? by_value(number, row) : prefix_by_bits(number, row);
	}
};

// Makes a map of numbers low..last, of at most most, which are multiples of 2^stride apart, for row numbers of rowBits
// bits. Slopes are at least one, so that different numbers stay different. Rows are spread over all the prefixes from a
// number to the next one.
DEVICE void make_map(Map* m, u64 low, u64 last, u64 most, u32 stride, u32 rowBits) {
	u64 top = last - low;
	u32 bits = bit_length(top >> stride), right = bits > 32 ? bits + stride - 32 : stride,
	    left = bits < 32 ? 32 - bits : 0, x = (u32)(top >> right) << left;
	u64 end = (u64)x + (1ull << left), scale = (((1ull << 32) - end) << 32) / end;
	m->low = low, m->last = last, m->right = right, m->left = left;
	m->scale = scale < ~0u ? scale : ~0u;
	m->rowLeft = 32 - rowBits, m->rowScale = left ? (1u << left) + multiply_high(1u << left, (u32)m->scale) : 0;
	m->clamps = low != 0 || last != most, m->narrow = bits <= 32;
	m->floating = 0, m->equalized = NOT_EQUALIZED, m->lossyLow = 1, m->lossyHigh = m->zero = m->sides = m->rests = 0;
}
