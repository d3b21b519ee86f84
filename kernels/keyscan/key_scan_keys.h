// The key scan of several keys, which are read as one column of numbers. A general loop reads any keys, and rows whose
// order is not decided; special loops read most pairs of integers. Each loop is a separate function, so that it has all
// registers.
#pragma once
#include "common/keys.h"
#include "keyscan/key_scan.h"

// The rows of a warp. All are values: NaN and null have numbers.
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
template <bool plain> struct MultiKeyScan : KeyScan<KeysChunk, plain> {
	typedef KeyScan<KeysChunk, plain> Any;
	using Any::b, Any::next_chunk, Any::seen, Any::order;
	const u32 n;
	const Mapper map;
	u32 first; // of the chunk

	DEVICE MultiKeyScan(const Buckets* b, u32 first) : Any(b), n((u32)b->n), map(&this->m->map), first(first) {}

	DEVICE bool is_whole() const { return first < n && n - first >= CHUNK_ROWS; }
	DEVICE void scan(const KeysChunk& c) {
		this->scan_chunk(c, first, vote(c.values != ALL_ITEMS) == 0,
		                 [&](u64 x, u32 row) { return map.prefix_by_bits(x, row); });
	}
	// Called after the last chunk of a loop, which begins at last.
	DEVICE u32 stop(bool outside, u32 last) {
		if (!plain) this->add_classes(last);
		this->store(outside, true);
		return first;
	}

	// Reads rows of any keys, to the end, or until their order is decided.
	DEVICE u32 run_any(bool toTheEnd) {
		KeysReader reader(&b->field);
		u32 last = first;
		while (first < n && (toTheEnd || !order.done)) {
			KeysChunk c;
			c.load_any(reader, first, n);
			if (!order.done) this->track_order(&b->field, c, first, false);
			scan(c);
			last = first;
			this->end_chunk(first, n);
		}
		return stop(reader.outside, last);
	}
	// Reads whole chunks of a pair whose order is decided.
	template <class Reader> DEVICE u32 run_pairs(Reader& reader) {
		u32 last = first;
		while (is_whole()) {
			KeysChunk c;
			c.load_whole(reader, first);
			scan(c);
			last = first;
			this->end_chunk(first, n);
		}
		return stop(reader.outside, last);
	}
	// The same for plain pairs. The least and the greatest number are bounds for any low word, and all bits may vary.
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
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++)
				bucket[i] = (u32)(map.wide_code(number[i]) >> 32) >> this->shift;
			this->count_all(this->m->counters(), bucket);
			first = next_chunk(first);
		}
		if (least <= greatest)
			seen.least = (u64)least << 32, seen.greatest = (u64)greatest << 32 | ~0u, seen.any = ~0ull, seen.all = 0;
		return stop(reader.outside, first);
	}
};

NOINLINE u32 scan_any_keys(const Buckets* b, u32 first, bool toTheEnd) {
	return MultiKeyScan<false>(b, first).run_any(toTheEnd);
}
template <class Reader> NOINLINE u32 scan_pairs(const Buckets* b, u32 first, Reader reader) {
	return MultiKeyScan<false>(b, first).run_pairs(reader);
}
template <class Reader> NOINLINE u32 scan_plain_pairs(const Buckets* b, u32 first, Reader reader) {
	return MultiKeyScan<true>(b, first).run_plain(reader);
}

DEVICE void scan_keys(const Buckets* b, KeyScanMemory* m) {
	const bool pair = is_pair(&b->field), plain = m->map.heavies == 0 && !m->map.narrow;
	u64* w = m->warps + warp_index() * KeyScanMemory::words;
	if (lane_index() < KeyScanMemory::words) w[lane_index()] = 0;
	sync_warp();
	const bool counts = m->decision.reason == REASON_NONE; // otherwise only the order is checked
	u32 group = MultiKeyScan<false>(b, 0).group,
	    first = (block_index() * (KEY_SCAN_THREADS / 32) + warp_index()) * group * CHUNK_ROWS;
	if (!pair || !m->unordered) first = scan_any_keys(b, first, counts && !pair);
	if (!counts || !pair) return;
	with_pair(&b->field,
	          [&](auto reader) { first = plain ? scan_plain_pairs(b, first, reader) : scan_pairs(b, first, reader); });
	if (first < b->n) scan_any_keys(b, first, true);
}
