// Equalized maps of numbers of 8 bytes, for columns of which another map leaves some buckets too large: histogram
// equalization. The codes of a base are cut into equal pieces, and each piece gets as many codes of the result as a
// large sample has rows in it. Within a piece the map is linear.
#pragma once
#include "sample/mapper.h"

const u32 EQUALIZER_BITS = 11;
static_assert(EQUALIZER_PIECES == 1 << EQUALIZER_BITS && EQUALIZER_BYTES == EQUALIZER_PIECES * sizeof(Piece),
              "the sizes of tuning.go");

// Copies the pieces to shared memory, by all threads of the block.
template <int threads> DEVICE void load_pieces(Piece* to, const Buckets* b) {
	for (u32 k = thread_index(); k < EQUALIZER_BYTES / 16; k += threads)
		((Words4*)to)[k] = load_relaxed4((const u32*)b->pieces + 4 * k);
	sync_block();
}

struct Equalizer {
	Mapper map;
	EqualizerBase base;
	u64 zero;
	Sides sides;
	const Piece* pieces;

	DEVICE Equalizer(const Map* m, EqualizerBase base, const Piece* pieces)
	    : map(m), base(base), zero(m->zero), sides((Sides)m->sides), pieces(pieces) {}
	DEVICE Equalizer(const Map* m, const Piece* pieces) : Equalizer(m, (EqualizerBase)m->equalized, pieces) {}

	DEVICE u64 code(u64 number, u32 row) const {
		u64 x = base_code(number, row);
		Piece p = pieces[x >> (64 - EQUALIZER_BITS)];
		return ((u64)p.first << 32) + (u64)p.width * (u32)(x >> (32 - EQUALIZER_BITS));
	}
	DEVICE u64 base_code(u64 number, u32 row) const {
		if (base == BASE_MAGNITUDES) return magnitude_code(number, row);
		if (base == BASE_LINEAR) return map.wide_code(number);
		return ValueMap<u64>(map.map).code_of(pattern_of_number(number, map.map->flip, map.map->sign), 0);
	}
	// With both sides, the leading bit is that of the side.
	DEVICE u64 magnitude_code(u64 number, u32 row) const {
		u32 bits = row << map.rowLeft;
		bool below = sides == BOTH_SIDES ? number < zero : sides == LESS_THAN_ZERO;
		if (is_outside(number)) return below ? ~0ull : 0;
		u64 code = below ? ~magnitude(zero - 1 - number, ~bits) : magnitude(number - zero, bits);
		return sides != BOTH_SIDES ? code : code >> 1 | (u64)!below << 63;
	}
	// All numbers of an unsigned column are on one side: in descending order zero is 2^64.
	DEVICE bool is_outside(u64 number) const {
		return sides == FROM_ZERO_ON ? number < zero : sides == LESS_THAN_ZERO && zero != 0 && number >= zero;
	}
	// A magnitude of e bits: e - 1 in 6 bits, then the bits after its leading one, then those of the row. Of one bit, 0
	// and 1, that bit. Equal magnitudes are spread by their rows over all codes up to the next one.
	DEVICE static u64 magnitude(u64 x, u32 row) {
		u32 bits = bit_length(x);
		u64 fraction = x << (64 - bits) | (bits < 64 ? (u64)row << 32 >> bits : 0);
		if (bits > 1) fraction <<= 1;
		return (u64)(bits - 1) << 58 | fraction >> 6;
	}
};
