#include "partition.h"

const int SECOND_ITEMS = PARTITION_SECOND_TILE / PARTITION_SECOND_THREADS;

// The tile of a block. The tiles of bin d begin at number starts[d] / tile + d, which is enough for every bin and
// leaves at most one tile of each empty. Tiles begin at even records, which are read in pairs: the first tile of a bin
// may begin one record early.
struct SecondTile {
	u32 bin, begin, first, end; // begin: even; the bin's records are first..end-1

	// The thread of the tile's bin sends it to the others.
	DEVICE SecondTile(const Buckets& b, u32* shared) {
		const u32* starts = (const u32*)b.firstStarts;
		u32 bins = 1u << b.firstBits, t = block_index(), d = thread_index();
		if (d < bins) {
			u32 low = load(starts + d), high = load(starts + d + 1);
			bool last = d == bins - 1 || t < high / PARTITION_SECOND_TILE + d + 1;
			if (low / PARTITION_SECOND_TILE + d <= t && last) shared[0] = d, shared[1] = low, shared[2] = high;
		}
		sync_block();
		u32 low = shared[1], high = shared[2];
		bin = shared[0];
		begin = low - low % 2 + (t - (low / PARTITION_SECOND_TILE + bin)) * PARTITION_SECOND_TILE;
		first = begin < low ? low : begin;
		end = begin >= high ? first : high - begin < PARTITION_SECOND_TILE ? high : begin + PARTITION_SECOND_TILE;
	}
};

// Whole tiles, which nearly all are, need no checks of their end.
template <bool whole> DEVICE void partition_tile(const Buckets& b, const SecondTile& tile, u8* memory) {
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
	scatterer.template scatter<whole>(cursors, inside, [&](int i) { return row[i]; });
	scatterer.template write<whole>((Record*)b.records[1], [](const Record& r) { return r; });
}

// The second pass scatters the rows of each bin of the first pass to the buckets in it.
KERNEL(partition_second, PARTITION_SECOND_THREADS, 2)(PARAMETER Buckets b) {
	u32 go = load(&((const Decision*)b.decision)->accepted);
	SecondTile tile(b, (u32*)shared_memory());
	if (!go || tile.first >= tile.end) return;
	if (tile.end - tile.first == PARTITION_SECOND_TILE) {
		partition_tile<true>(b, tile, shared_memory());
	} else {
		partition_tile<false>(b, tile, shared_memory());
	}
}
