#include "partition.h"

const int FIRST_ITEMS = PARTITION_TILE / PARTITION_THREADS;

// The first pass reads the column, and makes records: prefix << 32 | row. Whole tiles, which are nearly all, need no look at where
// they end.
template <class Word, int bins, bool whole> DEVICE void partition_tile(const Buckets* b, u32 bits, u32* cursors) {
	Dealer<PARTITION_THREADS, FIRST_ITEMS, bins> dealer(shared_memory());
	Column32 column = {(const Field*)b->field, b->n};
	Mapper map((const Map*)b->numberMap);
	u64 tileFirst = (u64)block_index() * PARTITION_TILE;
	u32 rows = whole ? PARTITION_TILE : (u32)(b->n - tileFirst), key[FIRST_ITEMS];
	u32 mine = warp_index() * 32 * FIRST_ITEMS + lane_index(); // item i is row mine + 32 * i of the tile
	auto inside = [&](int i) { return whole || mine + 32 * i < rows; };
	dealer.clear(32 - bits);
	const int chunk = sizeof(Word) == 4 ? FIRST_ITEMS : FIRST_ITEMS / 2; // as many as registers hold
	UNROLL for (int c = 0; c < FIRST_ITEMS; c += chunk) {
		Word code[chunk];
		column.codes(code, tileFirst + warp_index() * 32 * FIRST_ITEMS + 32 * c);
		UNROLL for (int i = 0; i < chunk; i++) key[c + i] = map.prefix(code[i], (u32)tileFirst + mine + 32 * (c + i));
	}
	sync_block();
	u32 shift = *dealer.shift;
	UNROLL for (int i = 0; i < FIRST_ITEMS; i++) dealer.count(i, inside(i) ? key[i] >> shift : dealer.outside);
	sync_block();
	dealer.place(cursors, rows);
	u32 row = (u32)tileFirst + mine;
	shift = *dealer.shift;
	UNROLL for (int i = 0; i < FIRST_ITEMS; i++) dealer.put(i, inside(i) ? key[i] >> shift : dealer.outside, (u64)key[i] << 32 | (row + 32 * i));
	sync_block();
	dealer.write((u64*)b->records[0], rows, ~0u);
}

// Clears what the look has counted, for the next sort.
DEVICE void clear_counts(const Buckets* b) {
	u32 step = grid_blocks() * PARTITION_THREADS, at = block_index() * PARTITION_THREADS + thread_index();
	for (u32 i = at; i < 1u << b->bits; i += step) ((u32*)b->counts)[i] = 0;
	for (u32 i = at; i < CLASSES * grid_blocks(); i += step) ((u32*)b->classCounts)[i] = 0;
}

template <class Word, int bins> DEVICE void partition_any(const Buckets* b, u32 bits, u32* cursors) {
	if ((block_index() + 1) * (u64)PARTITION_TILE <= b->n) {
		partition_tile<Word, bins, true>(b, bits, cursors);
	} else {
		partition_tile<Word, bins, false>(b, bits, cursors);
	}
}

template <int bins> DEVICE void partition_column(const Buckets* b, u32 bits, u32* cursors) {
	clear_counts(b);
	if (!((const Verdict*)b->verdict)->goOn) return;
	if (Column32::is_short((const Field*)b->field, b->codeBits)) {
		partition_any<u32, bins>(b, bits, cursors);
	} else {
		partition_any<u64, bins>(b, bits, cursors);
	}
}

KERNEL(partition_first, PARTITION_THREADS, 2)(const Buckets* b) { partition_column<256>(b, (u32)b->firstBits, (u32*)b->firstCursors); }

// One pass is enough for few rows.
KERNEL(partition_only, PARTITION_THREADS, 2)(const Buckets* b) { partition_column<2048>(b, (u32)b->bits, (u32*)b->cursors); }
