// The ways to scan a column. They are separate functions, so that each has all registers.
#pragma once
#include "keyscan/key_scan_floats.h"

template <class Word, bool plainColumn> NOINLINE void scan_simple(const Buckets* b) {
	Mapper map(&KeyScanMemory::of(shared_memory())->map);
	KeyScan<Chunk<Word>, plainColumn>(b).run([&](Word x, u32) { return map.simple_prefix(x); });
}
template <class Word, bool plainColumn> NOINLINE void scan_narrow(const Buckets* b) {
	Mapper map(&KeyScanMemory::of(shared_memory())->map);
	KeyScan<Chunk<Word>, plainColumn>(b).run([&](Word x, u32 row) { return map.narrow_prefix(x, row); });
}
template <bool plainColumn> NOINLINE void scan_wide(const Buckets* b) {
	Mapper map(&KeyScanMemory::of(shared_memory())->map);
	KeyScan<Chunk<u64>, plainColumn>(b).run([&](u64 x, u32) { return (u32)(map.wide_code(x) >> 32); });
}

// The pieces lie in shared memory, after the counters.
template <bool plainColumn> DEVICE void scan_equalized(const Buckets* b) {
	KeyScanMemory* m = KeyScanMemory::of(shared_memory());
	Piece* pieces = (Piece*)(m->counters() + (1u << b->bits) / 2);
	load_pieces<KEY_SCAN_THREADS>(pieces, b);
	Equalizer equalizer(&m->map, pieces);
	KeyScan<Chunk<u64>, plainColumn>(b).run([&](u64 x, u32 row) { return (u32)(equalizer.code(x, row) >> 32); });
}

template <class Word, bool plainColumn> DEVICE void scan_by_bits(const Buckets* b, const Mapper& map) {
	if (map.simple()) scan_simple<Word, plainColumn>(b);
	else if (sizeof(Word) == 4 || map.narrow) scan_narrow<Word, plainColumn>(b);
	else scan_wide<plainColumn>(b);
}
template <class Word> DEVICE void scan_column(const Buckets* b, const Map* map) {
	if (map->floating) return scan_floats<Word>(b);
	if (b->field.form == FORM_INTEGER && b->field.validity == 0 && map->heavies == 0) {
		scan_by_bits<Word, true>(b, Mapper(map));
	} else {
		scan_by_bits<Word, false>(b, Mapper(map));
	}
}
