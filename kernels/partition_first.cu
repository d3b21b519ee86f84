#include "classes.h"
#include "partition.h"

// What a record holds beside its key: the row, and for columns of eight bytes more of the code above it.
template <class Word, int items> struct Lows {
	u32 first;
	DEVICE void set(int, u32) {}
	DEVICE u32 get(int i) const { return first + Chunk<Word>::place(i); }
};
template <int items> struct Lows<u64, items> {
	u32 first, keep, low[items]; // keep: the bits of the code
	DEVICE void set(int i, u32 code) { low[i] = (code & keep) | (first + Chunk<u64>::place(i)); }
	DEVICE u32 get(int i) const { return low[i]; }
};

// The first pass reads the column, and makes records. An item's row is first + Chunk::place(item).
template <class Word, int threads, int tile, int bins> struct FirstPass {
	static const int items = tile / threads, chunk = sizeof(Word) == 4 ? items : 8; // items whose numbers registers can hold
	typedef Dealer<threads, items, bins> Deal;
	typedef Chunk<Word> Rows;
	typedef TileClasses<threads, tile> Classes;
	static_assert(items % CHUNK_ITEMS == 0 && items <= 32, "whole chunks, and a bit for each item");
	static_assert(Classes::bytes <= tile * 8, "room in the stage");

	const Buckets& b;
	u32 tileFirst, first;
	Mapper map;
	Deal dealer;
	Lows<Word, items> lows;

	DEVICE explicit FirstPass(const Buckets& b)
	    : b(b), tileFirst(block_index() * tile), first(tileFirst + warp_index() * 32 * items), map((const Map*)b.numberMap),
	      dealer(shared_memory(), 32 - (u32)b.firstBits, ~0u) {
		lows.first = first;
		if constexpr (sizeof(Word) == 8) lows.keep = ~0u << b.rowBits;
	}
	DEVICE u32* cursors() const { return (u32*)(b.second ? b.firstCursors : b.cursors); }
	DEVICE void set(int i, u64 code) {
		dealer.key[i] = (u32)(code >> 32);
		lows.set(i, (u32)code);
	}

	// Codes of some numbers, from item c on.
	template <int count> DEVICE void encode(const Word* x, int c) {
		if (map.simple()) {
			UNROLL for (int i = 0; i < count; i++) set(c + i, map.simple_code(x[i]));
		} else if (map.floating) {
			ByValue<Word> values(map.map);
			UNROLL for (int i = 0; i < count; i++) set(c + i, values.code(x[i]));
		} else {
			UNROLL for (int i = 0; i < count; i++) set(c + i, map.code_by_bits(x[i], first + Rows::place(c + i)));
		}
	}

	// Tiles of records only, as nearly all are.
	DEVICE void load(Word* x, int c) const {
		const Word* values = (const Word*)b.field.values + first;
		UNROLL for (int i = 0; i < chunk; i += Rows::vector) load_vector(values + Rows::place(c + i), x + i);
	}
	DEVICE void run_whole(Word* x) {
		Numbers<Word> numbers(&b.field);
		dealer.clear();
		UNROLL for (int c = 0; c < items; c += chunk) {
			if (c > 0) load(x, c);
			numbers.template make_values<chunk>(x);
			encode<chunk>(x, c);
		}
		dealer.template deal<true>(cursors(), [](int) { return true; }, [&](int i) { return lows.get(i); });
		dealer.template write<true>((Record*)b.records[0]);
	}

	// Any tile.
	APART void run_any(const Buckets* b, bool classes) { FirstPass(*b).run_mixed(classes); }
	DEVICE void run_mixed(bool someClasses) {
		Classes classes(shared_memory());
		u32 records = 0;
		dealer.clear();
		classes.clear();
		sync_block();
		UNROLL for (int c = 0; c < items; c += CHUNK_ITEMS) records |= load_any(classes, c) << c;
		sync_block();
		if (someClasses) classes.write(b, tileFirst);
		dealer.template deal<false>(cursors(), [&](int i) { return records >> i & 1; }, [&](int i) { return lows.get(i); });
		dealer.template write<false>((Record*)b.records[0]);
	}
	// Loads a chunk, and notes what is of a class; the items that are records.
	DEVICE u32 load_any(const Classes& classes, int c) {
		Rows rows;
		rows.load(&b.field, Numbers<Word>(&b.field), first + 32 * c, b.n);
		encode<CHUNK_ITEMS>(rows.number, c);
		u32 left = rows.values;
		ROLLED for (u32 k = 0; k < map.heavies; k++) {
			Word number = (Word)map.map->heavy[k].number;
			u32 equal = 0;
			UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) equal |= (u32)(rows.number[i] == number) << i;
			add(classes, k, c, equal & rows.values);
			left &= ~equal;
		}
		add(classes, CLASS_OF_NAN, c, rows.inside & ~rows.values & ~rows.nulls);
		add(classes, CLASS_OF_NULL, c, rows.nulls);
		return left;
	}
	DEVICE void add(const Classes& classes, u32 cls, int c, u32 mask) const {
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i += Rows::vector) {
			classes.add(cls, first - tileFirst + Rows::place(c + i), mask >> i & ((1u << Rows::vector) - 1));
		}
	}

	// Clears what the look has counted, for the next sort: buckets, and the classes of this tile unless they are wanted.
	DEVICE void clear_counts(bool classes) const {
		for (u32 i = block_index() * threads + thread_index(); i < 1u << b.bits; i += grid_blocks() * threads) ((u32*)b.counts)[i] = 0;
		if (classes && thread_index() < CLASSES) ((u32*)b.classCounts)[thread_index() * grid_blocks() + block_index()] = 0;
	}
	// Values are loaded before it is known whether they are wanted: each wait for memory counts.
	DEVICE void run() {
		const Verdict* v = (const Verdict*)b.verdict;
		bool whole = tileFirst + (u64)tile <= b.n;
		Word x[chunk];
		if (whole) load(x, 0);
		u32 go = v->goOn, records = v->records;
		bool plain = records == b.n;
		clear_counts(!go || plain);
		if (!go) return;
		if (whole && plain) {
			run_whole(x);
		} else {
			run_any(&b, !plain);
		}
	}
};

KERNEL(partition_first, PARTITION_THREADS, 2)(PARAMETER Buckets b) { FirstPass<u32, PARTITION_THREADS, PARTITION_TILE, 256>(b).run(); }
KERNEL(partition_first_wide, PARTITION_WIDE_THREADS, 2)(PARAMETER Buckets b) { FirstPass<u64, PARTITION_WIDE_THREADS, PARTITION_WIDE_TILE, 256>(b).run(); }

// One pass is enough for few rows.
KERNEL(partition_only, PARTITION_ONLY_THREADS, 2)(PARAMETER Buckets b) {
	FirstPass<u32, PARTITION_ONLY_THREADS, PARTITION_ONLY_TILE, 1 << ONLY_PASS_BITS>(b).run();
}
KERNEL(partition_only_wide, PARTITION_ONLY_THREADS, 2)(PARAMETER Buckets b) {
	FirstPass<u64, PARTITION_ONLY_THREADS, PARTITION_ONLY_TILE, 1 << ONLY_PASS_BITS>(b).run();
}
KERNEL(partition_small, PARTITION_SMALL_THREADS, 4)(PARAMETER Buckets b) {
	FirstPass<u32, PARTITION_SMALL_THREADS, PARTITION_SMALL_TILE, 1 << SMALL_PASS_BITS>(b).run();
}
KERNEL(partition_small_wide, PARTITION_SMALL_THREADS, 4)(PARAMETER Buckets b) {
	FirstPass<u64, PARTITION_SMALL_THREADS, PARTITION_SMALL_TILE, 1 << SMALL_PASS_BITS>(b).run();
}
