// Shared by sample, key scan, partition and bucket sort.
#pragma once
#include "common/numbers.h"
#include "sample/mapper.h"

// Reports whether heavy values may be split, so that only the other rows are sorted by digits. These must be few, fewer
// where digits are few, since the column is read twice more.
DEVICE bool can_split(const Buckets* b) { return b->field.form != FORM_KEYS; }
DEVICE bool can_split(const Buckets* b, u32 reason) {
	bool suits = reason == REASON_EQUAL || reason == REASON_LARGE;
	if (b->valuesOnly) suits |= reason == REASON_FEW_BITS || reason == REASON_MISCOUNT;
	return suits && can_split(b);
}
// Keys only: digits sort columns without nulls, so that nulls are always split.
DEVICE bool must_split(const Buckets* b) { return b->valuesOnly && b->field.validity; }
DEVICE bool few_others(const Buckets* b, u64 others, u64 rows) {
	return others * (b->field.width == 8 ? 2 : 4) <= rows;
}

// The bits of a row number in its tile. Records of 8-byte columns hold only these until the tile is written.
const u32 TILE_ROW_BITS = 13;
static_assert(PARTITION_WIDE_TILE == 1 << TILE_ROW_BITS && PARTITION_ONLY_TILE == 1 << TILE_ROW_BITS,
              "a row's place in its tile");

// The leading bits of codes that records leave out, since the bin of the first pass implies them: the records hold as
// many other bits. Only for codes that have others.
DEVICE u32 implied_bits(const Buckets& b, const Map* m) {
	return b.second && b.field.width == 8 && !m->narrow ? (u32)b.firstBits : 0;
}

// The rows of a tile of the pass that reads the column.
DEVICE u32 first_tile(const Buckets* b) {
	return !b->second ? PARTITION_ONLY_TILE : b->field.width == 8 ? PARTITION_WIDE_TILE : PARTITION_TILE;
}
