// Bins of the bucket sort: a few rows, which are ordered by comparisons.
#pragma once
#include "common/device.h"

// The most rows of a bin that one thread orders, that one warp orders, and that one of many warps orders.
const u32 THREAD_BIN = 8, WARP_BIN = 64, LARGE_BIN = 512;

template <class T> DEVICE void order_two(T& a, T& b) {
	T less = a < b ? a : b;
	b = a < b ? b : a;
	a = less;
}

// Reports whether two words agree from bit shift on; false for shift 0. The functions that order words return whether
// some of them do.
template <int shift, class Word> DEVICE bool agree(Word a, Word b) { return shift > 0 && (a ^ b) >> shift == 0; }

// A sorting network for three or four words (5 comparisons).
template <int shift, class Word> DEVICE bool order_four(Word* at, u32 rows) {
	Word a = at[0], b = at[1], c = at[2], d = rows > 3 ? at[3] : (Word)~0ull;
	order_two(a, b), order_two(c, d), order_two(a, c), order_two(b, d), order_two(b, c);
	at[0] = a, at[1] = b, at[2] = c;
	if (rows > 3) at[3] = d;
	return agree<shift>(a, b) || agree<shift>(b, c) || (rows > 3 && agree<shift>(c, d));
}

// A sorting network for up to eight words (19 comparisons).
template <int shift, class Word> DEVICE bool order_eight(Word* at, u32 rows) {
	Word v[8];
	UNROLL for (u32 k = 0; k < 8; k++) v[k] = k < rows ? at[k] : (Word)~0ull;
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

// Orders three to eight words.
template <int shift, class Word> DEVICE bool order_bin(Word* at, u32 rows) {
	return rows <= 4 ? order_four<shift>(at, rows) : order_eight<shift>(at, rows);
}

// Teams of threads that order larger bins.
struct WarpTeam {
	static const u32 size = 32;
	DEVICE static u32 index() { return lane_index(); }
	DEVICE static void sync() { sync_warp(); }
	DEVICE static bool any(bool p) { return vote(p) != 0; }
	DEVICE static u64 any_of(u64 bits, u32*) { return warp_or(bits); }
};
template <u32 threads> struct BlockTeam {
	static const u32 size = threads;
	DEVICE static u32 index() { return thread_index(); }
	DEVICE static void sync() { sync_block(); }
	DEVICE static bool any(bool p) { return sync_block_or(p); }
	// two: two words of shared memory.
	DEVICE static u64 any_of(u64 bits, u32* two) {
		if (thread_index() < 2) two[thread_index()] = 0;
		sync_block();
		bits = warp_or(bits);
		if (lane_index() < 2) atomic_or(two + lane_index(), (u32)(bits >> 32 * lane_index()));
		sync_block();
		bits = (u64)two[1] << 32 | two[0];
		sync_block();
		return bits;
	}
};

// Orders places 0..count-1, by a team. All runs ascend, so that the places missing up to a power of two, which would
// stay at the end, need no value. order puts two places in order. Ends with a barrier.
template <class Team, class Order> DEVICE void sort_bitonic(u32 count, const Order& order) {
	for (u32 k = 2; k / 2 < count; k *= 2) {
		for (u32 j = k / 2; j > 0; j /= 2) {
			ROLLED for (u32 x = Team::index();; x += Team::size) {
				// The first step compares mirrored halves.
				u32 low = (x & ~(j - 1)) * 2 | (x & (j - 1)), high = j == k / 2 ? low ^ (k - 1) : low | j;
				if (low >= count) break;
				if (high < count) order(low, high);
			}
			Team::sync();
		}
	}
}
