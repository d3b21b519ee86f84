#include "partition.h"

const int SECOND_ITEMS = PARTITION_SECOND_TILE / PARTITION_THREADS;

// A block finds its tile: the tiles of bin d begin at number starts[d] / tile + d, which is room enough for every bin and leaves at
// most one tile empty for each.
struct SecondTile {
	u32 bin, first, end;

	DEVICE SecondTile(const Buckets* b, u32* shared) {
		const u32* starts = (const u32*)b->firstStarts;
		u32 bins = 1u << b->firstBits, t = block_index(), mine = 0;
		if (thread_index() == 0) shared[0] = 0;
		sync_block();
		if (thread_index() < bins) mine = starts[thread_index()] / PARTITION_SECOND_TILE + thread_index() <= t;
		mine = count_ones(vote(mine));
		if (lane_index() == 0 && mine) atomic_add(shared, mine);
		sync_block();
		bin = shared[0] - 1;
		u32 low = starts[bin], high = bin + 1 < bins ? starts[bin + 1] : (u32)b->n;
		first = low + (t - (low / PARTITION_SECOND_TILE + bin)) * PARTITION_SECOND_TILE;
		end = first >= high ? first : high - first < PARTITION_SECOND_TILE ? high : first + PARTITION_SECOND_TILE;
	}
};

// Whole tiles, which are nearly all, need no look at where they end.
template <bool whole> DEVICE void partition_tile(const Buckets* b, const SecondTile& tile, u8* memory) {
	Dealer<PARTITION_THREADS, SECOND_ITEMS, 256> dealer(memory);
	u32 rows = tile.end - tile.first, shift, mask = (1u << b->second) - 1;
	const u64* in = (const u64*)b->records[0] + tile.first + thread_index();
	auto inside = [&](int i) { return whole || i * PARTITION_THREADS + thread_index() < rows; };
	auto bin = [&](u64 record) { return (u32)(record >> 32) >> shift & mask; };
	dealer.clear(32 - (u32)b->bits);
	u64 record[SECOND_ITEMS];
	UNROLL for (int i = 0; i < SECOND_ITEMS; i++) record[i] = inside(i) ? load(in + i * PARTITION_THREADS) : 0;
	sync_block();
	shift = *dealer.shift;
	UNROLL for (int i = 0; i < SECOND_ITEMS; i++) dealer.count(i, inside(i) ? bin(record[i]) : dealer.outside);
	sync_block();
	dealer.place((u32*)b->cursors + ((u64)tile.bin << b->second), rows);
	shift = *dealer.shift;
	UNROLL for (int i = 0; i < SECOND_ITEMS; i++) dealer.put(i, inside(i) ? bin(record[i]) : dealer.outside, record[i]);
	sync_block();
	dealer.write((u64*)b->records[1], rows, mask);
}

// The second pass deals the rows of each bin of the first pass to the buckets in it.
KERNEL(partition_second, PARTITION_THREADS, 2)(const Buckets* b) {
	if (!((const Verdict*)b->verdict)->goOn) return;
	SecondTile tile(b, (u32*)shared_memory());
	if (tile.first >= tile.end) return;
	if (tile.end - tile.first == PARTITION_SECOND_TILE) {
		partition_tile<true>(b, tile, shared_memory());
	} else {
		partition_tile<false>(b, tile, shared_memory());
	}
}
