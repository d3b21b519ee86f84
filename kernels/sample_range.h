// The range of the numbers of a column, from a sample: how far it may reach beyond what the sample has seen.
#pragma once
#include "numbers.h"

const u32 SAMPLE_MARGIN = 6;     // the range of the sample is widened by 1 / 2^6 on both sides
const u32 CLOSER_OF = 1 << 12;   // rows of which a group of neighbours is looked at for the range, where that matters
const u32 CLOSER_ROWS = 4;       // of a group: they come in the same 32 bytes

DEVICE u32 hash_number(u64 x) {
	x = (x ^ x >> 32) * 0x9e3779b97f4a7c15ull;
	return (u32)((x ^ x >> 29) * 0xbf58476d1ce4e5b9ull >> 32);
}

// Widens a range by that of more rows of a column of integers, by all threads of the block.
template <class Word> APART void look_closer(const Buckets* b, u64* warps, Word* least, Word* greatest) {
	const int together = 8, vector = 16 / sizeof(Word), lanes = CLOSER_ROWS / vector; // loads that are on their way at once; lanes of a group
	const Field* f = &b->field;
	const Word flip = Numbers<Word>(f).flip;
	Word notLeast = (Word)~*least, top = *greatest, x[together * vector];
	u64 count = b->n / CLOSER_OF * lanes;
	ROLLED for (u64 first = thread_index(); first < count; first += together * SAMPLE_THREADS) {
		auto row = [&](int k) {
			u64 i = first + k * SAMPLE_THREADS < count ? first + k * SAMPLE_THREADS : first, group = i / lanes;
			return group * CLOSER_OF + hash_number(group) % (CLOSER_OF / CLOSER_ROWS) * CLOSER_ROWS + i % lanes * vector;
		};
		UNROLL for (int k = 0; k < together; k++) load_vector((const Word*)f->values + row(k), x + k * vector);
		UNROLL for (int k = 0; k < together * vector; k++) {
			if (f->validity != 0 && !bit_at((const u32*)f->validity, f->bit + row(k / vector) + k % vector)) continue;
			x[k] ^= flip;
			notLeast = (Word)~x[k] > notLeast ? (Word)~x[k] : notLeast;
			top = x[k] > top ? x[k] : top;
		}
	}
	sync_block();
	block_range(warps, &notLeast, &top);
	*least = (Word)~notLeast, *greatest = top;
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
