#include "common/keys.h"
#include "partition/classes.h"
#include "partition/partition.h"
#include "sample/equalizer.h"

// The low half of a record: the row.
template <class Word, int items> struct Lows {
	u32 first; // row of the warp

	DEVICE Lows(const Buckets&, const Map*, u32 tileFirst, u32 firstInTile) : first(tileFirst + firstInTile) {}
	DEVICE void set(int, u32) {}
	DEVICE u32 get(int i) const { return first + place_of_item<4>(i); }
	DEVICE Record made(const Record& r) const { return r; }
};
// For columns of 8 bytes the bits of the code above the row. Until the tile is written the row is that within the tile,
// and the record has the bits that the bin implies.
template <int items> struct Lows<u64, items> {
	static const u32 rowMask = (1 << TILE_ROW_BITS) - 1;
	u32 tileFirst, first, implied, keep, low[items]; // keep: the bits of the code that are written

	DEVICE Lows(const Buckets& b, const Map* m, u32 tileFirst, u32 firstInTile)
	    : tileFirst(tileFirst), first(firstInTile), implied(implied_bits(b, m)) {
		keep = m->narrow ? 0 : ~0u << b.rowBits & ~rowMask << implied;
	}
	DEVICE void set(int i, u32 code) { low[i] = (code & ~rowMask) | (first + place_of_item<2>(i)); }
	DEVICE u32 get(int i) const { return low[i]; }
	DEVICE Record made(const Record& r) const {
		return {(r.low << implied & keep) | (r.low & rowMask) | tileFirst, shift_left(r.key, r.low, implied)};
	}
};

// The first pass reads the column and makes records. The row of an item is first + place(item). floats: the column may
// be mapped by values.
template <class Word, int threads, int tile, int bins, bool floats, bool equalized> struct FirstPass {
	static const int items = tile / threads, vector = 16 / sizeof(Word);
	typedef Scatterer<threads, items, bins> BinScatterer;
	typedef TileClasses<threads, tile> Classes;
	static_assert(Classes::bytes + (equalized ? EQUALIZER_BYTES : 0) <= tile * 8, "they fit the stage");

	const Buckets& b;
	u32 tileFirst, first;
	Mapper map;
	BinScatterer scatterer;
	Lows<Word, items> lows;

	DEVICE explicit FirstPass(const Buckets& b)
	    : b(b), tileFirst(tile_first()), first(warp_first()), map((const Map*)b.numberMap),
	      scatterer(shared_memory(), 32 - (u32)b.firstBits, ~0u),
	      lows(b, (const Map*)b.numberMap, tileFirst, first - tileFirst) {}
	DEVICE bool floating() const { return floats && map.floating; }
	DEVICE static u32 place(int i) { return place_of_item<vector>(i); }
	DEVICE u32* cursors() const { return (u32*)(b.second ? b.firstCursors : b.cursors); }

	DEVICE static u32 tile_first() { return block_index() * tile; }
	DEVICE static u32 warp_first() { return tile_first() + warp_index() * 32 * items; }
	DEVICE static void load(const Buckets& b, Word* x) {
		const Word* values = (const Word*)b.field.values;
		u32 first = warp_first();
		if (tile_first() + (u64)tile <= b.n) {
			UNROLL for (int i = 0; i < items; i += vector) load_vector(values + first + place(i), x + i);
		} else {
			UNROLL for (int i = 0; i < items; i++)
				x[i] = ::load(values + (first + place(i) < b.n ? first + place(i) : b.n - 1));
		}
	}
	// Encodes numbers.
	DEVICE void encode(const Word* x) {
		if (equalized) {
			encode_equalized(x);
		} else if (map.simple()) {
			UNROLL for (int i = 0; i < items; i++) set(i, map.simple_code(x[i]));
		} else if (sizeof(Word) == 4 || map.narrow) {
			UNROLL for (int i = 0; i < items; i++) set(i, (u64)map.narrow_prefix(x[i], first + place(i)) << 32);
		} else {
			UNROLL for (int i = 0; i < items; i++) set(i, map.wide_code(x[i]));
		}
	}
	// The pieces take the end of the memory of the stage, which nothing else uses before the records are staged.
	DEVICE void encode_equalized(const Word* x) {
		Piece* pieces = (Piece*)(shared_memory() + tile * 8 - EQUALIZER_BYTES);
		load_pieces<threads>(pieces, &b);
		Equalizer equalizer(map.map, pieces);
		UNROLL for (int i = 0; i < items; i++) set(i, equalizer.code(x[i], first + place(i)));
	}
	// Encodes floats as they are stored.
	DEVICE void encode_floats(const Word* x) {
		ValueMap<Word> values(map.map);
		auto share = values.share(first); // the same for all rows of a warp
		UNROLL for (int i = 0; i < items; i++) set(i, values.code_of(x[i], share));
	}
	DEVICE void set(int i, u64 code) {
		scatterer.key[i] = (u32)(code >> 32);
		lows.set(i, (u32)code);
	}
	template <bool whole, class Inside> DEVICE void scatter(const Inside& inside) {
		scatterer.template scatter<whole>(b, Pages::of_column(b), cursors(), inside,
		                                  [&](int i) { return Record{lows.get(i), scatterer.key[i]}; });
		scatterer.template write<whole>((Record*)b.records[0], [&](const Record& r) { return lows.made(r); });
	}

	// Tiles whose rows are all records, as most are.
	DEVICE void run_whole(Word* x) {
		scatterer.clear();
		if (b.page && b.field.form == FORM_FLOAT) decline_nans(x);
		if (floating()) {
			encode_floats(x);
		} else {
			Numbers<Word>(&b.field).template make_values<items>(x);
			encode(x);
		}
		scatter<true>([](int) { return true; });
	}

	// Nothing has counted NaN, which has no record.
	DEVICE void decline_nans(const Word* x) const {
		bool some = false;
		UNROLL for (int i = 0; i < items; i++) some |= is_nan(x[i]);
		if (some) decline_pages(b);
	}

	// Any tile.
	DEVICE void run_mixed(Word* x, bool someClasses) {
		Classes classes(shared_memory(), map.classes);
		Numbers<Word> numbers(&b.field);
		u32 inside = 0, values = 0, valid = ~0u;
		if (b.field.validity) valid = valid_items<items, vector>(&b.field, first, b.n);
		scatterer.clear();
		if (someClasses) classes.clear();
		UNROLL for (int i = 0; i < items; i++) inside |= (u32)(first + place(i) < b.n) << i;
		if (floating()) {
			UNROLL for (int i = 0; i < items; i++) values |= (u32)!is_nan(x[i]) << i;
		} else {
			UNROLL for (int i = 0; i < items; i++) values |= (u32)numbers.make(x[i]) << i;
		}
		if (numbers.rank) valid &= values;
		values &= inside & valid;
		sync_block();
		if (someClasses) {
			add(classes, CLASS_OF_NULL, inside & ~valid);
			add(classes, CLASS_OF_NAN, inside & valid & ~values);
			values &= ~add_heavies(classes, x, values);
		}
		if (floating()) encode_floats(x);
		else encode(x);
		sync_block();
		if (someClasses) classes.write(b, tileFirst);
		scatter<false>([&](int i) { return values >> i & 1; });
	}
	DEVICE void add(const Classes& classes, u32 cls, u32 mask) const {
		if (!classes.has(cls)) return;
		u32 slot = classes.slot(cls);
		UNROLL for (int i = 0; i < items; i += vector)
			classes.add(slot, first - tileFirst + place(i), mask >> i & ((1u << vector) - 1));
	}
	// Adds the rows of heavy values; returns their items.
	DEVICE u32 add_heavies(const Classes& classes, const Word* x, u32 values) const {
		u32 all = 0;
		ROLLED for (u32 k = 0; k < map.heavies; k++) {
			Word number = (Word)map.map->heavy[k].number;
			u32 equal = 0;
			if (floating()) {
				number = pattern_of_number(number, (Word)map.map->flip, (Word)map.map->sign);
				UNROLL for (int i = 0; i < items; i++) equal |= (u32)(float_of(x[i]) == float_of(number)) << i;
			} else {
				UNROLL for (int i = 0; i < items; i++) equal |= (u32)(x[i] == number) << i;
			}
			add(classes, k, equal & values);
			all |= equal;
		}
		return all;
	}

	DEVICE void run(Word* x) {
		const Decision* v = (const Decision*)b.decision;
		u32 go = v->accepted, records = v->records;
		bool plain = records == b.n;
		clear_counts<threads>(b, go ? plain : !v->split);
		if (!go) return;
		if (plain && tileFirst + (u64)tile <= b.n) run_whole(x);
		else run_mixed(x, !plain);
	}
};

// Values are loaded before the decision is read, since each wait for memory counts.
template <int threads, int tile, int bins, class Word, bool floats = true, bool equalized = false>
DEVICE void first_pass(const Buckets& b) {
	typedef FirstPass<Word, threads, tile, bins, floats, equalized> Pass;
	Word x[Pass::items];
	Pass::load(b, x);
	Pass(b).run(x);
}

#define FIRST_PASS(name, size, bins, ...) \
	KERNEL(name, size##_THREADS, 2)(PARAMETER Buckets b) { \
		first_pass<size##_THREADS, size##_TILE, bins, __VA_ARGS__>(b); \
	}

// Floats of four bytes have a separate kernel, because their codes take registers that the other one needs.
FIRST_PASS(partition_first, PARTITION, 256, u32, false)
FIRST_PASS(partition_first_floats, PARTITION, 256, u32)
FIRST_PASS(partition_first_wide, PARTITION_WIDE, 256, u64)
// Columns with an equalized map.
FIRST_PASS(partition_first_equalized, PARTITION_WIDE, 256, u64, false, true)
FIRST_PASS(partition_only_equalized, PARTITION_ONLY, 1 << ONLY_PASS_BITS, u64, false, true)

// Numbers of a thread's rows of any keys. A separate function, so that its registers do not add to those of the pass.
const int KEYS_ITEMS = PARTITION_WIDE_TILE / PARTITION_WIDE_THREADS, KEYS_AT_ONCE = 8;
NOINLINE void make_numbers(const Buckets* b, u32 first, bool whole, u64* numbers) {
	KeysReader reader(&b->field);
	ROLLED for (int c = 0; c < KEYS_ITEMS; c += KEYS_AT_ONCE) {
		u64 x[KEYS_AT_ONCE];
		reader.load<KEYS_AT_ONCE>(x, first + 32 * c, b->n, whole);
		UNROLL for (int i = 0; i < KEYS_AT_ONCE; i++) numbers[(c + i) * PARTITION_WIDE_THREADS] = x[i];
	}
	if (reader.outside && b->page) decline_pages(*b); // else the key scan has found it
}

// Several keys: their numbers are computed before the pass, as if they were a column.
KERNEL(partition_first_keys, PARTITION_WIDE_THREADS, 2)(PARAMETER Buckets b) {
	typedef FirstPass<u64, PARTITION_WIDE_THREADS, PARTITION_WIDE_TILE, 256, false, false> Pass;
	const u32 first = Pass::warp_first();
	const bool whole = Pass::tile_first() + (u64)PARTITION_WIDE_TILE <= b.n;
	u64 x[Pass::items];
	if (whole && is_pair(&b.field)) {
		with_pair(&b.field, [&](auto reader) {
			UNROLL for (int c = 0; c < Pass::items; c += reader.atOnce)
				reader.template make<reader.atOnce>(x + c, first + 32 * c);
			if (reader.outside && b.page) decline_pages(b);
		});
	} else {
		u64* numbers = (u64*)shared_memory() + thread_index(); // where records are staged later
		make_numbers(&b, first, whole, numbers);
		UNROLL for (int i = 0; i < Pass::items; i++) x[i] = numbers[i * PARTITION_WIDE_THREADS];
		sync_block();
	}
	Pass(b).run(x);
}

// A single pass, for few rows.
FIRST_PASS(partition_only, PARTITION_ONLY, 1 << ONLY_PASS_BITS, u32)
FIRST_PASS(partition_only_wide, PARTITION_ONLY, 1 << ONLY_PASS_BITS, u64)
