// A larger sample, for what the first one does not show: groups of adjacent rows, one from each of equal strips.
#pragma once
#include "sample/sample_range.h"

const u32 GROUP_BITS = 13, MOST_GROUP_BITS = 17; // the least and the most bits of the number of groups
const u32 ROWS_OF_GROUP_BITS = 10;               // between them there is a group for 2^10 rows
const float MOST_CROWDED = 1.12f; // the rows that share a cell with a row, times those of evenly spread ones
const float MOST_PARTNERS = 8; // of a row, the rows that share its bin: with more, digits are faster

template <class Word> struct LargeSample {
	static const int vector = 16 / sizeof(Word); // rows of a group
	const Buckets* b;
	const Map* map;
	Numbers<Word> numbers;

	DEVICE LargeSample(const Buckets* b, const Map* map) : b(b), map(map), numbers(&b->field) {}

	// Bits of the groups by which a column is divided finely. Few rows, in tests, have fewer.
	DEVICE u32 group_bits() const {
		const u32 log2 = bit_length(b->n) - 1, least = GROUP_BITS < log2 - 3 ? GROUP_BITS : log2 - 3;
		if (log2 < least + ROWS_OF_GROUP_BITS) return least;
		return log2 < MOST_GROUP_BITS + ROWS_OF_GROUP_BITS ? log2 - ROWS_OF_GROUP_BITS : MOST_GROUP_BITS;
	}
	DEVICE bool is_heavy(Word number) const {
		bool heavy = false;
		ROLLED for (u32 k = 0; k < (u32)map->heavies; k++) heavy |= (Word)map->heavy[k].number == number;
		return heavy;
	}
	// Calls visit(is, number, row) for each of the first rows of 2^bits groups, by whole warps: is, unless that row of
	// this lane is null or NaN, or heavy. A row that is a multiple of vector is the first of its group.
	template <int rows, class Visit> DEVICE void for_values(u32 bits, const Visit& visit) const {
		const int inFlight = 4 / rows; // groups: all of a batch are in registers
		const Field* f = &b->field;
		const u64 all = b->n / vector;
		ROLLED for (u32 first = thread_index(); first >> bits == 0; first += inFlight * SAMPLE_THREADS) {
			Word x[rows * inFlight];
			u32 row[inFlight], valid = ~0u;
			UNROLL for (int k = 0; k < inFlight; k++) {
				u32 group = first + k * SAMPLE_THREADS;
				if (group >> bits) group = first, valid &= ~(((1u << rows) - 1) << k * rows);
				row[k] = ((u32)(group * all >> bits) + multiply_high(hash_number(group), (u32)(all >> bits))) * vector;
				UNROLL for (int i = 0; i < rows; i++) x[k * rows + i] = load((const Word*)f->values + row[k] + i);
			}
			if (f->validity) {
				UNROLL for (int k = 0; k < rows * inFlight; k++)
					valid &= ~((u32)!bit_at((const u32*)f->validity, f->bit + row[k / rows] + k % rows) << k);
			}
			UNROLL for (int k = 0; k < rows * inFlight; k++) {
				const bool is = numbers.make(x[k]) && valid >> k & 1 && !is_heavy(x[k]);
				visit(is, x[k], row[k / rows] + k % rows);
			}
		}
	}

	// Counts rows that tie with another one, among the first rows of groups whose keys have the same hash but for some
	// bits: all rows with such a key. They are listed, then each writes its place in the list to the slot of its hash,
	// and finds there that of the last row with its key. Those that find another key are not counted. There is room for
	// twice as many rows as are expected; more, of keys that were made for it, are not listed.
	template <u32 slotBits> struct Ties {
		static const u32 room = 1 << (slotBits - 1);
		u32 *list, *sums; // hashes; rows of the list, rows that are counted, and that tie: zero before
		u16* slots;       // 2^slotBits places in the list
		u32 skipped;      // bits of hashes that are zero in those that count
		static_assert(room <= 1 << 16, "a place in the list in a slot");

		// memory: 2^slotBits words.
		DEVICE Ties(u32* memory, u32* sums, u32 groupBits)
		    : list(memory), sums(sums), slots((u16*)(memory + room)),
		      skipped(groupBits > slotBits - 2 ? groupBits - (slotBits - 2) : 0) {}
		// Lists the rows of a warp, those of lanes that are to be.
		DEVICE void add(bool is, u64 key) const {
			const u32 hash = hash_number(key);
			is &= (hash & ((1u << skipped) - 1)) == 0;
			const u32 lanes = vote(is);
			if (lanes == 0) return;
			u32 at = lane_index() == 0 ? atomic_add(sums, count_ones(lanes)) : 0;
			at = shuffle(at, 0) + lanes_before(lanes);
			if (is && at < room) list[at] = hash;
		}
		DEVICE u32 slot(u32 hash) const { return hash * 2654435761u >> (32 - slotBits); }
		// Of a row of the column, the others with its key, none if it does not count: an estimate. By all threads of a
		// block.
		DEVICE float partners(u64 n, u32 groupBits) const {
			sync_block();
			const u32 rows = sums[0] < room ? sums[0] : room;
			u32 counted = 0, tied = 0;
			for (u32 i = thread_index(); i < rows; i += SAMPLE_THREADS) slots[slot(list[i])] = (u16)i;
			sync_block();
			for (u32 i = thread_index(); i < rows; i += SAMPLE_THREADS) {
				const u32 last = slots[slot(list[i])];
				counted += list[last] == list[i], tied += last != i && list[last] == list[i];
			}
			counted = warp_add(counted), tied = warp_add(tied);
			if (lane_index() == 0) atomic_add(sums + 1, counted), atomic_add(sums + 2, tied);
			sync_block();
			const float groups = (float)(1u << groupBits), share = (float)sums[0] * (float)(1u << skipped) / groups;
			return 2.0f * sums[2] * n / (((float)sums[1] + 0.5f) * groups) * share;
		}
	};
};
