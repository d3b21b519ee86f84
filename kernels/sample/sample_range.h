// The range of the numbers of a column, from a sample: how far to extend it.
#pragma once
#include "common/numbers.h"

const u32 SAMPLE_MARGIN = 6;     // the range of the sample is widened by 1 / 2^6 on both sides
const u32 CROWDED_MARGIN = 3;    // the same where rows lie unevenly: those out of range share two buckets
const u32 CLOSER_OF = 1 << 12;   // one group of adjacent rows of this many is read for the range
const u32 CLOSER_ROWS = 4;       // of a group: they come in the same 32 bytes

DEVICE u32 hash_number(u64 x) {
	x = (x ^ x >> 32) * 0x9e3779b97f4a7c15ull;
	return (u32)((x ^ x >> 29) * 0xbf58476d1ce4e5b9ull >> 32);
}

// Widens a range by that of more rows of an integer column, by all threads of the block. The rows of a thread are at
// equal distances plus a random part, which threads do not share.
template <class Word> NOINLINE void refine_range(const Buckets* b, u64* warps, Word* least, Word* greatest) {
	const int inFlight = 8, vector = 16 / sizeof(Word); // loads in flight
	const u32 lanes = CLOSER_ROWS / vector, step = SAMPLE_THREADS / lanes, count = (u32)(b->n / CLOSER_OF),
	          mine = thread_index() / lanes;
	const u32 row = hash_number(mine) % (CLOSER_OF / CLOSER_ROWS) * CLOSER_ROWS + thread_index() % lanes * vector;
	const Field* f = &b->field;
	const Word flip = Numbers<Word>(f).flip;
	Word notLeast = (Word)~*least, top = *greatest, x[inFlight * vector];
	ROLLED for (u32 first = mine; first < count; first += inFlight * step) {
		auto place = [&](u32 k) { return (first + k * step < count ? first + k * step : first) * CLOSER_OF + row; };
		u32 valid = ~0u;
		UNROLL for (u32 k = 0; k < inFlight; k++) load_vector((const Word*)f->values + place(k), x + k * vector);
		if (f->validity) {
			ROLLED for (u32 k = 0; k < inFlight * vector; k++)
				valid &= ~((u32)!bit_at((const u32*)f->validity, f->bit + place(k / vector) + k % vector) << k);
		}
		UNROLL for (u32 k = 0; k < inFlight * vector; k++) {
			Word number = valid >> k & 1 ? x[k] ^ flip : top;
			notLeast = (Word)~number > notLeast ? (Word)~number : notLeast;
			top = number > top ? number : top;
		}
	}
	sync_block();
	block_range(warps, &notLeast, &top);
	*least = (Word)~notLeast, *greatest = top;
}

// The range of a small sample is narrower.
DEVICE u32 margin_bits(const Buckets* b) {
	return !b->crowded ? SAMPLE_MARGIN : b->n > SMALL_SAMPLE_OF ? CROWDED_MARGIN : CROWDED_MARGIN - 1;
}

// How far to widen a range on both sides: a multiple of the stride. If that makes 8-byte numbers exceed a narrow map by
// a little, the range of more rows is widened only as far as the map allows: the few rows out of range share the first
// and the last prefix.
template <class Word> DEVICE u64 range_margin(const Buckets* b, u64* warps, u32 stride, Word* least, Word* greatest) {
	u64 below = (1ull << stride) - 1, room = 0xffffffffull << stride, span = (u64)(*greatest - *least);
	u64 wanted = ((span >> margin_bits(b)) + (span > 0) + below) & ~below;
	if (sizeof(Word) == 4 || b->field.form != FORM_INTEGER || room >> stride != 0xffffffff)
		return wanted;
	if (span >= room || span + 2 * wanted <= room) return wanted;
	refine_range(b, warps, least, greatest);
	span = (u64)(*greatest - *least);
	return span <= room ? (room - span) / 2 & ~below : wanted;
}
