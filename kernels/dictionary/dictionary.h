// A hash table of the prefixes of codes: open addressing, by pairs of slots.
#pragma once
#include "common/column_rows.h"

const u32 DICTIONARY_ITEMS = 4; // rows of a thread that are looked up at a time
const u32 DICTIONARY_PROBES = 128; // the most pairs of slots that are read for a prefix
const u32 DICTIONARY_COUNTED = 128; // one prefix of as many is counted, by its hash

static_assert(sizeof(PrefixCounts) / 8 <= STREAM_THREADS, "a thread zeroes each word");

// A hash is a one to one function of a prefix. So hashes are compared in place of prefixes.
struct PrefixHash {
	static const u64 EMPTY = 0; // a free slot; one prefix of 2^64 has this hash, too
	static const u64 FACTOR = 0x9e3779b97f4a7c15ull, INVERSE = 0xf1de83e19937733dull, BITS = 0x5851f42d4c957f2dull;

	DEVICE static u64 of(u64 prefix) { return (prefix ^ prefix >> 32 ^ BITS) * FACTOR; }
	DEVICE static u64 prefix(u64 hash) {
		u64 x = hash * INVERSE ^ BITS;
		return x ^ x >> 32;
	}
};

// The hash table. Prefixes are inserted and found by all threads at once.
struct Dictionary {
	u64* slots; // 2^slotBits
	u32 slotBits, most; // most: of the prefixes that are counted
	DictionaryState* state;

	DEVICE Dictionary(u64* slots, u64 slotBits, u64 most, DictionaryState* state)
	    : slots(slots), slotBits((u32)slotBits), most((u32)(most + most / 8) / DICTIONARY_COUNTED + 32), state(state) {}

	DEVICE u32 home(u64 hash) const { return (u32)(hash >> (64 - slotBits)) & ~1u; }

	// Finds the slots of a lane's items whose bits are set in wanted, and adds hashes that are not there. A slot that
	// is read as free, from the L1 cache, may be so no more: compare_and_swap reports. By all lanes of a warp. Returns
	// false if the dictionary is declined and it asks, as it does after many probes.
	DEVICE bool find(const u64 (&hash)[DICTIONARY_ITEMS], u32 (&slot)[DICTIONARY_ITEMS], u32 wanted, bool asks) const {
		const u32 declined = asks ? load_relaxed(&state->declined) : 0;
		UNROLL for (u32 i = 0; i < DICTIONARY_ITEMS; i++) slot[i] = home(hash[i]);
		u32 probes = 0;
		ROLLED for (; wanted != 0; probes++) {
			u64 pair[DICTIONARY_ITEMS][2];
			UNROLL for (u32 i = 0; i < DICTIONARY_ITEMS; i++) { // all in flight before the first is used
				if (wanted >> i & 1) load_pair(slots + slot[i], pair[i]);
			}
			UNROLL for (u32 i = 0; i < DICTIONARY_ITEMS; i++) {
				UNROLL for (u32 at = 0; at < 2; at++) {
					if (!(wanted >> i & 1) || !settle(hash[i], slot[i] + at, pair[i][at])) continue;
					wanted &= ~(1u << i), slot[i] += at;
				}
				if (wanted >> i & 1) slot[i] = (slot[i] + 2) & ((1u << slotBits) - 1);
			}
			if (probes == DICTIONARY_PROBES) decline(), wanted = 0;
		}
		if (vote(probes > DICTIONARY_PROBES / 16)) return vote(load_relaxed(&state->declined) != 0) == 0;
		return vote(declined != 0) == 0;
	}
	// Whether a slot, in which there was read, has a hash, or is free and gets it.
	DEVICE bool settle(u64 hash, u32 slot, u64 there) const {
		if (there == PrefixHash::EMPTY) {
			there = compare_and_swap(slots + slot, PrefixHash::EMPTY, hash);
			if (there == PrefixHash::EMPTY) return count(hash), true;
		}
		return there == hash;
	}
	DEVICE void count(u64 hash) const {
		if ((hash >> 32) % DICTIONARY_COUNTED == 0 && atomic_add(&state->counted, 1u) >= most) decline();
	}
	DEVICE void decline() const { store_relaxed(&state->declined, 1u); }
};

// Calls visit(place, codes) for the rows of a column, DICTIONARY_ITEMS of a lane at a time, while it returns true.
template <class Visit> DEVICE void for_codes(const Field* field, u64 n, const Visit& visit) {
	const u32 chunk = 32 * DICTIONARY_ITEMS;
	const u64 warps = STREAM_THREADS / 32, step = (u64)grid_blocks() * warps * chunk;
	ColumnRows<u64, DICTIONARY_ITEMS> rows(field);
	for (u64 first = ((u64)block_index() * warps + warp_index()) * chunk; first < n; first += step) {
		Place here(first, n, chunk);
		rows.load(here);
		rows.encode(here);
		if (!visit(here, rows.x)) return;
	}
}
