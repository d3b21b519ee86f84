#include "classes.h"
#include "partition.h"

// The first pass reads the column, and makes records: prefix << 32 | row. An item's row is tileFirst + warp_first + Chunk::place(item).
template <class Word, int threads, int tile, int bins> struct FirstPass {
	static const int items = tile / threads;
	typedef Dealer<threads, items, bins> Deal;
	typedef Chunk<Word> Rows;
	static_assert(items % CHUNK_ITEMS == 0, "whole chunks");
	static const int chunk = sizeof(Word) == 4 ? items : 8; // items whose numbers registers can hold

	const Buckets* b;
	u32 tileFirst;

	DEVICE explicit FirstPass(const Buckets* b) : b(b), tileFirst(block_index() * tile) {}

	DEVICE static u32 warp_first() { return warp_index() * 32 * items; }
	DEVICE u32 bin_shift() const { return 32 - (u32)b->firstBits; }
	DEVICE static u32* cursors(const Buckets* b) { return (u32*)(b->second ? b->firstCursors : b->cursors); }

	// Tiles of records only, as nearly all are, by what the map is like.
	DEVICE void run_simple() const {
		Mapper map((const Map*)in_register(b)->numberMap);
		run_whole([&](Word x, int) { return map.simple_prefix(x); });
	}
	APART void run_by_value(const Buckets* b) {
		ByValue<Word> map((const Map*)b->numberMap);
		FirstPass(b).run_whole([&](Word x, int) { return map.prefix(x); });
	}
	APART void run_by_bits(const Buckets* b) {
		Mapper map((const Map*)b->numberMap);
		FirstPass pass(b);
		pass.run_whole([&](Word x, int i) { return map.prefix_by_bits(x, pass.tileFirst + warp_first() + Rows::place(i)); });
	}
	template <class Prefix> DEVICE void run_whole(const Prefix& prefix) const {
		Deal dealer(shared_memory(), ~0u);
		dealer.clear(bin_shift());
		load_whole(dealer.key, prefix);
		u32 first = tileFirst + warp_first();
		auto all = [](int) { return true; };
		auto row = [&](int i) { return first + Rows::place(i); };
		dealer.template deal<true>(b, all, row, cursors);
		sync_block();
		dealer.template write<true>((Record*)in_register(b)->records[0]);
	}
	template <class Prefix> DEVICE void load_whole(u32* key, const Prefix& prefix) const {
		const Field* f = &b->field;
		const Word* values = (const Word*)f->values + tileFirst + warp_first();
		Numbers<Word> numbers(f);
		UNROLL for (int c = 0; c < items; c += chunk) {
			Word x[chunk];
			UNROLL for (int i = 0; i < chunk; i += Rows::vector) load_vector(values + Rows::place(c + i), x + i);
			if (numbers.simple()) {
				UNROLL for (int i = 0; i < chunk; i++) x[i] ^= numbers.flip;
			} else {
				UNROLL for (int i = 0; i < chunk; i++) numbers.make(x[i]);
			}
			UNROLL for (int i = 0; i < chunk; i++) key[c + i] = prefix(x[i], c + i);
		}
	}

	// Any tile.
	APART void run_any(const Buckets* b) { FirstPass(b).run_mixed(); }
	DEVICE void run_mixed() const {
		Deal dealer(shared_memory(), ~0u);
		TileClasses<threads> classes(shared_memory() + Deal::bytes);
		dealer.clear(bin_shift());
		classes.clear();
		sync_block();
		u32 records = 0, others = 0, first = tileFirst + warp_first();
		load(dealer.key, classes, records, others);
		auto inside = [&](int i) { return records >> i & 1; };
		auto row = [&](int i) { return first + Rows::place(i); };
		dealer.template deal<false>(b, inside, row, cursors);
		classes.place(in_register(b), dealer.records(), grid_blocks());
		sync_block();
		UNROLL for (int i = 0; i < items; i++) {
			if (others >> i & 1) dealer.stage[classes.in_stage(dealer.key[i])] = {row(i), dealer.key[i]};
		}
		sync_block();
		dealer.template write<false>((Record*)in_register(b)->records[0]);
		classes.write((u32*)in_register(b)->rows, dealer.stage, dealer.records());
	}
	DEVICE void load(u32* key, TileClasses<threads>& classes, u32& records, u32& others) const {
		const Field* f = &b->field;
		const Map* m = (const Map*)b->numberMap;
		Numbers<Word> numbers(f);
		Mapper map(m);
		u32 first = tileFirst + warp_first();
		UNROLL for (int c = 0; c < items; c += CHUNK_ITEMS) {
			Rows rows;
			rows.load(f, numbers, first + 32 * c, b->n);
			if (map.floating) {
				ByValue<Word> byValue(m);
				UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) key[c + i] = byValue.prefix(rows.number[i]);
			} else {
				UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) key[c + i] = map.prefix_by_bits(rows.number[i], first + Rows::place(c + i));
			}
			u32 left = rows.values;
			for (u32 k = 0; k < map.heavies; k++) {
				Word number = (Word)m->heavy[k].number;
				u32 equal = 0;
				UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) equal |= (u32)(rows.number[i] == number) << i;
				equal &= rows.values;
				left &= ~equal;
				classes.template rank<Rows::vector, CHUNK_ITEMS>(k, equal, key + c);
			}
			classes.template rank<Rows::vector, CHUNK_ITEMS>(CLASS_OF_NAN, rows.inside & ~rows.values & ~rows.nulls, key + c);
			classes.template rank<Rows::vector, CHUNK_ITEMS>(CLASS_OF_NULL, rows.nulls, key + c);
			records |= left << c;
			others |= (rows.inside & ~left) << c;
		}
	}

	// Clears what the look has counted, for the next sort: buckets, and the classes of this tile unless they are wanted.
	DEVICE void clear_counts(bool classes) const {
		for (u32 i = block_index() * threads + thread_index(); i < 1u << b->bits; i += grid_blocks() * threads) ((u32*)b->counts)[i] = 0;
		if (classes && thread_index() < CLASSES) ((u32*)b->classCounts)[thread_index() * grid_blocks() + block_index()] = 0;
	}
	DEVICE void run() const {
		const Verdict* v = (const Verdict*)b->verdict;
		bool go = v->goOn, plain = go && v->records == b->n;
		clear_counts(!go || plain);
		if (!go) return;
		if (!plain || tileFirst + (u64)tile > b->n) return run_any(b);
		Mapper map((const Map*)b->numberMap);
		if (map.simple()) {
			run_simple();
		} else if (map.floating) {
			run_by_value(b);
		} else {
			run_by_bits(b);
		}
	}
};

KERNEL(partition_first, PARTITION_THREADS, 2)(PARAMETER Buckets b) { FirstPass<u32, PARTITION_THREADS, PARTITION_TILE, 256>(&b).run(); }
KERNEL(partition_first_wide, PARTITION_WIDE_THREADS, 2)(PARAMETER Buckets b) { FirstPass<u64, PARTITION_WIDE_THREADS, PARTITION_TILE, 256>(&b).run(); }

// One pass is enough for few rows.
KERNEL(partition_only, PARTITION_ONLY_THREADS, 2)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	FirstPass<u32, PARTITION_ONLY_THREADS, PARTITION_ONLY_TILE, 1 << ONLY_PASS_BITS>(b).run();
}
KERNEL(partition_only_wide, PARTITION_ONLY_THREADS, 2)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	FirstPass<u64, PARTITION_ONLY_THREADS, PARTITION_ONLY_TILE, 1 << ONLY_PASS_BITS>(b).run();
}
KERNEL(partition_small, PARTITION_SMALL_THREADS, 4)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	FirstPass<u32, PARTITION_SMALL_THREADS, PARTITION_SMALL_TILE, 1 << SMALL_PASS_BITS>(b).run();
}
KERNEL(partition_small_wide, PARTITION_SMALL_THREADS, 4)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	FirstPass<u64, PARTITION_SMALL_THREADS, PARTITION_SMALL_TILE, 1 << SMALL_PASS_BITS>(b).run();
}
