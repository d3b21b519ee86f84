// The bins of the finish: a few rows that are told apart by comparing them.
#pragma once
#include "device.h"

const u32 LARGEST_BIN = 31; // rows that one thread orders; larger ones are for the whole block

template <class T> DEVICE void order_two(T& a, T& b) {
	T less = a < b ? a : b;
	b = a < b ? b : a;
	a = less;
}

// What orders words says whether some agree from bit shift on; a shift of 0 does not ask.
template <int shift> DEVICE bool agree(u32 a, u32 b) { return shift > 0 && (a ^ b) >> shift == 0; }

// A sorting network for three or four words (5 comparisons).
template <int shift> DEVICE bool order_four(u32* at, u32 rows) {
	u32 a = at[0], b = at[1], c = at[2], d = rows > 3 ? at[3] : ~0u;
	order_two(a, b), order_two(c, d), order_two(a, c), order_two(b, d), order_two(b, c);
	at[0] = a, at[1] = b, at[2] = c;
	if (rows > 3) at[3] = d;
	return agree<shift>(a, b) || agree<shift>(b, c) || (rows > 3 && agree<shift>(c, d));
}

// A sorting network for up to eight words (19 comparisons).
template <int shift> DEVICE bool order_eight(u32* at, u32 rows) {
	u32 v[8];
	UNROLL for (u32 k = 0; k < 8; k++) v[k] = k < rows ? at[k] : ~0u;
	const u8 pairs[19][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
	                         {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
	UNROLL for (int k = 0; k < 19; k++) order_two(v[pairs[k][0]], v[pairs[k][1]]);
	bool some = false;
	UNROLL for (u32 k = 0; k < 8; k++) {
		if (k < rows) at[k] = v[k];
		if (k > 0) some |= k < rows && agree<shift>(v[k - 1], v[k]);
	}
	return some;
}

DEVICE void order_many(u32* at, u32 rows) {
	ROLLED for (u32 k = 1; k < rows; k++) {
		u32 x = at[k], j = k;
		ROLLED for (; j > 0 && at[j - 1] > x; j--) at[j] = at[j - 1];
		at[j] = x;
	}
}

// Orders three or more words. Of very many it always says that some agree.
template <int shift> DEVICE bool order_bin(u32* at, u32 rows) {
	if (rows <= 4) return order_four<shift>(at, rows);
	if (rows <= 8) return order_eight<shift>(at, rows);
	order_many(at, rows);
	return shift > 0;
}

// Orders the words of a block by all its threads. All runs ascend, so that nothing has to stand for the words that are missing up to a
// power of two: they would stay where they are, at the end. A barrier comes behind.
template <u32 threads, class Word, class Greater> DEVICE void sort_bitonic(Word* words, u32 count, const Greater& greater) {
	for (u32 k = 2; k / 2 < count; k *= 2) {
		for (u32 j = k / 2; j > 0; j /= 2) {
			for (u32 x = thread_index(); x < count; x += threads) {
				u32 low = (x & ~(j - 1)) * 2 | (x & (j - 1)), high = j == k / 2 ? low ^ (k - 1) : low | j; // at first the halves face each other
				if (high >= count) continue;
				Word a = words[low], b = words[high];
				if (greater(a, b)) words[low] = b, words[high] = a;
			}
			sync_block();
		}
	}
}
