// What partition and finish share.
#pragma once
#include "column.h"
#include "mapper.h"
#include "numbers.h"

// Whether rows of classes may be set aside, so that digits sort the others only: a column of few rows is not worth the launches. It pays
// where the others are few, fewer where digits are few, since the column is read twice more.
DEVICE bool suits_aside(const Buckets* b) { return b->field.form != FORM_KEYS && b->window == FINISH_WINDOW; }
DEVICE bool suits_aside(const Buckets* b, u32 why) { return (why == WHY_EQUAL || why == WHY_LARGE) && suits_aside(b); }
DEVICE bool few_others(const Buckets* b, u64 others, u64 rows) { return others * (b->field.width == 8 ? 2 : 4) <= rows; }

// Rows of a tile of the pass that reads the column.
DEVICE u32 first_tile(const Buckets* b) {
	return b->second ? b->field.width == 8 ? PARTITION_WIDE_TILE : PARTITION_TILE : b->bits <= SMALL_PASS_BITS ? PARTITION_SMALL_TILE : PARTITION_ONLY_TILE;
}
