// Strings of a column on the device: their bytes, from any address, and what lists of keys know of them.
#pragma once
#include "common/number.h"

// Eight bytes from any address, the first of them in the lowest byte.
DEVICE u64 unaligned_word(const u8* bytes) {
	const u64* words = (const u64*)((u64)bytes & ~7ull);
	u32 shift = (u32)((u64)bytes & 7) * 8;
	return shift ? words[0] >> shift | words[1] << (64 - shift) : words[0];
}

// The first of eight bytes, which is the lowest, becomes the highest.
DEVICE u64 big_endian(u64 word) {
	const u64 bytes = 0x00ff00ff00ff00ffull, pairs = 0x0000ffff0000ffffull;
	word = (word & bytes) << 8 | (word >> 8 & bytes);
	word = (word & pairs) << 16 | (word >> 16 & pairs);
	return word << 32 | word >> 32;
}

// A string, or the rest of one.
struct StringBytes {
	const u8* at;
	u64 length;

	// The bytes from a place on, none from the end on.
	DEVICE StringBytes from(u64 place) const {
		return place < length ? StringBytes{at + place, length - place} : StringBytes{at, 0};
	}
	// The first eight bytes; after the end there are any.
	DEVICE u64 word() const { return unaligned_word(at); }
};

// How many of the first bytes of two strings are the same, at most end.
DEVICE u64 common_bytes(const u8* a, const u8* b, u64 end) {
	for (u64 same = 0; same < end; same += 8) {
		const u64 differ = unaligned_word(a + same) ^ unaligned_word(b + same);
		if (differ == 0) continue;
		const u32 low = (u32)differ;
		same += (low ? lowest_bit(low) : 32 + lowest_bit((u32)(differ >> 32))) / 8;
		return same < end ? same : end;
	}
	return end;
}

DEVICE bool is_null(const Text* t, u64 row) { return t->validity && !bit_at((const u32*)t->validity, t->bit + row); }

// The string of a row that is not null.
DEVICE StringBytes string_of(const Text* t, u64 row) {
	const u64* starts = (const u64*)t->starts;
	const u64 first = starts ? starts[row] : row * t->width;
	return {(const u8*)t->data + first, starts ? starts[row + 1] - first : t->width};
}

// The word of a group has the leading bytes that all its strings are known to have in common, and in the low bits how
// many of the TEXT_PIECE bytes that follow they have not: none at first, more as text_common finds where they differ.
DEVICE u64 known_bytes(u64 word) { return word >> TEXT_PIECE_BITS; }
DEVICE u64 bytes_to_compare(u64 word) { return TEXT_PIECE - (word & TEXT_PIECE); }
DEVICE u64 depth_of(u64 word) { return known_bytes(word) + bytes_to_compare(word); }

// Rows of sorted codes that tie with a neighbour and have more bytes: 1, and for the first of a group 1 in the upper
// half.
struct TextTies {
	const u64* codes;
	u64 n, more; // more: the low bits of codes whose strings have more bytes

	DEVICE TextTies(const u64* codes, u64 n, u64 bytes, u64 descending)
	    : codes(codes), n(n), more(descending ? (1u << TEXT_LEFT_BITS) - 1 - (bytes + 2) : bytes + 2) {}
	DEVICE u64 at(u64 i) const {
		if (i >= n) return 0;
		const u64 code = codes[i];
		if ((code & ((1u << TEXT_LEFT_BITS) - 1)) != more) return 0;
		const bool first = i == 0 || codes[i - 1] != code, last = i + 1 == n || codes[i + 1] != code;
		return first && last ? 0 : 1 | (u64)first << 32;
	}
};
