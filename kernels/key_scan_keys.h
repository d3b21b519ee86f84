// A look at several keys, which are read as one column of numbers. What is in order, or is no pair of integers, is read by a loop that takes any keys; most pairs
// by loops of their own, each of which is a function, so that none has to spare registers for another.
#pragma once
#include "keys.h"
#include "look.h"

// The rows of a warp. All are values: NaN and null are numbers here.
struct KeysChunk : Chunk<u64> {
	DEVICE static NumberedRow at(const Field* f, u64 row) { return NumberedRow(number_of_keys(f, row)); }
	DEVICE void load_any(KeysReader& reader, u64 first, u64 rows) {
		bool whole = first + CHUNK_ROWS <= rows;
		reader.load<CHUNK_ITEMS>(number, first, rows, whole);
		inside = 0;
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) inside |= (u32)(whole || first + place(i) < rows) << i;
		take_all();
	}
	template <class Reader> DEVICE void load_whole(Reader& reader, u64 first) {
		reader.template make<CHUNK_ITEMS>(number, first);
		inside = ALL_ITEMS;
		take_all();
	}
	DEVICE void take_all() { values = inside, nulls = 0; }
};

// plain: there are no heavy values, and codes are not narrow.
template <bool plain> struct KeysLooker : Looker<KeysChunk, plain> {
	typedef Looker<KeysChunk, plain> Any;
	using Any::b, Any::behind, Any::ends_group, Any::seen, Any::watch;
	const u32 n;
	const Mapper map;
	u32 first; // of the chunk

	DEVICE KeysLooker(const Buckets* b, u32 first) : Any(b), n((u32)b->n), map(&this->m->map), first(first) {}

	DEVICE bool is_whole() const { return first < n && n - first >= CHUNK_ROWS; }
	DEVICE void look(const KeysChunk& c) {
		this->look_at(c, first, vote(c.values != ALL_ITEMS) == 0, [&](u64 x, u32 row) { return map.prefix_by_bits(x, row); });
	}
	// Behind a chunk.
	DEVICE void advance() {
		u32 then = behind(first);
		if (!plain && (ends_group(first) || then >= n)) this->add_classes(first);
		first = then;
	}
	// Behind the last chunk of a loop, the one before first.
	DEVICE u32 stop(bool outside, u32 last) {
		if (!plain) this->add_classes(last);
		this->store(outside, true);
		return first;
	}

	// Rows of any keys, to the end, or until their order is known.
	DEVICE u32 run_any(bool toTheEnd) {
		KeysReader reader(&b->field);
		u32 last = first;
		while (first < n && (toTheEnd || !watch.done)) {
			KeysChunk c;
			c.load_any(reader, first, n);
			if (!watch.done) this->look_back(&b->field, c, first, false);
			look(c);
			last = first;
			advance();
		}
		return stop(reader.outside, last);
	}
	// Whole chunks of a pair whose order is known.
	template <class Reader> DEVICE u32 run_pairs(Reader& reader) {
		u32 last = first;
		while (is_whole()) {
			KeysChunk c;
			c.load_whole(reader, first);
			look(c);
			last = first;
			advance();
		}
		return stop(reader.outside, last);
	}
	// The same where it is plain. What is said of the least and the greatest number leaves room for any low word, and of the bits, for any.
	template <class Reader> DEVICE u32 run_plain(Reader& reader) {
		u32 least = ~0u, greatest = 0;
		while (is_whole()) {
			u64 number[CHUNK_ITEMS];
			u32 bucket[CHUNK_ITEMS];
			reader.template make<CHUNK_ITEMS>(number, first);
			UNROLL for (u64 x : number) {
				u32 high = (u32)(x >> 32);
				least = high < least ? high : least;
				greatest = high > greatest ? high : greatest;
			}
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) bucket[i] = (u32)(map.wide_code(number[i]) >> 32) >> this->shift;
			this->count_all(bucket);
			first = behind(first);
		}
		if (least <= greatest) seen.least = (u64)least << 32, seen.greatest = (u64)greatest << 32 | ~0u, seen.any = ~0ull, seen.all = 0;
		return stop(reader.outside, first);
	}
};

APART u32 look_at_any_keys(const Buckets* b, u32 first, bool toTheEnd) { return KeysLooker<false>(b, first).run_any(toTheEnd); }
template <class Reader> APART u32 look_at_pairs(const Buckets* b, u32 first, Reader reader) { return KeysLooker<false>(b, first).run_pairs(reader); }
template <class Reader> APART u32 look_at_plain_pairs(const Buckets* b, u32 first, Reader reader) { return KeysLooker<true>(b, first).run_plain(reader); }

DEVICE void look_at_keys(const Buckets* b, LookMemory* m) {
	const bool pair = is_pair(&b->field), plain = m->map.heavies == 0 && !m->map.narrow;
	u64* w = m->warps + warp_index() * LookMemory::words;
	if (lane_index() < LookMemory::words) w[lane_index()] = 0;
	sync_warp();
	const bool counts = m->verdict.why == WHY_NOT; // else nothing but the order is asked for
	u32 group = KeysLooker<false>(b, 0).group, first = (block_index() * (LOOK_THREADS / 32) + warp_index()) * group * CHUNK_ROWS;
	if (!pair || !m->unordered) first = look_at_any_keys(b, first, counts && !pair);
	if (!counts || !pair) return;
	with_pair(&b->field, [&](auto reader) { first = plain ? look_at_plain_pairs(b, first, reader) : look_at_pairs(b, first, reader); });
	if (first < b->n) look_at_any_keys(b, first, true);
}
