#include "partition/classes.h"

// Where most rows are of classes, only the other rows are sorted, by digits. Each block has a tile, each of its warps a
// share of it: it counts the rows of each list, of classes and of other rows, and then writes them to their places.
template <class Word> struct SplitTile {
	static const u32 lists = CLASSES + 1, others = CLASSES, warps = SPLIT_THREADS / 32;
	static const u32 groups = CHUNK_ITEMS / Chunk<Word>::vector,
	                 field = 32 / groups; // groups of adjacent items of a lane; bits of their count in all lanes

	// Shared memory.
	struct Listed {
		Word number[CHUNK_ROWS];
		u32 row[CHUNK_ROWS];
	};
	struct Memory {
		Listed of[warps];
		u32 counts[warps][lists], first[lists];
	};

	const Buckets& b;
	const Map* map;
	Memory* m;
	Numbers<Word> numbers;
	u32 first, end; // rows of the warp
	u32 heavies, place = 0; // place: of the next row of a list, one for each lane

	DEVICE explicit SplitTile(const Buckets& b)
	    : b(b), map((const Map*)b.numberMap), m((Memory*)shared_memory()), numbers(&b.field),
	      heavies((u32)map->heavies) {
		u32 share = first_tile(&b) / warps;
		first = block_index() * first_tile(&b) + warp_index() * share;
		end = first + share < b.n ? first + share : (u32)b.n;
	}

	// Calls with for each list of each chunk, with the items of this lane that are in it.
	template <class Do> DEVICE void each_list(const Do& with) const {
		ROLLED for (u32 at = first; at < end; at += CHUNK_ROWS) {
			Chunk<Word> c;
			c.load((const Word*)b.field.values, at, (u32)b.n);
			c.settle(&b.field, b.field.validity != 0, numbers, at, (u32)b.n);
			u32 rest = c.values;
			ROLLED for (u32 k = 0; k < heavies; k++) {
				Word number = (Word)map->heavy[k].number;
				u32 equal = 0;
				UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) equal |= (u32)(c.number[i] == number) << i;
				with(k, c, at, equal & rest);
				rest &= ~equal;
			}
			with(CLASS_OF_NAN, c, at, c.inside & ~c.values & ~c.nulls);
			with(CLASS_OF_NULL, c, at, c.nulls);
			with(others, c, at, rest);
		}
	}
	DEVICE u32 count() const {
		u32 mine = 0;
		each_list([&](u32 k, const Chunk<Word>&, u32, u32 items) {
			u32 rows = warp_add(count_ones(items));
			if (lane_index() == k) mine += rows;
		});
		return mine;
	}
	// Loads the places that the plan has computed for the tile, and zeroes its counts for the next sort.
	DEVICE void take_places() const {
		u32 k = lane_index(), before = 0;
		if (k < CLASSES) {
			u32* counted = (u32*)b.classCounts + k * grid_blocks() + block_index();
			before = *counted;
			*counted = 0;
			m->first[k] = map->heavy[k].first + before;
		}
		before = warp_add(before);
		if (k == others) m->first[others] = block_index() * first_tile(&b) - before;
	}
	// Stages the rows of a chunk in row order, and writes them.
	DEVICE void list(u32 k, const Chunk<Word>& c, u32 at, u32 items) {
		const int vector = Chunk<Word>::vector;
		Listed& mine = m->of[warp_index()];
		u32 counts = 0, all, start = 0;
		UNROLL for (u32 g = 0; g < groups; g++)
			counts |= count_ones(items >> g * vector & ((1u << vector) - 1)) << g * field;
		u32 before = warp_exclusive_sum(counts, &all);
		if (all == 0) return;
		UNROLL for (u32 g = 0; g < groups; g++) {
			const u32 mask = (1u << field) - 1;
			u32 to = start + (before >> g * field & mask);
			UNROLL for (int i = g * vector; i < (int)(g + 1) * vector; i++) {
				if (!(items >> i & 1)) continue;
				mine.row[to] = at + Chunk<Word>::place(i);
				if (k == others) mine.number[to] = c.number[i];
				to++;
			}
			start += all >> g * field & mask;
		}
		sync_warp();
		u32 out = shuffle(place, k);
		u32* rows = (u32*)(k == others ? b.records[1] : b.rows) + out;
		for (u32 i = lane_index(); i < start; i += 32) rows[i] = mine.row[i];
		if (k == others) {
			u64* codes = (u64*)b.records[0] + out;
			for (u32 i = lane_index(); i < start; i += 32) codes[i] = mine.number[i];
		}
		if (lane_index() == k) place += start;
		sync_warp();
	}

	DEVICE void run() {
		u32 mine = count(), k = lane_index();
		if (k < lists) m->counts[warp_index()][k] = mine;
		if (warp_index() == 0) take_places();
		sync_block();
		if (k < lists) {
			place = m->first[k];
			for (u32 w = 0; w < warp_index(); w++) place += m->counts[w][k];
		}
		each_list([&](u32 list, const Chunk<Word>& c, u32 at, u32 items) { this->list(list, c, at, items); });
	}
};
static_assert(sizeof(SplitTile<u64>::Memory) <= SPLIT_BYTES, "shared memory");
static_assert(PARTITION_ONLY_TILE % (SPLIT_THREADS / 32 * CHUNK_ROWS) == 0 &&
                  PARTITION_WIDE_TILE % (SPLIT_THREADS / 32 * CHUNK_ROWS) == 0 &&
                  PARTITION_TILE % (SPLIT_THREADS / 32 * CHUNK_ROWS) == 0,
              "warps have whole chunks");

KERNEL(split_heavy, SPLIT_THREADS, 4)(PARAMETER Buckets b) { SplitTile<u32>(b).run(); }
KERNEL(split_heavy_wide, SPLIT_THREADS, 4)(PARAMETER Buckets b) { SplitTile<u64>(b).run(); }

// merge_heavy writes the other rows, which are sorted now, to their places among the rows of classes.
KERNEL(merge_heavy, STREAM_THREADS, 1)(PARAMETER Buckets b) {
	const u32 *rows = (const u32*)b.records[0], records = ((const Decision*)b.decision)->records;
	for (u32 i = block_index() * STREAM_THREADS + thread_index(); i < records; i += grid_blocks() * STREAM_THREADS)
		((u32*)b.rows)[output_place(b, i)] = rows[i];
}
