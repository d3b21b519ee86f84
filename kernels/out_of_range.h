// Rows outside of the range that the sample has foreseen have one code, however many they are. They are told apart by their distances instead, and
// none tie but equal ones where their numbers lie close together.
#pragma once
#include "numbers.h"
#include "window.h"

// Puts the distances from the least number of a span of integers, or their leading bits, in place of the codes of its records, which are loaded. By all
// threads; a barrier comes behind.
template <class Word, class Finish> DEVICE void measure_distances(Finish& sorter, volatile Span* span) {
	const int items = sizeof(sorter.place) / sizeof(u32);
	const Field* f = &sorter.b.field;
	const u32 offset = span->first % 32, rows = span->rows;
	Numbers<Word> numbers(f);
	Word number[items], notLeast = 0, greatest = 0;
	UNROLL for (int i = 0; i < items; i++) {
		number[i] = Finish::inside(i, offset, rows) ? load((const Word*)f->values + (sorter.word[i] & sorter.row_mask())) : 0;
	}
	UNROLL for (int i = 0; i < items; i++) {
		number[i] ^= numbers.flip;
		if (!Finish::inside(i, offset, rows)) continue;
		notLeast = (Word)~number[i] > notLeast ? (Word)~number[i] : notLeast;
		greatest = number[i] > greatest ? number[i] : greatest;
	}
	block_range((u64*)sorter.stage, &notLeast, &greatest);
	const Word least = (Word)~notLeast;
	const u32 room = Finish::bitsOfBins + 32 - Finish::indexBits, bits = bit_length(greatest - least), shift = bits > room ? bits - room : 0;
	sync_block();
	if (thread_index() == 0) {
		span->low = 0, span->binShift = bits - shift > Finish::bitsOfBins ? bits - shift - Finish::bitsOfBins : 0;
		if (shift == 0) span->ties = 0;
	}
	UNROLL for (int i = 0; i < items; i++) {
		sorter.place[i] = (u32)((number[i] - least) >> shift);
		sorter.word[i] &= sorter.row_mask();
	}
	sync_block();
}
template <class Finish> DEVICE void tell_apart(Finish& sorter, volatile Span* span) {
	const Field* f = &sorter.b.field;
	if (span->ties != TIES_ANYWHERE || f->form != FORM_INTEGER) return;
	if (f->width == 4) {
		measure_distances<u32>(sorter, span);
	} else {
		measure_distances<u64>(sorter, span);
	}
}
