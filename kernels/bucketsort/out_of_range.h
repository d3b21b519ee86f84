// Rows out of the sampled range all have the first or the last code. Here they are compared by their distances instead.
// If their numbers are close together, only equal ones tie.
#pragma once
#include "common/numbers.h"
#include "bucketsort/bin_sorter.h"

// Replaces the codes of loaded records of a range of integers by the distances from its least number, or their leading
// bits. By all threads; ends with a barrier.
template <class Word, class BinSorter> DEVICE void measure_distances(BinSorter& sorter, volatile BucketRange* range) {
	const int items = sizeof(sorter.place) / sizeof(u32);
	const Field* f = &sorter.b.field;
	const u32 offset = range->first % 32, rows = range->rows;
	Numbers<Word> numbers(f);
	Word number[items], notLeast = 0, greatest = 0;
	UNROLL for (int i = 0; i < items; i++) {
		number[i] = BinSorter::inside(i, offset, rows)
		                ? load((const Word*)f->values + (sorter.word[i] & sorter.row_mask()))
		                : 0;
	}
	UNROLL for (int i = 0; i < items; i++) {
		number[i] ^= numbers.flip;
		if (!BinSorter::inside(i, offset, rows)) continue;
		notLeast = (Word)~number[i] > notLeast ? (Word)~number[i] : notLeast;
		greatest = number[i] > greatest ? number[i] : greatest;
	}
	block_range((u64*)sorter.stage, &notLeast, &greatest);
	const Word least = (Word)~notLeast;
	const u32 room = BinSorter::bitsOfBins + 32 - BinSorter::indexBits, bits = bit_length(greatest - least),
	          shift = bits > room ? bits - room : 0;
	sync_block();
	if (thread_index() == 0) {
		range->low = 0;
		range->binShift = bits - shift > BinSorter::bitsOfBins ? bits - shift - BinSorter::bitsOfBins : 0;
		if (shift == 0) range->ties = 0;
	}
	UNROLL for (int i = 0; i < items; i++) {
		sorter.place[i] = (u32)((number[i] - least) >> shift);
		sorter.word[i] &= sorter.row_mask();
	}
	sync_block();
}
template <class BinSorter> DEVICE void separate(BinSorter& sorter, volatile BucketRange* range) {
	const Field* f = &sorter.b.field;
	if (range->ties != TIES_ANYWHERE || f->form != FORM_INTEGER) return;
	if (f->width == 4) measure_distances<u32>(sorter, range);
	else measure_distances<u64>(sorter, range);
}
