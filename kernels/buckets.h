// What partition and finish share.
#pragma once
#include "mapper.h"
#include "numbers.h"

// Whether rows of classes may be set aside, so that digits sort the others only: a column of few rows is not worth the launches. It pays
// where the others are few, fewer where digits are few, since the column is read twice more.
DEVICE bool suits_aside(const Buckets* b) { return b->field.form != FORM_KEYS && b->window == FINISH_WINDOW; }
DEVICE bool suits_aside(const Buckets* b, u32 why) { return (why == WHY_EQUAL || why == WHY_LARGE) && suits_aside(b); }
DEVICE bool few_others(const Buckets* b, u64 others, u64 rows) { return others * (b->field.width == 8 ? 2 : 4) <= rows; }

// Rows of a tile of the first pass over a column of 8 bytes are known by so many bits until it writes.
const u32 TILE_ROW_BITS = 13;
static_assert(PARTITION_WIDE_TILE == 1 << TILE_ROW_BITS && PARTITION_ONLY_TILE == 1 << TILE_ROW_BITS, "a row's place in its tile");

// The leading bits of codes that records leave out, since the bin that the first pass has dealt them to tells these: so there is room for as
// many others. Only of codes that have others.
DEVICE u32 implied_bits(const Buckets& b, const Map* m) { return b.second && b.field.width == 8 && !m->narrow ? (u32)b.firstBits : 0; }

// Rows of a tile of the pass that reads the column.
DEVICE u32 first_tile(const Buckets* b) {
	return b->second ? b->field.width == 8 ? PARTITION_WIDE_TILE : PARTITION_TILE : b->bits <= SMALL_PASS_BITS ? PARTITION_SMALL_TILE : PARTITION_ONLY_TILE;
}
