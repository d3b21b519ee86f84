// What a sample of a column suggests: a map that spreads the rows, values that are in many rows, and whether too many rows tie.
#pragma once
#include "mapper.h"
#include "numbers.h"

const u32 HEAVY_HITS = 4;    // rows of the sample that make a value heavy
const u32 CANDIDATES = 32;   // values that are looked at as heavy ones
const u32 SAMPLE_MARGIN = 6; // the range of the sample is widened by 1 / 2^6 on both sides
const u32 SAMPLE_THREADS = 1024;

// Shared memory of a sample of so many rows.
template <u32 rows> struct SampleMemory {
	static const u32 slots = 2 * rows, bytes = slots * 4 + rows * 4 + 1024;

	u32 *table, *keys; // keys: later the hits of a group
	u64* sums;         // 3 words for each warp; later numbers of candidates
	u32 *found, *count; // hits of candidates

	DEVICE explicit SampleMemory(u8* memory)
	    : table((u32*)memory), keys(table + slots), sums((u64*)(keys + rows)), found((u32*)(sums + 96)), count(found + CANDIDATES) {}
};

DEVICE u32 hash_number(u64 x) {
	x = (x ^ x >> 32) * 0x9e3779b97f4a7c15ull;
	return (u32)((x ^ x >> 29) * 0xbf58476d1ce4e5b9ull >> 32);
}

// A Sampler works with all threads of a block, each with some rows of the sample. Neighbours are rows 2 k and 2 k + 1 of a thread. The
// result is the same in every block that takes the same sample.
template <u32 rows> struct Sampler {
	static const int items = rows / SAMPLE_THREADS;
	static_assert(items * SAMPLE_THREADS == rows && items % 2 == 0, "neighbours in one thread");
	typedef SampleMemory<rows> Memory;

	u64 number[items];
	u32 values = 0; // bit i: row i is a value
	u32 owner[items];
	Memory m;

	DEVICE explicit Sampler(u8* memory) : m(memory) {}

	DEVICE u32 index(int i) const { return i * SAMPLE_THREADS + thread_index(); }

	// Three numbers of all threads together; the first two are greatest numbers, the third is a sum.
	DEVICE void join(u64& a, u64& b, u64& sum) {
		a = warp_max(a), b = warp_max(b), sum = warp_sum(sum);
		sync_block();
		if (lane_index() == 0) m.sums[warp_index()] = a, m.sums[32 + warp_index()] = b, m.sums[64 + warp_index()] = sum;
		sync_block();
		a = warp_max(m.sums[lane_index()]), b = warp_max(m.sums[32 + lane_index()]), sum = warp_sum(m.sums[64 + lane_index()]);
	}

	// Makes a map of the range of the numbers, widened by a little.
	DEVICE void map_range(const Buckets* b, const Field* f, Map* map) {
		u64 most = b->codeBits < 64 ? (1ull << b->codeBits) - 1 : ~0ull;
		u64 notLeast = 0, top = 0, count = count_ones(values);
		UNROLL for (int i = 0; i < items; i++) {
			if (!(values >> i & 1)) continue;
			notLeast = ~number[i] > notLeast ? ~number[i] : notLeast;
			top = number[i] > top ? number[i] : top;
		}
		join(notLeast, top, count);
		u64 least = count ? ~notLeast : 0, margin = ((top - least) >> SAMPLE_MARGIN) + (top > least);
		u64 low = least > margin ? least - margin : 0, last = most - top > margin ? top + margin : most;
		if (thread_index() == 0) make_map(map, low, last, most, (u32)b->rowBits);
		if (f->form == FORM_FLOAT) map_values(f, least, top, map);
	}
	// Floats are mapped by their values where that spreads them better.
	DEVICE void map_values(const Field* f, u64 least, u64 top, Map* map) {
		const u32 bins = 64, shift = 26;
		const double share = 1.0 / (1 << SAMPLE_MARGIN);
		u32 *byBits = m.table, *byValue = byBits + bins, *usable = byValue + bins;
		Map* other = (Map*)(usable + 2);
		for (u32 i = thread_index(); i < 2 * bins; i += SAMPLE_THREADS) m.table[i] = 0;
		if (thread_index() == 0) {
			*usable = f->width == 4 ? make_value_map(other, (u32)least, (u32)top, share, Numbers<u32>(f).flip, (u32)f->sign)
			                        : make_value_map(other, least, top, share, Numbers<u64>(f).flip, f->sign);
		}
		sync_block();
		if (!*usable) return;
		Mapper mapper(map), otherMapper(other);
		UNROLL for (int i = 0; i < items; i++) {
			if (!(values >> i & 1)) continue;
			u32 p = f->width == 4 ? otherMapper.prefix((u32)number[i], 0) : otherMapper.prefix(number[i], 0);
			atomic_add(byBits + (mapper.prefix(number[i], 0) >> shift), 1u);
			atomic_add(byValue + (p >> shift), 1u);
		}
		sync_block();
		if (thread_index() != 0) return;
		u32 mostByBits = 0, mostByValue = 0;
		for (u32 k = 0; k < bins; k++) {
			mostByBits = byBits[k] > mostByBits ? byBits[k] : mostByBits;
			mostByValue = byValue[k] > mostByValue ? byValue[k] : mostByValue;
		}
		other->heavies = 0;
		if (mostByValue < mostByBits) *map = *other;
	}

	// Rows with the same key get the same owner, one of them. A row writes its number into a slot of its key and looks who is there
	// then; those who find another key try another slot.
	DEVICE void group(const u32 (&key)[items], u32 some) {
		sync_block();
		UNROLL for (int i = 0; i < items; i++) m.keys[index(i)] = key[i], owner[i] = index(i);
		u32 open = some, factor = 2654435761u;
		do {
			sync_block();
			UNROLL for (int i = 0; i < items; i++) {
				if (open >> i & 1) exchange(m.table + slot(key[i], factor), index(i));
			}
			sync_block();
			UNROLL for (int i = 0; i < items; i++) {
				if (!(open >> i & 1)) continue;
				u32 there = m.table[slot(key[i], factor)];
				if (m.keys[there] == key[i]) owner[i] = there, open &= ~(1u << i);
			}
			factor = factor * 1664525u + 1013904222u; // odd again
		} while (sync_block_or(open != 0));
	}
	DEVICE static u32 slot(u32 key, u32 factor) { return ((key ^ key >> 15) * factor) / (~0u / Memory::slots + 1); }

	// The values with many hits, in ascending order, at most HEAVY_VALUES of those with the most hits. Numbers whose hashes are the same by
	// chance are none of them: which one of them is the owner may differ from block to block.
	DEVICE void heavy_values(Map* map) {
		const u32 mixed = 1u << 31;
		u32 key[items];
		UNROLL for (int i = 0; i < items; i++) key[i] = hash_number(number[i]);
		group(key, values);
		u32* hits = m.keys;
		u64* numbers = (u64*)m.table;
		UNROLL for (int i = 0; i < items; i++) hits[index(i)] = 0, numbers[index(i)] = number[i];
		if (thread_index() < CLASSES) map->heavy[thread_index()] = {};
		if (thread_index() == 0) map->heavies = 0;
		sync_block();
		u32 candidate = 0;
		UNROLL for (int i = 0; i < items; i++) {
			if (!(values >> i & 1)) continue;
			atomic_add(hits + owner[i], 1u);
			if (numbers[owner[i]] != number[i]) atomic_or(hits + owner[i], mixed);
		}
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			if (values >> i & 1 && owner[i] == index(i) && hits[index(i)] >= HEAVY_HITS && !(hits[index(i)] & mixed)) candidate |= 1u << i;
		}
		u32 least = HEAVY_HITS;
		while (sync_block_or(candidate != 0)) {
			if (thread_index() == 0) *m.count = 0;
			sync_block();
			UNROLL for (int i = 0; i < items; i++) {
				if (!(candidate >> i & 1)) continue;
				u32 at = atomic_add(m.count, 1u);
				if (at < CANDIDATES) m.sums[at] = number[i], m.found[at] = hits[index(i)];
			}
			sync_block();
			u32 count = *m.count;
			if (count <= CANDIDATES) {
				if (warp_index() == 0) keep(map, count);
				break;
			}
			least *= 2;
			UNROLL for (int i = 0; i < items; i++) {
				if (hits[index(i)] < least) candidate &= ~(1u << i);
			}
		}
		sync_block();
	}
	// One warp: a candidate that has few better ones is kept, at the place of its number.
	DEVICE void keep(Map* map, u32 count) {
		u32 better = 0, lane = lane_index(), mine = lane < count ? m.found[lane] : 0;
		u64 candidate = lane < count ? m.sums[lane] : 0;
		for (u32 k = 0; k < count; k++) better += m.found[k] > mine || (m.found[k] == mine && m.sums[k] < candidate);
		bool kept = lane < count && better < HEAVY_VALUES;
		u32 all = vote(kept), place = 0;
		for (u32 k = 0; k < count; k++) place += (all >> k & 1) && m.sums[k] < candidate;
		if (kept) map->heavy[place].number = candidate;
		if (lane == 0) map->heavies = count_ones(all);
	}

	// Rows that tie in their prefixes, and with their neighbours; heavy values are no rows here.
	DEVICE void ties(const Map* map, u32 width, Verdict* v) {
		Mapper mapper(map);
		u32 key[items], light = values;
		UNROLL for (int i = 0; i < items; i++) key[i] = width == 4 ? mapper.prefix((u32)number[i], 0) : mapper.prefix(number[i], 0);
		for (u32 k = 0; k < mapper.heavies; k++) {
			UNROLL for (int i = 0; i < items; i++) {
				if (number[i] == map->heavy[k].number) light &= ~(1u << i);
			}
		}
		group(key, light);
		u64 ties = 0, neighbours = 0, none = 0, sampled = count_ones(light);
		UNROLL for (int i = 0; i < items; i++) {
			ties += owner[i] != index(i);
			if (i % 2) neighbours += (light >> (i - 1) & 3) == 3 && key[i] == key[i - 1];
		}
		u64 sum = sampled | ties << 20 | neighbours << 40;
		join(none, none, sum);
		v->sampled = (u32)sum & 0xfffff, v->ties = (u32)(sum >> 20) & 0xfffff, v->neighbours = (u32)(sum >> 40);
	}
};

// Rows that tie with more than eight others are better sorted by digits, and so are neighbours that tie by the dozen. Bits of the row
// number behind the code tell rows apart; short floats that tie have to be fetched, and there are so many bits to sort them by only.
DEVICE u32 doubt(const Verdict& v, const Map* map, u32 sample, const Buckets* b) {
	if (v.sampled == 0) return WHY_NOT;
	u64 top = map->last - map->low, span = top - top / 32 - (top >= 2 ? 2 : 0); // without the margin
	if (!map->floating && b->needed < 64 && span >> b->needed == 0) return WHY_FEW;
	float most = !map->floating ? 8.0f * (float)(1ull << map->left) : b->codeBits == 32 ? 0.5f : 8.0f;
	float partners = 2.0f * (v.ties - v.neighbours) * b->n / ((float)v.sampled * sample);
	return partners > most || v.neighbours > 0.35f * v.sampled ? WHY_EQUAL : WHY_NOT;
}

// Takes all decisions that a sample allows. map and verdict are in shared memory.
template <u32 rows> DEVICE void take_sample(const Buckets* b, Sampler<rows>& sampler, Map* map, Verdict* verdict) {
	const Field* f = &b->field;
	sampler.map_range(b, f, map);
	sampler.heavy_values(map);
	Verdict v = {};
	sampler.ties(map, (u32)f->width, &v);
	if (thread_index() == 0) {
		v.why = doubt(v, map, rows < b->n ? rows : (u32)b->n, b);
		*verdict = v;
	}
	sync_block();
}
