// The rows of a sample of a column, and the map from their range.
#pragma once
#include "common/numbers.h"
#include "sample/buckets.h"
#include "sample/key_ranges.h"
#include "sample/sample_range.h"

const u32 CANDIDATES = 32; // the most candidates for heavy values
const u32 CELL_BITS = 12;  // most leading bits of prefixes by which rows are counted

// Sums of the block.
struct SampleSums {
	u32 sampled, ties, neighbours, fullest; // fullest: rows of the fullest cell
	u32 tied[3]; // of a larger sample, see Ties
	u32 pairs[3]; // of rows in the same 256th of the prefixes, each twice; in the same cell; in the same 16th
	u32 near, nearHits; // rows that share a bin with a near row: the sum of 2^octave, the number
	u32 distance; // the sum of the distances of ties from the first row with their prefix, in leading DISTANCE_BITS
	u32 rises, falls, mixed; // 1: neighbours that rise or tie; that fall; rows that are no values
	u32 candidates;
	u64 varying; // bits that are not the same in all rows
};

// Shared memory of a sample of the given rows: a hash table of prefixes, by open addressing, and counters.
template <u32 rows> struct SampleMemory {
	static const u32 slotBits = rows == SMALL_SAMPLE_ROWS ? 13 : 14, slots = 1 << slotBits,
	                 bytes = slots * 8 + (4 << CELL_BITS) + 2048;
	static_assert(KEY_SCAN_HEADER + bytes <= SAMPLE_BYTES, "the shared memory of sample");
	static_assert(slots >= 2 * rows, "half of the table stays empty, so that a slot is found soon");

	// hits: 16 bits, and a hash of the number of the first row with the prefix, or the hits of a second number.
	u32 *keys, *hits;
	u32* cells;
	u64* warps; // 128 words
	u64* numbers; // of candidates, and their hits
	u32* found;
	SampleSums* sums;

	DEVICE explicit SampleMemory(u8* memory)
	    : keys((u32*)memory), hits(keys + slots), cells(hits + slots), warps((u64*)(cells + (1 << CELL_BITS))),
	      numbers(warps + 128), found((u32*)(numbers + CANDIDATES)), sums((SampleSums*)(found + CANDIDATES)) {}
};

// The work of one thread of a block on its rows of the sample. Rows 2 k and 2 k + 1 of a thread are adjacent in the
// column.
template <class Word, u32 rows> struct SampledRows {
	static const int items = rows / SAMPLE_THREADS;
	static_assert(items * SAMPLE_THREADS == rows && items % 2 == 0, "neighbours in one thread");
	static const u32 EMPTY = ~0u;
	typedef SampleMemory<rows> Memory;

	const Buckets* b;
	const Field* f;
	Memory m;
	Word number[items];
	u32 key[items], slot[items]; // of the table, see SampleTies
	// Bit i: row i is a value; is the first with its prefix; stands for another number with it.
	u32 values = 0, firsts = 0, seconds = 0;
	u32 stride = 0; // lower bits of a number, in all of which the values agree

	DEVICE SampledRows(const Buckets* b, u8* memory) : b(b), f(&b->field), m(memory) {}

	// The pairs are spread evenly, but not at equal distances, which could match a period of the column.
	DEVICE u64 place(int i, u64 n) const {
		u32 pair = i / 2 * SAMPLE_THREADS + thread_index();
		if (n < rows) return 2 * pair + i % 2;
		u64 first = pair * n / (rows / 2);
		u32 room = (u32)(n / (rows / 2)) - 1;
		return first + multiply_high(hash_number(pair), room) + i % 2;
	}
	DEVICE void read() {
		u64 n = b->n;
		if (sizeof(Word) == 8 && f->form == FORM_KEYS) {
			KeyFit* fit = (KeyFit*)shared_memory();
			UNROLL for (int i = 0; i < items; i += 2) {
				const u64 row = place(i, n), last = n - 1;
				const NumberPair pair = numbers_of_pair(fit, row < last ? row : last, row < last ? row + 1 : last);
				UNROLL for (int k = 0; k < 2; k++) {
					number[i + k] = row + k < n ? (Word)pair.number[k] : 0;
					values |= (u32)(row + k < n) << (i + k);
				}
			}
			sync_block(); // the table is in the same memory
			return;
		}
		Numbers<Word> numbers(f);
		UNROLL for (int i = 0; i < items; i++) {
			u64 row = place(i, n);
			number[i] = row < n ? ::load((const Word*)f->values + row) : 0;
			if (row < n && (f->validity == 0 || bit_at((const u32*)f->validity, f->bit + row))) values |= 1u << i;
		}
		UNROLL for (int i = 0; i < items; i++) {
			if (!numbers.make(number[i])) values &= ~(1u << i);
		}
	}
	// Loads the number of a row; returns whether it is a value.
	DEVICE bool value_at(u64 row, Word* number) const {
		if (sizeof(Word) == 8 && f->form == FORM_KEYS) return *number = (Word)number_of_keys(f, row), true;
		*number = ::load((const Word*)f->values + row);
		bool valid = f->validity == 0 || bit_at((const u32*)f->validity, f->bit + row);
		return Numbers<Word>(f).make(*number) && valid;
	}
	DEVICE void clear() {
		for (u32 i = thread_index(); i < Memory::slots / 4; i += SAMPLE_THREADS) {
			((Words4*)m.keys)[i] = {EMPTY, EMPTY, EMPTY, EMPTY};
			((Words4*)m.hits)[i] = {0, 0, 0, 0};
		}
		for (u32 i = thread_index(); i < (1 << CELL_BITS); i += SAMPLE_THREADS) m.cells[i] = 0;
		if (thread_index() == 0) *m.sums = {};
	}

	// Finds the least and the greatest value, least > greatest if there is none, and the stride.
	DEVICE void find_range(Word* least, Word* greatest) {
		Word notLeast = 0, top = 0, any = 0, notAll = 0;
		bool rises = false, falls = false;
		UNROLL for (int i = 0; i < items; i += 2) {
			u32 above = (lane_index() + 1) % 32, both = values >> i & 3;
			Word third = shuffle(number[i], above);
			bool isValue = (shuffle(values, above) >> i & 1) && lane_index() < 31;
			if (both == 3) rises |= number[i + 1] >= number[i], falls |= number[i + 1] < number[i];
			if (both & 2 && isValue) rises |= third >= number[i + 1], falls |= third < number[i + 1];
		}
		UNROLL for (int i = 0; i < items; i++) {
			if (!(values >> i & 1)) continue;
			Word complement = (Word)~number[i];
			notLeast = complement > notLeast ? complement : notLeast;
			top = number[i] > top ? number[i] : top;
			any |= number[i], notAll |= complement;
		}
		notLeast = warp_max(notLeast), top = warp_max(top), any = warp_or(any), notAll = warp_or(notAll);
		u32 steps =
		    (u32)(vote(rises) != 0) | (u32)(vote(falls) != 0) << 1 | (u32)(vote(values != (1u << items) - 1) != 0) << 2;
		if (lane_index() == 0) {
			m.warps[warp_index()] = notLeast, m.warps[32 + warp_index()] = top;
			m.warps[64 + warp_index()] = any, m.warps[96 + warp_index()] = notAll;
			if (steps & 1) m.sums->rises = 1;
			if (steps & 2) m.sums->falls = 1;
			if (steps & 4) m.sums->mixed = 1;
		}
		sync_block();
		*least = (Word)~warp_max((Word)m.warps[lane_index()]), *greatest = warp_max((Word)m.warps[32 + lane_index()]);
		u64 varying = warp_or((Word)m.warps[64 + lane_index()]) & warp_or((Word)m.warps[96 + lane_index()]);
		if (thread_index() == 0) m.sums->varying = varying;
		if (varying && f->form != FORM_FLOAT) stride = bit_length(varying & (0 - varying)) - 1;
	}

	// Makes a map of the range of the numbers, widened at both ends, for numbers that are multiples of the stride
	// apart.
	DEVICE void make(Map* map, Word least, Word greatest) {
		u64 most = b->codeBits < 64 ? (1ull << b->codeBits) - 1 : ~0ull;
		if (least > greatest) least = greatest = 0;
		u64 below = (1ull << stride) - 1, more = range_margin(b, m.warps, stride, &least, &greatest);
		u64 low = least > more ? least - more : least & below, last = most - greatest > more ? greatest + more : most;
		if (thread_index() == 0) {
			make_map(map, low, last, most, stride, (u32)b->rowBits);
			map->heavies = 0, map->rests = has_rests(f);
			if (b->valuesOnly) map->rowScale = 0; // equal numbers have one prefix
		}
		if (thread_index() < CLASSES) map->heavy[thread_index()] = {};
		sync_block();
		if (f->form == FORM_FLOAT) map_values(map, least, greatest);
	}
	// Maps floats by their values if that spreads them better.
	DEVICE void map_values(Map* map, Word least, Word greatest) {
		const u32 bins = 32, shift = 27;
		const double share = 1.0 / (1 << margin_bits(b));
		u32 *byBits = m.cells, *byValue = byBits + bins;
		Map* other = (Map*)(byValue + bins); // no heavy values: all is zero
		u32* usable = (u32*)(other + 1);
		if (thread_index() == 0)
			*usable = make_value_map(other, least, greatest, share, Numbers<Word>(f).flip, (Word)f->sign, (u32)b->bits,
			                         (u32)b->rowBits);
		sync_block();
		if (*usable) {
			Mapper mapper(map), otherMapper(other);
			UNROLL for (int i = 0; i < items; i++) {
				if (!(values >> i & 1)) continue;
				atomic_add(byBits + (mapper.prefix(number[i], 0) >> shift), 1u);
				atomic_add(byValue + (otherMapper.prefix(number[i], 0) >> shift), 1u);
			}
			sync_block();
			if (warp_index() == 0) {
				u32 mostByBits = warp_max(byBits[lane_index()]), mostByValue = warp_max(byValue[lane_index()]);
				if (mostByValue < mostByBits && lane_index() == 0) *map = *other;
			}
		}
		sync_block();
		for (u32 i = thread_index(); i < 2 * bins + sizeof(Map) / 4 + 1; i += SAMPLE_THREADS) m.cells[i] = 0;
		sync_block();
	}
};
