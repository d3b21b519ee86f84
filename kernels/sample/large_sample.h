// A larger sample, for what the first one cannot tell: groups of adjacent rows, one from each of equal strips.
#pragma once
#include "sample/sample_range.h"

const u32 GROUP_BITS = 13, MOST_GROUP_BITS = 17; // the least and the most bits of the number of groups
const u32 ROWS_OF_GROUP_BITS = 10;               // between them there is a group for 2^10 rows
const u32 MOST_PROBES = 64;    // of a key in the table of Ties
const float MOST_CROWDED = 1.12f; // the rows that share a cell with a row, times those of evenly spread ones
const float MOST_PARTNERS = 8; // of a row, the rows that share its bin: with more, digits are faster

template <class Word> struct LargeSample {
	static const int inFlight = 8, vector = 16 / sizeof(Word); // groups whose loads are in flight; rows of a group
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
	// Calls visit(number, row) for each value of the first rows of 2^bits groups that is not heavy; a row that is a
	// multiple of vector is the first of its group. By all threads; ends with a barrier.
	template <int rows, class Visit> DEVICE void for_values(u32 bits, const Visit& visit) const {
		const Field* f = &b->field;
		const u64 all = b->n / vector;
		ROLLED for (u32 first = thread_index(); first >> bits == 0; first += inFlight * SAMPLE_THREADS) {
			Word x[vector * inFlight];
			u32 row[inFlight], valid = ~0u;
			UNROLL for (int k = 0; k < inFlight; k++) {
				u32 group = first + k * SAMPLE_THREADS;
				if (group >> bits) group = first, valid &= ~(((1u << vector) - 1) << k * vector);
				row[k] = ((u32)(group * all >> bits) + multiply_high(hash_number(group), (u32)(all >> bits))) * vector;
				load_vector((const Word*)f->values + row[k], x + vector * k);
			}
			if (f->validity) {
				UNROLL for (int k = 0; k < vector * inFlight; k++)
					valid &= ~((u32)!bit_at((const u32*)f->validity, f->bit + row[k / vector] + k % vector) << k);
			}
			ROLLED for (int k = 0; k < vector * inFlight; k++) { // code that runs for the first time is slow
				if (k % vector >= rows) continue;
				if (numbers.make(x[k]) && valid >> k & 1 && !is_heavy(x[k])) visit(x[k], row[k / vector] + k % vector);
			}
		}
		sync_block();
	}

	// Counts rows that tie with another one, among the first rows of groups whose keys have the same hash but for some
	// bits: all rows with such a key. So few are sampled that the table stays half empty, unless the keys were made for
	// it: then keys that find no slot soon are not counted. The table is empty before.
	template <u32 slotBits> struct Ties {
		static const u32 EMPTY = ~0u;
		u32 *table, *sums; // 2^slotBits words; two words, zero before
		u32 skipped;       // bits of hashes that are zero in those that count

		DEVICE Ties(u32* table, u32* sums, u32 groupBits)
		    : table(table), sums(sums), skipped(groupBits > slotBits - 1 ? groupBits - (slotBits - 1) : 0) {}
		DEVICE void add(u64 key, u32 row) const {
			if (row % vector) return;
			u32 hash = hash_number(key), slot = hash * 2654435761u >> (32 - slotBits);
			if (hash & ((1u << skipped) - 1)) return;
			if (hash == EMPTY) hash--;
			atomic_add(sums + 1, 1u);
			ROLLED for (u32 probes = 0; probes < MOST_PROBES; probes++) {
				u32 there = compare_and_swap(table + slot, EMPTY, hash);
				if (there == EMPTY) return;
				if (there == hash) return (void)atomic_add(sums, 1u);
				slot = (slot + 1) % (1 << slotBits);
			}
		}
		// Of a row of the column, the others with its key: an estimate, of at most as many as there are.
		DEVICE float partners(u64 n, u32 groupBits) const {
			float rows = (float)sums[1] + 0.5f;
			return 2.0f * sums[0] * n / (rows * (float)(1u << groupBits));
		}
	};
};
