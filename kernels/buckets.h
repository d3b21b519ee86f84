// What partition and finish share.
#pragma once
#include "column.h"
#include "mapper.h"
#include "numbers.h"

// Rows of a tile of the pass that reads the column.
DEVICE u32 first_tile(const Buckets* b) {
	return b->second ? b->field.width == 8 ? PARTITION_WIDE_TILE : PARTITION_TILE : b->bits <= SMALL_PASS_BITS ? PARTITION_SMALL_TILE : PARTITION_ONLY_TILE;
}
