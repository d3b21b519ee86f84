#include "partition/partition.h"
#include "partition/second_tile.h"

// Whole tiles, which nearly all are, need no checks of their end.
template <bool whole> DEVICE void partition_tile(const Buckets& b, const SecondTile<2>& tile, u8* memory) {
	u32 shift = 32 - (u32)b.bits + implied_bits(b, (const Map*)b.numberMap);
	Scatterer<PARTITION_SECOND_THREADS, SECOND_ITEMS, 256> scatterer(memory, shift, (1u << b.second) - 1);
	u32 row[SECOND_ITEMS], mine = tile.begin + warp_index() * 32 * SECOND_ITEMS + lane_index() * 2, first = tile.first,
	                       end = tile.end;
	u32* cursors = (u32*)b.cursors + ((u64)tile.bin << b.second);
	const u64* in = (const u64*)b.records[0] + mine;
	auto place = [&](int i) { return (u32)(i / 2 * 64 + i % 2); };
	auto inside = [&](int i) { return mine + place(i) >= first && mine + place(i) < end; };
	UNROLL for (int i = 0; i < SECOND_ITEMS; i += 2) {
		u64 two[2] = {0, 0};
		if (whole) {
			load_vector(in + place(i), two);
		} else {
			UNROLL for (int k = 0; k < 2; k++) {
				if (inside(i + k)) two[k] = load(in + place(i + k));
			}
		}
		UNROLL for (int k = 0; k < 2; k++) scatterer.key[i + k] = (u32)(two[k] >> 32), row[i + k] = (u32)two[k];
	}
	scatterer.clear();
	scatterer.template scatter<whole>(b, Pages::of_second(b, tile.bin), cursors, inside,
	                                  [&](int i) { return Record{row[i], scatterer.key[i]}; });
	scatterer.template write<whole>((Record*)b.records[1], [](const Record& r) { return r; });
}

// The second pass scatters the rows of each bin of the first pass to the buckets in it.
KERNEL(partition_second, PARTITION_SECOND_THREADS, 2)(PARAMETER Buckets b) {
	u32 go = load(&((const Decision*)b.decision)->accepted);
	SecondTile<2> tile(b, (u32*)shared_memory());
	if (!go || tile.first >= tile.end) return;
	if (tile.end - tile.first == PARTITION_SECOND_TILE) partition_tile<true>(b, tile, shared_memory());
	else partition_tile<false>(b, tile, shared_memory());
}
