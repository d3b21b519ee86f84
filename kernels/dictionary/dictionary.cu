// Dictionary encoding of the leading bits of codes, their prefixes: where few prefixes occur, a code is the rank of its
// prefix above its other bits. It orders as before, and has fewer digits.
#include "dictionary/dictionary.h"
#include "sample/sample_range.h"

// sample_codes reads a row of each of count equal strips of a column, at pseudo-random places. It zeroes counts.
KERNEL(sample_codes, STREAM_THREADS, 1)(const Field* field, u64 n, u64 count, u64* codes, u64* counts) {
	const u64 step = (u64)grid_blocks() * STREAM_THREADS;
	if (block_index() == 0 && thread_index() < sizeof(PrefixCounts) / 8) counts[thread_index()] = 0;
	for (u64 i = (u64)block_index() * STREAM_THREADS + thread_index(); i < count; i += step) {
		u64 first = i * n / count, rows = (i + 1) * n / count - first;
		codes[i] = field_number(field, first + (u64)multiply_high(hash_number(i), (u32)rows));
	}
}

// count_prefixes counts the prefixes code >> s of codes in sorted order, for all s below 64.
KERNEL(count_prefixes, STREAM_THREADS, 1)(const u64* codes, const u32* order, u64 n, PrefixCounts* counts) {
	const u32 shift = block_index() % 64;
	auto prefix_at = [&](u64 i) { return codes[order[i]] >> shift; };
	const u64 step = (u64)grid_blocks() / 64 * STREAM_THREADS;
	u32 found[3] = {0, 0, 0};
	u64 varying = 0;
	for (u64 i = (u64)(block_index() / 64) * STREAM_THREADS + thread_index(); i < n; i += step) {
		u64 prefix = prefix_at(i);
		varying |= codes[i] ^ codes[0];
		if (i > 0 && prefix_at(i - 1) == prefix) continue;
		bool twice = i + 1 < n && prefix_at(i + 1) == prefix, more = i + 2 < n && prefix_at(i + 2) == prefix;
		found[0]++, found[1] += !twice, found[2] += twice && !more;
	}
	UNROLL for (u32 k = 0; k < 3; k++) {
		u32 sum = warp_add(found[k]);
		if (lane_index() == 0 && sum > 0) atomic_add(&counts->prefixes[shift][k], (u64)sum);
	}
	varying = warp_or(varying);
	if (shift == 0 && lane_index() == 0) atomic_or(&counts->varying, varying);
}

// dictionary_insert makes the dictionary, and writes the slot of the prefix of each row.
KERNEL(dictionary_insert, STREAM_THREADS, 4)
(const Field* field, u64 n, u64 shift, u64* slots, u64 slotBits, u64 most, DictionaryState* state, u32* slotOf) {
	const Dictionary d(slots, slotBits, most, state);
	for_codes(field, n, [&](const Place& p, u64 (&x)[DICTIONARY_ITEMS]) {
		u32 slot[DICTIONARY_ITEMS], wanted = 0;
		UNROLL for (u32 i = 0; i < DICTIONARY_ITEMS; i++) {
			x[i] = PrefixHash::of(x[i] >> shift);
			wanted |= (u32)p.has(i) << i;
			if (p.has(i) && x[i] == PrefixHash::EMPTY) d.decline();
		}
		const bool asks = (p.first >> 7 ^ p.first >> 20) % 4 == 0; // one warp in four, each at times
		const bool goesOn = d.find(x, slot, wanted, asks);
		u32* out = slotOf + p.first + lane_index();
		UNROLL for (u32 i = 0; i < DICTIONARY_ITEMS; i++) {
			if (p.has(i)) store_once(out + 32 * i, slot[i]);
		}
		return goesOn;
	});
}

// dictionary_list lists the prefixes of a dictionary, and their slots.
KERNEL(dictionary_list, STREAM_THREADS, 1)
(const u64* slots, u64 slotBits, u64* prefixes, u32* places, u64 most, DictionaryState* state) {
	const u32 each = DICTIONARY_ITEMS, chunk = STREAM_THREADS * each;
	u32 *sums = (u32*)shared_memory(), *begin = sums + 32;
	for (u64 first = (u64)block_index() * chunk; first >> slotBits == 0; first += (u64)grid_blocks() * chunk) {
		u64 hash[each];
		u32 count = 0, all;
		UNROLL for (u32 i = 0; i < each; i++) {
			u64 slot = first + i * STREAM_THREADS + thread_index();
			hash[i] = slot >> slotBits == 0 ? slots[slot] : PrefixHash::EMPTY;
			count += hash[i] != PrefixHash::EMPTY;
		}
		u32 at = block_exclusive_sum<STREAM_THREADS>(count, sums, &all);
		if (thread_index() == 0) *begin = atomic_add(&state->prefixes, all);
		sync_block();
		at += *begin;
		UNROLL for (u32 i = 0; i < each; i++) {
			if (hash[i] == PrefixHash::EMPTY) continue;
			if (at < most) {
				prefixes[at] = PrefixHash::prefix(hash[i]);
				places[at] = (u32)first + i * STREAM_THREADS + thread_index();
			}
			at++;
		}
	}
}

// dictionary_ranks writes the ranks of prefixes, whose order is known, to their slots.
KERNEL(dictionary_ranks, STREAM_THREADS, 1)(const u32* order, u64 prefixes, const u32* places, u32* ranks) {
	for_each(prefixes, [&](u64 i) { ranks[places[order[i]]] = (u32)i; });
}

template <class Code>
DEVICE void encode_ranks(const Field* field, u64 n, u64 shift, const u32* slotOf, const u32* ranks, Code* codes) {
	const u64 low = (1ull << shift) - 1;
	for_codes(field, n, [&](const Place& p, const u64 (&x)[DICTIONARY_ITEMS]) {
		const u64 first = p.first + lane_index();
		u32 rank[DICTIONARY_ITEMS];
		load_items<DICTIONARY_ITEMS>(p, rank, 0u, [=](int i) { return load(slotOf + first + i); });
		UNROLL for (u32 i = 0; i < DICTIONARY_ITEMS; i++) rank[i] = load(ranks + rank[i]);
		UNROLL for (u32 i = 0; i < DICTIONARY_ITEMS; i++) {
			if (p.has(i)) codes[first + 32 * i] = (Code)((u64)rank[i] << shift | (x[i] & low));
		}
		return true;
	});
}

// dictionary_encode encodes rows by the ranks of their prefixes, in width bytes each.
KERNEL(dictionary_encode, STREAM_THREADS, 4)
(const Field* field, u64 n, u64 shift, const u32* slotOf, const u32* ranks, void* codes, u64 width) {
	if (width == 4) encode_ranks(field, n, shift, slotOf, ranks, (u32*)codes);
	else encode_ranks(field, n, shift, slotOf, ranks, (u64*)codes);
}
