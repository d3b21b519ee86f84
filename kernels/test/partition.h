// The launches of one sort by partition and finish, as package gpu makes them.
#pragma once
#include "argsort.h"

struct PartitionTemp {
	u64* records[2];
	u32 *counts, *starts, *cursors, *firstStarts, *firstCursors, *classCounts;
	Range *windows, *rest;
	Partial* seen;
	Verdict* verdict;
	Map* map;
	Report* report;

	PartitionTemp(Device& d, u64 n, u64* a, u64* b) : records{a, b} {
		const u64 most = 1 << BUCKET_BITS, windowsMost = ceil_div(n, SMALL_FINISH_WINDOW) + 2, classWords = CLASSES * ceil_div(n, PARTITION_SMALL_TILE);
		counts = (u32*)d.allocate(most * 4);
		starts = (u32*)d.allocate(most * 4 + 4);
		cursors = (u32*)d.allocate(most * 4);
		firstStarts = (u32*)d.allocate(257 * 4);
		firstCursors = (u32*)d.allocate(256 * 4);
		classCounts = (u32*)d.allocate(classWords * 4);
		windows = (Range*)d.allocate(windowsMost * 8);
		rest = (Range*)d.allocate((most + windowsMost) * 8);
		seen = (Partial*)d.allocate(sizeof(Partial));
		verdict = (Verdict*)d.allocate(sizeof(Verdict));
		map = (Map*)d.allocate(sizeof(Map));
		report = (Report*)d.allocate_pinned(sizeof(Report));
		d.zero(counts, most * 4);
		d.zero(classCounts, classWords * 4);
		d.zero(verdict, sizeof(Verdict));
	}
	void release(Device& d) {
		for (void* p : {(void*)counts, (void*)starts, (void*)cursors, (void*)firstStarts, (void*)firstCursors, (void*)classCounts, (void*)windows,
		                (void*)rest, (void*)seen, (void*)verdict, (void*)map})
			d.release(p);
		d.release_pinned(report);
	}
};

// The field whose numbers are the ordered words of a column, over the whole range of its type.
inline Field whole_field(const Column& c) {
	Field f = {};
	f.values = c.values, f.validity = c.validity, f.bit = c.bit;
	f.form = c.form, f.width = c.width, f.stride = c.stride, f.sign = c.sign, f.infinity = c.infinity;
	f.base[0] = c.signBit, f.mul = 1, f.mask = ~0ull;
	if (c.descending) f.mul = ~0ull, f.bias = ~0ull >> (64 - 8 * c.width);
	return f;
}

// The column of codes that were made before.
inline Column codes_column(const u64* codes) {
	Column c = {};
	c.values = (u64)codes, c.form = FORM_INTEGER, c.width = c.stride = 8;
	return c;
}

struct Partitioner {
	Device& d;
	PartitionTemp& t;
	Buckets b = {};
	u32 rowBits = 1; // at least, for tests
	bool small = false, keys = false, ordered = false, narrow = false; // narrow: codes of 32 bits tell all numbers of a column of 8 bytes apart

	template <class T> static u32 dealer_bytes(T tile, u32 bins) { return (u32)tile * 8 + (bins + 4) * 8 + 128; }
	static u32 finish_bytes(u32 room, u32 binBits, bool wide) {
		return ((room > 6144 ? 512 : 256) + room + 32 + std::max(room, 1u << binBits) + 32) * 4 + (wide ? room * 6 : 0);
	}

	// Buckets above the window that are taken, as package gpu has it.
	static u64 tolerated(const Column& c, u64 bits) { return std::max(128u, (1u << bits) / (c.width == 8 ? 4 : 10)); }

	// From one window to the next, as package gpu has it.
	static u64 step_of(u64 n, u64 bits, u64 window) {
		if (window != FINISH_WINDOW || n > EVEN_WINDOW_ROWS) return window;
		u64 step = std::max<u64>(n >> bits, 1);
		while (2 * step <= window) step *= 2;
		return step;
	}

	// What the kernels are told.
	void shape(const Column& c, u32 codeBits, u64 n, u32* rows, u64 smallRows = SMALL_ROWS, u64 bits = 1) {
		keys = c.form == FORM_KEYS;
		if (keys) smallRows = 0, bits = std::max<u64>(bits, ONLY_PASS_BITS + 1);
		small = n <= smallRows;
		u64 window = small ? SMALL_FINISH_WINDOW : FINISH_WINDOW, binBits = small ? SMALL_FINISH_BIN_BITS : FINISH_BIN_BITS;
		rowBits = std::max(bits_of(n - 1), rowBits);
		while (bits < BUCKET_BITS && (n / (double)(1 << bits) > window * 0.9 || bits + binBits < rowBits)) bits++;
		u64 first = bits <= ONLY_PASS_BITS ? bits : (bits + 1) / 2;
		b = {whole_field(c), c, codeBits,          {(u64)t.records[0], (u64)t.records[1]}, (u64)rows,        (u64)t.counts, (u64)t.starts, (u64)t.cursors,
		     (u64)t.firstStarts, (u64)t.firstCursors, (u64)t.windows, (u64)t.verdict, (u64)t.rest, n, bits, first, rowBits, window, step_of(n, bits, window), bits - first,
		     (u64)t.map, (u64)t.classCounts, (u64)t.seen, (u64)t.report, 2 * RADIX_BITS, tolerated(c, bits), 0};
	}
	// Launches it all, or of many rows no more than the sample wants; when told, the report says whether rows has the result.
	void launch(const Column& c, u32 codeBits, u64 n, u32* rows, u64 smallRows = SMALL_ROWS, u64 bits = 1) {
		shape(c, codeBits, n, rows, smallRows, bits);
		b.orders = !small && !keys;
		u64 said = look_first();
		if (said & SAYS_IN_ORDER) {
			if ((ordered = in_order())) return d.note();
			b.orders = 0, said = look_first();
		}
		narrow = said & SAYS_NARROW;
		if (!(said & SAYS_NO)) {
			if (b.bits > SMALL_BUCKET_BITS) d.run(bucket_plan, ceil_div(1 << b.bits, 4096) + CLASSES, 1024, 1024, b);
			if (!(said & SAYS_ASIDE)) sort(c.width == 8);
		}
		d.note();
		if (said & SAYS_ASIDE && !(d.hear(&t.report->plan) & SAYS_ASIDE)) d.zero(t.classCounts, CLASSES * ceil_div(n, tile()) * 4); // they are in order
	}
	// Rows of a tile of the pass that reads the column.
	u32 tile() const {
		if (b.second) return b.field.width == 8 ? PARTITION_WIDE_TILE : PARTITION_TILE;
		return b.bits <= SMALL_PASS_BITS ? PARTITION_SMALL_TILE : PARTITION_ONLY_TILE;
	}
	// What the sample says, of many rows.
	u64 look_first() {
		t.report->sample = t.report->plan = 0;
		d.run(sample, 1, 1024, SAMPLE_BYTES, b);
		d.early = true;
		u64 grid = std::min(ceil_div(b.n, LOOK_THREADS * 8), d.multiprocessors);
		d.run(keys ? look_keys : look, grid, LOOK_THREADS, LOOK_HEAD + (2u << BUCKET_BITS), b);
		d.early = false;
		return small ? +SAYS_YES : d.hear(&t.report->sample);
	}
	// Whether the rows are in order, as the sample is, but for a few.
	bool in_order() {
		d.run(watch_order, std::min(ceil_div(b.n, STREAM_THREADS * 8), d.multiprocessors * 8), STREAM_THREADS, 4 << 10, b);
		u64 said = d.hear(&t.report->plan);
		if (said & SAYS_STRAYS) d.run(place_strays, d.multiprocessors * 8, STREAM_THREADS, 0, b);
		return said & SAYS_YES;
	}
	void sort(bool wide) {
		bool allBits = wide && !narrow; // of records
		d.early = small || wide;        // as package gpu has it
		if (b.second) {
			u32 threads = wide ? PARTITION_WIDE_THREADS : PARTITION_THREADS;
			d.run(keys ? partition_first_keys : wide ? partition_first_wide : b.field.form == FORM_FLOAT ? partition_first_floats : partition_first, ceil_div(b.n, tile()), threads, dealer_bytes(tile(), 256), b);
			d.run(partition_second, b.n / PARTITION_SECOND_TILE + (1 << b.firstBits) + 1, PARTITION_SECOND_THREADS, dealer_bytes(PARTITION_SECOND_TILE, 256), b);
		} else {
			bool least = b.bits <= SMALL_PASS_BITS;
			u32 threads = least ? PARTITION_SMALL_THREADS : PARTITION_ONLY_THREADS;
			auto kernel = least ? wide ? partition_small_wide : partition_small : wide ? partition_only_wide : partition_only;
			d.run(kernel, ceil_div(b.n, tile()), threads, dealer_bytes(tile(), 1 << (least ? SMALL_PASS_BITS : ONLY_PASS_BITS)), b);
		}
		d.early = small || allBits || b.n <= EARLY_FINISH_ROWS;
		finish(d, b, small, allBits);
	}
	// The last two kernels; wide: records of 64 bits. The last one always starts early: no block of the finish comes behind its own.
	static void finish(Device& d, const Buckets& b, bool small, bool wide) {
		u32 threads = wide && !small ? FINISH_WIDE_THREADS : FINISH_THREADS, items = small ? SMALL_FINISH_ITEMS : wide ? FINISH_WIDE_ITEMS : FINISH_ITEMS;
		auto kernel = small ? wide ? finish_small_wide : ::finish_small : wide ? finish_wide : ::finish;
		d.run(kernel, ceil_div(b.n, b.step), threads, finish_bytes(threads * items, small ? SMALL_FINISH_BIN_BITS : FINISH_BIN_BITS, wide), b);
		d.early = true;
		d.run(finish_rest, d.multiprocessors, FINISH_REST_THREADS, finish_bytes(FINISH_REST_THREADS * FINISH_REST_ITEMS, FINISH_REST_BIN_BITS, true), b);
		d.early = false;
	}
	// Whether rows will have the result: while the sort goes on.
	bool sorts() {
		return d.hear(&t.report->plan) & SAYS_YES;
	}
	// Waits for the whole report, and with it for the sort.
	const Report& told() {
		d.wait_for_note();
		return *t.report;
	}
};
