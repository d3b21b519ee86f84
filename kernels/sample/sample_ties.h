// The rows of a sample that tie: a hash table of their prefixes finds heavy values, and counts the other rows that tie.
#pragma once
#include "sample/sampled_rows.h"

const u32 HEAVY_HITS = 4;     // rows of the sample that make a value heavy
const u32 DISTANCE_BITS = 16; // leading bits of row numbers that are enough for a distance

template <class Word, u32 rows> struct SampleTies : SampledRows<Word, rows> {
	using Sampled = SampledRows<Word, rows>;
	using Sampled::b, Sampled::EMPTY, Sampled::firsts, Sampled::items, Sampled::key, Sampled::m, Sampled::number,
	    Sampled::place, Sampled::seconds, Sampled::slot, Sampled::value_at, Sampled::values, typename Sampled::Memory;

	using Sampled::Sampled;

	// Rows with the same prefix find the same slot of the table. All rows of a thread probe at once.
	DEVICE void group(const Map* map) {
		Mapper mapper(map);
		u32 open = values;
		UNROLL for (int i = 0; i < items; i++) {
			key[i] = mapper.prefix(number[i], 0);
			if (key[i] == EMPTY) key[i]--;
			slot[i] = (key[i] ^ key[i] >> 15) * 2654435761u >> (32 - Memory::slotBits);
		}
		ROLLED while (open) {
			u32 there[items];
			UNROLL for (int i = 0; i < items; i++) there[i] = *(const volatile u32*)(m.keys + slot[i]);
			UNROLL for (int i = 0; i < items; i++) {
				if (open >> i & 1 && there[i] == EMPTY) there[i] = compare_and_swap(m.keys + slot[i], EMPTY, key[i]);
			}
			UNROLL for (int i = 0; i < items; i++) {
				u32 mine = open >> i & 1;
				firsts |= (u32)(there[i] == EMPTY && mine) << i;
				if (there[i] == EMPTY || there[i] == key[i]) open &= ~(1u << i);
				else if (mine) slot[i] = (slot[i] + (key[i] >> 3 | 1)) % Memory::slots;
			}
		}
		UNROLL for (int i = 0; i < items; i++) {
			if (values >> i & 1)
				atomic_add(m.hits + slot[i], firsts >> i & 1 ? 1 | hash_number(number[i]) >> 16 << 16 : 1);
		}
		sync_block();
		const bool exact = sizeof(Word) == 4 && !mapper.floating; // the same prefix is the same number
		if (!exact) count_second_numbers();
	}
	// Of rows with the same prefix only those with the number of the first count as its hits. One random row of the
	// others represents a second number, so that a value in many rows is found although the first row has another.
	DEVICE void count_second_numbers() {
		u32 others = 0;
		UNROLL for (int i = 0; i < items; i++)
			others |= (u32)(values >> i & 1 && hash(i) != m.hits[slot[i]] >> 16) << i;
		if (!sync_block_or(others != 0)) return;
		UNROLL for (int i = 0; i < items; i++) {
			if (others >> i & 1) atomic_add(m.hits + slot[i], ~0u);
			if (!(firsts >> i & 1)) continue;
			atomic_add(m.hits + slot[i], 0u - (hash(i) << 16)), m.keys[slot[i]] = 0; // neither is needed any more
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			if (others >> i & 1) atomic_max(m.keys + slot[i], lot(i) << 16 | hash(i));
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			u32 drawn = m.keys[slot[i]];
			if (!(others >> i & 1) || (drawn & 0xffff) != hash(i)) continue;
			atomic_add(m.hits + slot[i], 1u << 16);
			seconds |= (u32)(drawn >> 16 == lot(i)) << i;
		}
		sync_block();
	}
	DEVICE u32 hash(int i) const { return hash_number(number[i]) >> 16; }
	// A pseudo-random number, different for all rows.
	DEVICE u32 lot(int i) const { return (i * SAMPLE_THREADS + thread_index()) * 40503 & 0xffff; }
	DEVICE u32 cell_bits() const { return b->bits < CELL_BITS ? (u32)b->bits : CELL_BITS; }
	// Of a first or a second row with its prefix.
	DEVICE u32 hits_of(int i) const { return m.hits[slot[i]] >> (seconds >> i & 1) * 16 & 0xffff; }

	// Finds the values with many hits, in ascending order, at most HEAVY_VALUES of those with the most hits.
	DEVICE void find_heavy(Map* map) {
		u32 candidate = 0;
		UNROLL for (int i = 0; i < items; i++)
			candidate |= (u32)((firsts | seconds) >> i & 1 && hits_of(i) >= HEAVY_HITS) << i;
		for (u32 least = 2 * HEAVY_HITS; sync_block_or(candidate != 0); least *= 2) {
			UNROLL for (int i = 0; i < items; i++) {
				if (!(candidate >> i & 1)) continue;
				u32 at = atomic_add(&m.sums->candidates, 1u);
				if (at < CANDIDATES) m.numbers[at] = number[i], m.found[at] = hits_of(i);
			}
			sync_block();
			u32 count = m.sums->candidates;
			if (count <= CANDIDATES) {
				if (warp_index() == 0) keep(map, count);
				sync_block();
				return;
			}
			sync_block();
			if (thread_index() == 0) m.sums->candidates = 0;
			UNROLL for (int i = 0; i < items; i++) {
				if (candidate >> i & 1 && hits_of(i) < least) candidate &= ~(1u << i);
			}
		}
	}
	// By one warp: keeps a candidate if few others have more hits, at the place of its number.
	DEVICE void keep(Map* map, u32 count) {
		u32 better = 0, lane = lane_index(), mine = lane < count ? m.found[lane] : 0;
		u64 candidate = lane < count ? m.numbers[lane] : 0;
		for (u32 k = 0; k < count; k++) better += m.found[k] > mine || (m.found[k] == mine && m.numbers[k] < candidate);
		bool kept = lane < count && better < HEAVY_VALUES;
		u32 all = vote(kept), place = 0;
		for (u32 k = 0; k < count; k++) place += (all >> k & 1) && m.numbers[k] < candidate;
		if (kept) map->heavy[place].number = candidate, map->heavy[place].rows = mine; // of the sample, until the plan
		if (lane == 0) map->heavies = count_ones(all);
	}

	DEVICE u32 distance_shift() const { return b->rowBits > DISTANCE_BITS ? (u32)b->rowBits - DISTANCE_BITS : 0; }
	// Sums the distances of rows that tie from the first row with their prefix. The prefixes are not needed any more.
	DEVICE u32 add_up_distances(u32 ties) {
		u32 sum = 0, down = distance_shift();
		if (!sync_block_or(ties != 0)) return 0;
		UNROLL for (int i = 0; i < items; i++) {
			if (firsts >> i & 1) m.keys[slot[i]] = (u32)place(i, b->n);
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			if (!(ties >> i & 1)) continue;
			u32 row = (u32)place(i, b->n), first = m.keys[slot[i]];
			sum += (row > first ? row - first : first - row) >> down;
		}
		return sum;
	}

	// Sums the rows that tie in their prefixes, and with their neighbours, and finds the fullest cell; without heavy
	// values.
	DEVICE void add_up(const Map* map) {
		u32 light = values, heavies = (u32)map->heavies, ties = 0, neighbours = 0, fullest = 0;
		for (u32 k = 0; k < heavies; k++) {
			UNROLL for (int i = 0; i < items; i++) light &= ~((u32)(number[i] == (Word)map->heavy[k].number) << i);
		}
		values = light; // from here on
		ties = count_ones(light & ~firsts);
		u32 distance = add_up_distances(light & ~firsts);
		UNROLL for (int i = 0; i < items; i++) {
			// Rows that tie with their neighbour do not count for the fullest cell.
			bool withNeighbour = i % 2 && (light >> (i - 1) & 3) == 3 && key[i] == key[i - 1];
			neighbours += withNeighbour;
			if (!(light >> i & 1) || withNeighbour) continue;
			u32 before = atomic_add(m.cells + (key[i] >> (32 - cell_bits())), 1u);
			fullest = before >= fullest ? before + 1 : fullest;
		}
		u32 sampled = warp_add(count_ones(light));
		ties = warp_add(ties), neighbours = warp_add(neighbours);
		fullest = warp_max(fullest), distance = warp_add(distance);
		if (lane_index() == 0) {
			atomic_add(&m.sums->sampled, sampled);
			if (ties) atomic_add(&m.sums->ties, ties), atomic_add(&m.sums->distance, distance);
			if (neighbours) atomic_add(&m.sums->neighbours, neighbours);
			atomic_max(&m.sums->fullest, fullest);
		}
		sync_block();
	}

	// The row that is compared with the first of a pair, at a distance of 2^octave to 2^(octave + 1) - 1. All octaves
	// up to the distance between pairs are equally frequent, so that few rows find equal ones at any distance.
	DEVICE u64 near_place(int i, u64 n, u32* octave) const {
		u32 lot = hash_number(i / 2 * SAMPLE_THREADS + thread_index() + rows);
		*octave = lot % octaves(n);
		return place(i, n) + (1u << *octave | (lot >> 8 & ((1u << *octave) - 1)));
	}
	DEVICE static u32 octaves(u64 n) { return bit_length(n / (rows / 2)) - 1; }

	// Counts rows that share a bin of the bucket sort with a near row. Where codes have bits of the row number, these
	// spread equal rows over bins; but they are the same for rows that are close together.
	DEVICE void find_near(const Map* map) {
		const u64 n = b->n;
		if (m.sums->ties == 0 || octaves(n) == 0) return;
		Mapper mapper(map);
		Word number[items / 2];
		u32 octave[items / 2], near = 0, hits = 0, below = below_bins(map), valid = 0;
		UNROLL for (int i = 0; i < items; i += 2) {
			u64 row = near_place(i, n, octave + i / 2);
			valid |= (u32)(row < n && value_at(row, number + i / 2)) << i;
		}
		UNROLL for (int i = 0; i < items; i += 2) {
			if (!((valid & values) >> i & 1)) continue; // both are values, and not heavy
			u32 again, mine = mapper.prefix(this->number[i], (u32)place(i, n));
			u32 other = mapper.prefix(number[i / 2], (u32)near_place(i, n, &again));
			if ((mine ^ other) >> below == 0) near += 1u << octave[i / 2], hits++;
		}
		near = warp_add(near), hits = warp_add(hits);
		if (hits && lane_index() == 0) atomic_add(&m.sums->near, near), atomic_add(&m.sums->nearHits, hits);
		sync_block();
	}
	// The bits of a prefix after those of a bin of the bucket sort: none where records hold more of a number than its
	// prefix.
	DEVICE u32 below_bins(const Map* map) const {
		u32 bin = (u32)b->bits + BUCKET_SORT_BIN_BITS;
		return is_exact(map) && bin < 32 ? 32 - bin : 0;
	}
	DEVICE static bool is_exact(const Map* map) { return sizeof(Word) == 4 || map->narrow; }
};
