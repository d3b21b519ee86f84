#include "partition.h"

const int FIRST_ITEMS = PARTITION_TILE / PARTITION_THREADS, FIRST_CHUNK = 4;

// The first pass reads the column, and makes records: prefix << 32 | row.
template <int bins> DEVICE void partition_column(const Buckets* b, u32 bits, u32* cursors) {
	typedef Dealer<PARTITION_THREADS, FIRST_ITEMS, bins> D;
	D dealer(shared_memory());
	Column32 column = {(const Field*)b->field, b->n};
	Prefix prefix(b->codeBits);
	u64 tileFirst = (u64)block_index() * PARTITION_TILE, first = tileFirst + warp_index() * 32 * FIRST_ITEMS;
	u32 rows = b->n - tileFirst < PARTITION_TILE ? (u32)(b->n - tileFirst) : PARTITION_TILE, key[FIRST_ITEMS], shift = 32 - bits;
	u32 mine = warp_index() * 32 * FIRST_ITEMS + lane_index(); // item i is row mine + 32 * i of the tile
	dealer.clear();
	UNROLL for (int c = 0; c < FIRST_ITEMS; c += FIRST_CHUNK) {
		u64 code[FIRST_CHUNK];
		column.codes(code, first + 32 * c);
		UNROLL for (int i = 0; i < FIRST_CHUNK; i++) key[c + i] = prefix.of(code[i]);
	}
	sync_block();
	UNROLL for (int i = 0; i < FIRST_ITEMS; i++) dealer.count(i, mine + 32 * i < rows ? key[i] >> shift : bins);
	sync_block();
	dealer.place(cursors, rows);
	UNROLL for (int i = 0; i < FIRST_ITEMS; i++) {
		dealer.put(i, mine + 32 * i < rows ? key[i] >> shift : bins, (u64)key[i] << 32 | (u32)(tileFirst + mine + 32 * i));
	}
	sync_block();
	dealer.write((u64*)b->records[0], rows, [&](u64 record) { return (u32)(record >> 32) >> shift; });
}

KERNEL(partition_first, PARTITION_THREADS, 2)(const Buckets* b) { partition_column<256>(b, (u32)b->firstBits, (u32*)b->firstCursors); }

// One pass is enough for few rows.
KERNEL(partition_only, PARTITION_THREADS, 2)(const Buckets* b) { partition_column<2048>(b, (u32)b->bits, (u32*)b->cursors); }
