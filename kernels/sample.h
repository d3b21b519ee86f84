// What a sample of a column suggests: a map that spreads the rows, values that are in many rows, and whether too many rows tie.
#pragma once
#include "mapper.h"
#include "numbers.h"

const u32 HEAVY_HITS = 4;    // rows of the sample that make a value heavy
const u32 CANDIDATES = 32;   // values that are looked at as heavy ones
const u32 SAMPLE_MARGIN = 6; // the range of the sample is widened by 1 / 2^6 on both sides

// Shared memory of a sample of so many rows.
template <u32 rows> struct SampleMemory {
	static const u32 slots = 2 * rows, bytes = slots * 6 + 1024;

	u32 *table, *hits; // hits: two of 16 bits in a word
	u32 *sums;         // 64 words
	u64* numbers;      // of candidates
	u32* found;        // hits of candidates

	DEVICE explicit SampleMemory(u8* memory)
	    : table((u32*)memory), hits(table + slots), sums(hits + slots / 2), numbers((u64*)(sums + 64)), found((u32*)(numbers + CANDIDATES)) {}
};

DEVICE u32 hash_number(u64 x) {
	x *= 0x9e3779b97f4a7c15ull;
	return (u32)(x >> 32) ^ (u32)(x >> 20);
}

// A Sampler works with all threads of a block. Neighbours are the rows 2 k and 2 k + 1 of a sample. Source says get(i), the number of
// row i of this thread, and is(i), whether it is a value.
template <u32 rows, u32 threads, class Source> struct Sampler {
	static const int items = rows / threads;
	static_assert(items * threads == rows && items % 2 == 0, "neighbours in one thread");
	typedef SampleMemory<rows> Memory;

	const Source& source;
	Memory m;
	u32 values = 0; // of the sample

	DEVICE Sampler(const Source& source, u8* memory) : source(source), m(memory) {}

	DEVICE u32 total(u32 x) {
		x = warp_add(x);
		sync_block();
		if (lane_index() == 0) m.sums[warp_index()] = x;
		sync_block();
		u32 all = 0;
		for (u32 w = 0; w < threads / 32; w++) all += m.sums[w];
		return all;
	}
	DEVICE u64 greatest(u64 x) {
		u64* sums = (u64*)m.sums;
		x = warp_max(x);
		sync_block();
		if (lane_index() == 0) sums[warp_index()] = x;
		sync_block();
		for (u32 w = 0; w < threads / 32; w++) x = sums[w] > x ? sums[w] : x;
		return x;
	}
	DEVICE void clear(bool alsoHits) {
		sync_block();
		for (u32 i = thread_index(); i < Memory::slots; i += threads) {
			m.table[i] = ~0u;
			if (alsoHits && i < Memory::slots / 2) m.hits[i] = 0;
		}
		sync_block();
	}
	// The slot of a key, and whether it was there.
	DEVICE u32 find(u32 key, bool& known) {
		if (key == ~0u) key = 0; // one key stands for two: a sample need not be exact
		for (u32 slot = (u32)(key * 2654435761u) / (~0u / Memory::slots + 1);; slot = (slot + 1) % Memory::slots) {
			u32 is = compare_and_swap(m.table + slot, ~0u, key);
			known = is == key;
			if (known || is == ~0u) return slot;
		}
	}

	// The least and the greatest number, widened by a little.
	DEVICE void range(u64 most, u64* low, u64* last) {
		u64 notLeast = 0, top = 0;
		u32 count = 0;
		UNROLL for (int i = 0; i < items; i++) {
			if (!source.is(i)) continue;
			u64 x = source.get(i);
			notLeast = ~x > notLeast ? ~x : notLeast;
			top = x > top ? x : top;
			count++;
		}
		values = total(count);
		u64 least = ~greatest(notLeast);
		top = greatest(top);
		if (values == 0) least = 0;
		u64 margin = ((top - least) >> SAMPLE_MARGIN) + (top > least);
		*low = least > margin ? least - margin : 0;
		*last = most - top > margin ? top + margin : most;
	}

	// The values with many hits, in ascending order, at most HEAVY_VALUES of those with the most hits. They are the same in every
	// block that takes the same sample.
	DEVICE void heavy_values(Map* map) {
		u32 slot[items];
		u32 first = 0; // bit i: row i came first to its slot
		clear(true);
		UNROLL for (int i = 0; i < items; i++) {
			slot[i] = 0;
			if (!source.is(i)) continue;
			bool known;
			slot[i] = find(hash_number(source.get(i)), known);
			atomic_add(m.hits + slot[i] / 2, 1u << slot[i] % 2 * 16);
			if (!known) first |= 1u << i;
		}
		u32 count = 0, least = HEAVY_HITS;
		for (;; least *= 2) {
			sync_block();
			if (thread_index() == 0) m.sums[63] = 0;
			sync_block();
			UNROLL for (int i = 0; i < items; i++) {
				u32 hits = m.hits[slot[i] / 2] >> slot[i] % 2 * 16 & 0xffff;
				if (!(first >> i & 1) || hits < least) continue;
				u32 at = atomic_add(m.sums + 63, 1u);
				if (at < CANDIDATES) m.numbers[at] = source.get(i), m.found[at] = hits;
			}
			sync_block();
			count = m.sums[63];
			if (count <= CANDIDATES) break;
		}
		if (thread_index() < 32) keep(map, count);
		sync_block();
	}
	// One warp: a candidate that has few better ones is kept, at the place of its number.
	DEVICE void keep(Map* map, u32 count) {
		u32 better = 0, lane = lane_index(), mine = lane < count ? m.found[lane] : 0;
		u64 number = lane < count ? m.numbers[lane] : 0;
		for (u32 k = 0; k < count; k++) better += m.found[k] > mine || (m.found[k] == mine && m.numbers[k] < number);
		bool kept = lane < count && better < HEAVY_VALUES;
		u32 all = vote(kept), place = 0;
		for (u32 k = 0; k < count; k++) place += (all >> k & 1) && m.numbers[k] < number;
		if (lane < CLASSES) map->heavy[lane] = {};
		sync_warp();
		if (kept) map->heavy[place].number = number;
		if (lane == 0) map->heavies = count_ones(all);
	}

	// Rows that tie in their prefixes, and with their neighbours; heavy values are no rows here.
	DEVICE void ties(const Map* map, Verdict* v) {
		Mapper mapper(map);
		u32 ties = 0, neighbours = 0, light = 0, last = 0;
		bool hadLast = false;
		clear(false);
		UNROLL for (int i = 0; i < items; i++) {
			bool is = source.is(i);
			u64 x = source.get(i);
			for (u32 k = 0; k < mapper.heavies; k++) is &= x != map->heavy[k].number;
			u32 prefix = mapper.prefix(x, 0);
			if (is) {
				bool known;
				find(prefix, known);
				light++, ties += known;
				neighbours += i % 2 && hadLast && prefix == last;
			}
			hadLast = is, last = prefix;
		}
		v->sampled = total(light), v->ties = total(ties), v->neighbours = total(neighbours);
	}
};

// Rows that tie with more than eight others are better sorted by digits, and so are neighbours that tie by the dozen. Bits of the row
// number behind the code tell rows apart.
DEVICE u32 doubt(const Verdict& v, const Mapper& map, u32 sample, const Buckets* b) {
	u64 top = map.last - map.low;
	if (v.sampled != 0 && b->needed < 64 && top >> b->needed == 0) return WHY_FEW;
	if (v.sampled == 0) return WHY_NOT;
	double partners = 2.0 * (v.ties - v.neighbours) * b->n / ((double)v.sampled * sample);
	for (u32 k = 0; k < map.left; k++) partners /= 2;
	return partners > 8 || v.neighbours > 0.35 * v.sampled ? WHY_EQUAL : WHY_NOT;
}

// Takes all decisions that a sample allows. map and verdict are in shared memory.
template <u32 rows, u32 threads, class Source> DEVICE void take_sample(const Buckets* b, const Source& source, u8* memory, Map* map, Verdict* verdict) {
	Sampler<rows, threads, Source> sampler(source, memory);
	u64 low, last, most = b->codeBits < 64 ? (1ull << b->codeBits) - 1 : ~0ull;
	sampler.range(most, &low, &last);
	if (thread_index() == 0) make_map(map, low, last, most, (u32)b->rowBits);
	sampler.heavy_values(map);
	Verdict v = {};
	sampler.ties(map, &v);
	v.why = doubt(v, Mapper(map), rows < b->n ? rows : (u32)b->n, b);
	if (thread_index() == 0) *verdict = v;
	sync_block();
}
