// The ways to look at a column: functions of their own, so that none has to spare registers for another.
#pragma once
#include "look_floats.h"

template <class Word, bool plainColumn> APART void look_simply(const Buckets* b) {
	Mapper map(&LookMemory::of(shared_memory())->map);
	Looker<Chunk<Word>, plainColumn>(b).run([&](Word x, u32) { return map.simple_prefix(x); });
}
template <class Word, bool plainColumn> APART void look_narrowly(const Buckets* b) {
	Mapper map(&LookMemory::of(shared_memory())->map);
	Looker<Chunk<Word>, plainColumn>(b).run([&](Word x, u32 row) { return map.narrow_prefix(x, row); });
}
template <bool plainColumn> APART void look_widely(const Buckets* b) {
	Mapper map(&LookMemory::of(shared_memory())->map);
	Looker<Chunk<u64>, plainColumn>(b).run([&](u64 x, u32) { return (u32)(map.wide_code(x) >> 32); });
}

template <class Word, bool plainColumn> DEVICE void look_by_bits(const Buckets* b, const Mapper& map) {
	if (map.simple()) {
		look_simply<Word, plainColumn>(b);
	} else if (sizeof(Word) == 4 || map.narrow) {
		look_narrowly<Word, plainColumn>(b);
	} else {
		look_widely<plainColumn>(b);
	}
}
template <class Word> DEVICE void look_at_column(const Buckets* b, const Map* map) {
	if (map->floating) return look_at_floats<Word>(b);
	if (b->field.form == FORM_INTEGER && b->field.validity == 0 && map->heavies == 0) {
		look_by_bits<Word, true>(b, Mapper(map));
	} else {
		look_by_bits<Word, false>(b, Mapper(map));
	}
}
