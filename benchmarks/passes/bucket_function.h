// The two functions from a row to its bin. 256 bins each.
#pragma once
#include "../../kernels/device.h"

// A row: its number, which orders it, and where numbers are equal its row number.
struct Pair {
	u64 number;
	u32 row;

	__host__ __device__ bool operator<(const Pair& p) const {
		return number < p.number || (number == p.number && row < p.row);
	}
};

// LINEAR: eight bits of a word.
template <int shift> struct Linear {
	static const bool borders = false;

	DEVICE void load(u32*, Pair*, u32) const {}
	DEVICE u32 bin(u64 word) const { return (u32)(word >> 32) >> (shift - 32) & 255; }
	template <class Row> DEVICE u32 bin(u64 word, const Row&, const u32*, const Pair*) const { return bin(word); }
};

// BORDERS: the number of borders at or below a row. The search compares the leading 32 bits of numbers
// with borders in the order of Eytzinger; where a border agrees in them, whole pairs decide.
struct Borders {
	static const bool borders = true;
	const u32* leading; // 256 words of each set, the first of them unused
	const Pair* sorted; // 255 pairs of each set

	// All threads of a block load a set: words for the search, and pairs.
	DEVICE void load(u32* search, Pair* pairs, u32 set) const {
		for (u32 i = thread_index(); i < 256; i += block_threads()) {
			search[i] = leading[set * 256 + i];
			if (i < 255) pairs[i] = sorted[set * 255 + i];
		}
	}
	template <class Row> DEVICE u32 bin(u64 number, const Row& row, const u32* search, const Pair* pairs) const {
		u32 x = (u32)(number >> 32), at = 1;
		bool equal = false;
		UNROLL for (int k = 0; k < 8; k++) {
			u32 border = search[at];
			equal |= border == x;
			at = 2 * at + (border <= x);
		}
		at -= 256;
		if (!equal) return at;
		Pair p = {number, row()};
		if (at == 0 || !(p < pairs[at - 1])) return at; // most often
		if (at == 1 || !(p < pairs[at - 2])) return at - 1;
		return among_equal(p, pairs);
	}
	NOINLINE static u32 among_equal(Pair p, const Pair* pairs) {
		u32 low = 0;
		ROLLED for (u32 by = 128; by > 0; by /= 2) low += p < pairs[low + by - 1] ? 0 : by;
		return low;
	}
};
