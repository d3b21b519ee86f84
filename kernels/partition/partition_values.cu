// The partition of keys only: records are numbers without a row. Their prefixes are computed again
// where they are needed.
#include "partition/classes.h"
#include "partition/partition.h"
#include "partition/second_tile.h"
#include "sample/mapper.h"

// The items of a thread are numbers, and their bins, of which a register has several. simple: the map is (Mapper).
template <class Word, int items, int bins, bool simple> struct NumberKeys {
	typedef Word Staged;
	static const int each = bins > 256 ? 2 : 4, width = 32 / each; // bins of a register, and the bits of one
	Mapper map;
	Word number[items];
	u32 bin[(items + each - 1) / each];

	DEVICE explicit NumberKeys(const Map* m) : map(m) {}
	DEVICE u32 key_of(Word x) const { return simple ? map.simple_prefix(x) : map.prefix_by_bits(x, 0); }
	DEVICE void set(int i, Word x, u32 shift, u32 mask) {
		const u32 at = (key_of(x) >> shift & mask) << i % each * width;
		number[i] = x;
		bin[i / each] = in_register(i % each ? bin[i / each] | at : at); // not computed again where it is used
	}
	DEVICE u32 bin_of_item(int i, u32, u32) const {
		return bin[i / each] >> i % each * width & ((1u << width) - 1);
	}
	DEVICE u32 bins_differ(u32, u32) const {
		static_assert(items % each == 0, "all registers are full");
		u32 one = shuffle(bin[0] & ((1u << width) - 1), 0) * (~0u / ((1u << width) - 1)), differ = 0;
		UNROLL for (int k = 0; k < items / each; k++) differ |= bin[k] ^ one;
		return differ;
	}
};

// Where a tile is scattered to: the bits of the bin in a prefix, pages and cursors of the bins, and the records.
template <class Word> struct ValuePass {
	const Buckets& b;
	u32 shift, mask;
	Pages pages;
	u32* cursors;
	Word* out;
};

// Scatters the numbers of a tile. inside(i) reports whether item i is one (whole: all are).
template <int threads, int items, int bins, bool whole, bool simple, class Word, class Inside>
DEVICE void scatter_numbers(const Map* map, const Word* number, const ValuePass<Word>& to, const Inside& inside) {
	typedef NumberKeys<Word, items, bins, simple> Keys;
	Scatterer<threads, items, bins, Keys> scatterer(shared_memory(), to.shift, to.mask, map);
	UNROLL for (int i = 0; i < items; i++) scatterer.set(i, number[i], to.shift, to.mask);
	scatterer.clear();
	scatterer.template scatter<whole>(to.b, to.pages, to.cursors, inside, [&](int i) { return scatterer.number[i]; });
	scatterer.template write<whole>(to.out, [](Word x) { return x; });
}
template <int threads, int items, int bins, bool whole, class Word, class Inside>
DEVICE void scatter_by_map(const Buckets& b, const Word* number, const ValuePass<Word>& to, const Inside& inside) {
	const Map* map = (const Map*)b.numberMap;
	if (Mapper(map).simple()) scatter_numbers<threads, items, bins, whole, true>(map, number, to, inside);
	else scatter_numbers<threads, items, bins, whole, false>(map, number, to, inside);
}

// Loads the items of a lane, 16 bytes at once; in is the first record of the warp.
template <class Word, int items, bool whole, class Inside>
DEVICE void load_numbers(const Word* in, Word* x, const Inside& inside) {
	const int vector = 16 / sizeof(Word);
	UNROLL for (int i = 0; i < items; i += vector) {
		if (whole) {
			load_vector(in + place_of_item<vector>(i), x + i);
		} else {
			UNROLL for (int k = i; k < i + vector; k++) x[k] = inside(k) ? load(in + place_of_item<vector>(k)) : 0;
		}
	}
}

// A tile of the pass that reads the column: its numbers, and which items are records. Values are loaded before the
// decision is read, since each wait for memory counts.
template <int items, class Word> struct ValueTile {
	static const int vector = 16 / sizeof(Word), rows = PARTITION_VALUE_THREADS * items;
	const Buckets& b;
	u32 first; // of the warp
	bool whole;
	Word x[items];

	DEVICE explicit ValueTile(const Buckets& b)
	    : b(b), first(block_index() * rows + warp_index() * 32 * items),
	      whole(block_index() * rows + (u64)rows <= b.n) {
		const Word* in = (const Word*)b.field.values + first;
		if (whole) load_numbers<Word, items, true>(in, x, [](int) { return true; });
		else load_numbers<Word, items, false>(in, x, [=](int i) { return inside(i); });
	}
	DEVICE bool inside(int i) const { return first + place_of_item<vector>(i) < (u32)b.n; }
	DEVICE void make_numbers() {
		const Word flip = Numbers<Word>(&b.field).flip;
		UNROLL for (int i = 0; i < items; i++) x[i] ^= flip;
	}
	// The items that are records: not null, and no heavy values. After make_numbers.
	DEVICE u32 records() const {
		const Map* map = (const Map*)b.numberMap;
		u32 mask = 0;
		UNROLL for (int i = 0; i < items; i++) mask |= (u32)inside(i) << i;
		if (b.field.validity) mask &= valid_items<items, vector>(&b.field, first, b.n);
		ROLLED for (u32 k = 0; k < (u32)map->heavies; k++) {
			const Word heavy = (Word)map->heavy[k].number;
			UNROLL for (int i = 0; i < items; i++) mask &= ~((u32)(x[i] == heavy) << i);
		}
		return mask;
	}
};

template <int tile, int bins, class Word> DEVICE void first_values(const Buckets& b) {
	const int threads = PARTITION_VALUE_THREADS, items = tile / threads;
	ValueTile<items, Word> t(b);
	const Decision* v = (const Decision*)b.decision;
	const u32 go = v->accepted, all = v->records == b.n;
	clear_counts<threads>(b, go || !v->split);
	if (!go) return;
	t.make_numbers();
	const ValuePass<Word> to = {b, 32 - (u32)b.firstBits, ~0u, Pages::of_column(b),
	                            (u32*)(b.second ? b.firstCursors : b.cursors), (Word*)b.records[0]};
	if (all && t.whole) {
		scatter_by_map<threads, items, bins, true>(b, t.x, to, [](int) { return true; });
	} else {
		const u32 records = t.records();
		scatter_by_map<threads, items, bins, false>(b, t.x, to, [=](int i) { return records >> i & 1; });
	}
}

#define FIRST_VALUES(name, size, bins, Word) \
	KERNEL(name, PARTITION_VALUE_THREADS, 2)(PARAMETER Buckets b) { \
		first_values<size##_TILE, bins, Word>(b); \
	}

FIRST_VALUES(partition_first_values, PARTITION, 256, u32)
FIRST_VALUES(partition_first_values_wide, PARTITION_WIDE, 256, u64)
FIRST_VALUES(partition_only_values, PARTITION_ONLY, 1 << ONLY_PASS_BITS, u32)
FIRST_VALUES(partition_only_values_wide, PARTITION_ONLY, 1 << ONLY_PASS_BITS, u64)

// The second pass scatters the numbers of each bin of the first pass to the buckets in it.
template <bool whole, class Word, class Tile> DEVICE void second_values(const Buckets& b, const Tile& tile) {
	const int vector = 16 / sizeof(Word);
	const u32 mine = tile.begin + warp_index() * 32 * SECOND_ITEMS, first = tile.first, end = tile.end;
	auto inside = [=](int i) {
		u32 at = mine + place_of_item<vector>(i);
		return at >= first && at < end;
	};
	Word x[SECOND_ITEMS];
	load_numbers<Word, SECOND_ITEMS, whole>((const Word*)b.records[0] + mine, x, inside);
	ValuePass<Word> to = {b, 32 - (u32)b.bits, (1u << b.second) - 1, Pages::of_second(b, tile.bin),
	                      (u32*)b.cursors + ((u64)tile.bin << b.second), (Word*)b.records[1]};
	scatter_by_map<PARTITION_SECOND_THREADS, SECOND_ITEMS, 256, whole>(b, x, to, inside);
}
template <class Word> DEVICE void second_values(const Buckets& b) {
	u32 go = load(&((const Decision*)b.decision)->accepted);
	SecondTile<16 / sizeof(Word)> tile(b, (u32*)shared_memory());
	if (!go || tile.first >= tile.end) return;
	if (tile.end - tile.first == PARTITION_SECOND_TILE) second_values<true, Word>(b, tile);
	else second_values<false, Word>(b, tile);
}
KERNEL(partition_second_values, PARTITION_SECOND_THREADS, 2)(PARAMETER Buckets b) { second_values<u32>(b); }
KERNEL(partition_second_values_wide, PARTITION_SECOND_THREADS, 2)(PARAMETER Buckets b) { second_values<u64>(b); }

// Where most rows are null or of heavy values, the numbers of the others, in any order, for a sort by digits.
template <int tile, class Word> DEVICE void compact_values(const Buckets& b) {
	const int threads = PARTITION_VALUE_THREADS, items = tile / threads;
	Word* stage = (Word*)shared_memory();
	u32 *sums = (u32*)(stage + tile), total;
	ValueTile<items, Word> t(b);
	if (thread_index() < CLASSES) ((u32*)b.classCounts)[thread_index() * grid_blocks() + block_index()] = 0;
	t.make_numbers();
	const u32 records = t.records();
	u32 at = block_exclusive_sum<threads>(count_ones(records), sums, &total);
	UNROLL for (int i = 0; i < items; i++) {
		if (records >> i & 1) stage[at++] = t.x[i];
	}
	if (thread_index() == 0) sums[threads / 32] = atomic_add(&((Decision*)b.decision)->listed, total);
	sync_block();
	Word* out = (Word*)b.records[0] + sums[threads / 32];
	for (u32 i = thread_index(); i < total; i += threads) out[i] = stage[i];
}

#define COMPACT_VALUES(name, tile, tileOnly, Word) \
	KERNEL(name, PARTITION_VALUE_THREADS, 2)(PARAMETER Buckets b) { \
		if (b.second) compact_values<tile, Word>(b); \
		else compact_values<tileOnly, Word>(b); \
	}
COMPACT_VALUES(compact_values, PARTITION_TILE, PARTITION_ONLY_TILE, u32)
COMPACT_VALUES(compact_values_wide, PARTITION_WIDE_TILE, PARTITION_ONLY_TILE, u64)

// Writes the sorted numbers to the places between the rows of classes, and these.
template <class Word> DEVICE void merge_values(const Buckets& b) {
	const Word flip = Numbers<Word>(&b.field).flip;
	const Word* sorted = (const Word*)b.records[0];
	const u32 step = grid_blocks() * block_threads(), records = ((const Decision*)b.decision)->records;
	for (u32 i = block_index() * block_threads() + thread_index(); i < records; i += step)
		((Word*)b.rows)[output_place(b, i)] = load(sorted + i) ^ flip;
	write_classes<Word>(b);
}
KERNEL(merge_values, STREAM_THREADS, 1)(PARAMETER Buckets b) { merge_values<u32>(b); }
KERNEL(merge_values_wide, STREAM_THREADS, 1)(PARAMETER Buckets b) { merge_values<u64>(b); }
