// The range of the numbers of a column, from a sample: how far it may reach beyond what the sample has seen.
#pragma once
#include "numbers.h"

const u32 SAMPLE_MARGIN = 6;     // the range of the sample is widened by 1 / 2^6 on both sides
const u32 CLOSER_ROWS = 1 << 11; // of so many rows one is looked at for the range, where that matters

DEVICE u32 hash_number(u64 x) {
	x = (x ^ x >> 32) * 0x9e3779b97f4a7c15ull;
	return (u32)((x ^ x >> 29) * 0xbf58476d1ce4e5b9ull >> 32);
}

// The range of all warps of the block: 32 complements of least numbers, and 32 greatest ones.
template <class Word> DEVICE void take_range(const u64* warps, Word* least, Word* greatest) {
	*least = (Word)~warp_max((Word)warps[lane_index()]), *greatest = warp_max((Word)warps[32 + lane_index()]);
}

// Widens a range by that of more rows of a column, by all threads of the block.
template <class Word> APART void look_closer(const Buckets* b, u64* warps, Word* least, Word* greatest) {
	const int together = 8; // rows whose loads are on their way at once
	const Field* f = &b->field;
	Numbers<Word> numbers(f);
	Word notLeast = (Word)~*least, top = *greatest, x[together];
	u64 count = b->n / CLOSER_ROWS;
	ROLLED for (u64 first = thread_index(); first < count; first += together * SAMPLE_THREADS) {
		u32 valid = 0;
		auto row = [&](int k) {
			u64 i = first + k * SAMPLE_THREADS;
			return i < count ? i * CLOSER_ROWS + hash_number(i) % CLOSER_ROWS : first;
		};
		UNROLL for (int k = 0; k < together; k++) x[k] = ::load((const Word*)f->values + row(k));
		UNROLL for (int k = 0; k < together; k++) valid |= (u32)(f->validity == 0 || bit_at((const u32*)f->validity, f->bit + row(k))) << k;
		UNROLL for (int k = 0; k < together; k++) {
			if (!numbers.make(x[k]) || !(valid >> k & 1)) continue;
			Word complement = (Word)~x[k];
			notLeast = complement > notLeast ? complement : notLeast;
			top = x[k] > top ? x[k] : top;
		}
	}
	notLeast = warp_max(notLeast), top = warp_max(top);
	sync_block();
	if (lane_index() == 0) warps[warp_index()] = notLeast, warps[32 + warp_index()] = top;
	sync_block();
	take_range(warps, least, greatest);
}

// By how much a range is to be widened on both sides: a multiple of the stride. Where that takes numbers of 8 bytes a little beyond what a
// narrow map has room for, the range of more rows needs no more than that room: what is outside nevertheless crowds at the ends, but not much.
template <class Word> DEVICE u64 range_margin(const Buckets* b, u64* warps, u32 stride, Word* least, Word* greatest) {
	u64 below = (1ull << stride) - 1, room = 0xffffffffull << stride, span = (u64)(*greatest - *least);
	u64 wanted = ((span >> SAMPLE_MARGIN) + (span > 0) + below) & ~below;
	if (sizeof(Word) == 4 || b->field.form != FORM_INTEGER || b->window != FINISH_WINDOW || room >> stride != 0xffffffff) return wanted;
	if (span >= room || span + 2 * wanted <= room) return wanted;
	look_closer(b, warps, least, greatest);
	span = (u64)(*greatest - *least);
	return span <= room ? (room - span) / 2 & ~below : wanted;
}
