// The launches of one sort by partition and bucket sort, as package gpu makes them.
#pragma once
#include "argsort.h"

struct PartitionTemp {
	u64* records[2];
	u32 *counts, *starts, *cursors, *firstStarts, *firstCursors, *classCounts;
	Range *ranges, *list;
	PartialStatistics* partial;
	Decision* decision;
	Map* map;
	Piece* pieces;
	Report* hostReport;

	PartitionTemp(Device& d, u64 n, u64* a, u64* b) : records{a, b} {
		const u64 most = 1 << BUCKET_BITS, mostRanges = ceil_div(n, SMALL_BUCKET_RANGE_ROWS) + 2,
		          classWords = CLASSES * ceil_div(n, PARTITION_SMALL_TILE);
		counts = (u32*)d.allocate(most * 4);
		starts = (u32*)d.allocate(most * 4 + 4);
		cursors = (u32*)d.allocate(most * 4);
		firstStarts = (u32*)d.allocate(257 * 4);
		firstCursors = (u32*)d.allocate(256 * 4);
		classCounts = (u32*)d.allocate(classWords * 4);
		ranges = (Range*)d.allocate(mostRanges * 8);
		list = (Range*)d.allocate((most + mostRanges) * 8);
		partial = (PartialStatistics*)d.allocate(sizeof(PartialStatistics));
		decision = (Decision*)d.allocate(sizeof(Decision));
		map = (Map*)d.allocate(sizeof(Map));
		pieces = (Piece*)d.allocate(EQUALIZER_BYTES);
		hostReport = (Report*)d.allocate_pinned(sizeof(Report));
		d.zero(counts, most * 4);
		d.zero(classCounts, classWords * 4);
		d.zero(decision, sizeof(Decision));
	}
	void release(Device& d) {
		for (void* p : {(void*)counts, (void*)starts, (void*)cursors, (void*)firstStarts, (void*)firstCursors,
		                (void*)classCounts, (void*)ranges, (void*)list, (void*)partial, (void*)decision, (void*)map,
		                (void*)pieces})
			d.release(p);
		d.release_pinned(hostReport);
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

struct Partitioner {
	Device& d;
	PartitionTemp& t;
	Buckets b = {};
	u32 rowBits = 1; // at least, for tests
	bool small = false, keys = false, ordered = false,
	     narrow = false, // codes of 32 bits are exact for a column of 8 bytes
	     equalized = false;

	template <class T> static u32 scatter_bytes(T tile, u32 bins) { return (u32)tile * 8 + (bins + 4) * 8 + 128; }
	static u32 bucket_sort_bytes(u32 room, u32 binBits, bool wide) {
		return ((room > 6144 ? 512 : 256) + room + 32 + std::max(room, 1u << binBits) + 32) * 4 + (wide ? room * 6 : 0);
	}

	// The most oversized buckets, as in package gpu.
	static u64 maxOversized(const Column& c, u64 bits) {
		return std::max(128u, (1u << bits) / (c.width == 8 ? 4 : 10));
	}

	// The rows from one bucket range to the next, as in package gpu.
	static u64 step_of(u64 n, u64 bits, u64 rangeRows) {
		if (rangeRows != BUCKET_RANGE_ROWS || n > EVEN_RANGE_ROWS) return rangeRows;
		u64 step = std::max<u64>(n >> bits, 1);
		while (2 * step <= rangeRows) step *= 2;
		return step;
	}

	// The arguments of the kernels.
	void shape(const Column& c, u32 codeBits, u64 n, u32* rows, u64 smallRows = SMALL_ROWS, u64 bits = 1) {
		keys = c.form == FORM_KEYS;
		if (keys) smallRows = 0, bits = std::max<u64>(bits, ONLY_PASS_BITS + 1);
		small = n <= smallRows;
		u64 rangeRows = small ? SMALL_BUCKET_RANGE_ROWS : BUCKET_RANGE_ROWS,
		    binBits = small ? SMALL_BUCKET_SORT_BIN_BITS : BUCKET_SORT_BIN_BITS;
		rowBits = std::max(bits_of(n - 1), rowBits);
		while (bits < BUCKET_BITS && (n / (double)(1 << bits) > rangeRows * 0.9 || bits + binBits < rowBits)) bits++;
		u64 first = bits <= ONLY_PASS_BITS ? bits : (bits + 1) / 2;
		b = {whole_field(c),
		     c,
		     codeBits,
		     {(u64)t.records[0], (u64)t.records[1]},
		     (u64)rows,
		     (u64)t.counts,
		     (u64)t.starts,
		     (u64)t.cursors,
		     (u64)t.firstStarts,
		     (u64)t.firstCursors,
		     (u64)t.ranges,
		     (u64)t.decision,
		     (u64)t.list,
		     n,
		     bits,
		     first,
		     rowBits,
		     rangeRows,
		     step_of(n, bits, rangeRows),
		     bits - first,
		     (u64)t.map,
		     (u64)t.classCounts,
		     (u64)t.partial,
		     (u64)t.pieces,
		     (u64)t.hostReport,
		     2 * RADIX_BITS,
		     maxOversized(c, bits),
		     0};
	}
	// Launches all kernels, for many rows only those that the sample accepts. The report shows whether rows has the
	// result.
	void launch(const Column& c, u32 codeBits, u64 n, u32* rows, u64 smallRows = SMALL_ROWS, u64 bits = 1) {
		shape(c, codeBits, n, rows, smallRows, bits);
		b.checksOrder = !small && !keys;
		u64 status = launch_scan();
		if (status & STATUS_IN_ORDER) {
			if ((ordered = in_order())) return d.note();
			b.checksOrder = 0, status = launch_scan();
		}
		narrow = status & STATUS_NARROW;
		if (!(status & STATUS_DECLINED)) {
			if (b.bits > SMALL_BUCKET_BITS) d.run(bucket_plan, ceil_div(1 << b.bits, 4096) + CLASSES, 1024, 1024, b);
			if (!(status & STATUS_SPLIT)) sort(c.width == 8);
		}
		d.note();
		if (status & STATUS_SPLIT && !(d.wait_for_status(&t.hostReport->plan) & STATUS_SPLIT))
			d.zero(t.classCounts, CLASSES * ceil_div(n, tile()) * 4); // they are in order
	}
	// Rows of a tile of the pass that reads the column.
	u32 tile() const {
		if (b.second) return b.field.width == 8 ? PARTITION_WIDE_TILE : PARTITION_TILE;
		return b.bits <= SMALL_PASS_BITS ? PARTITION_SMALL_TILE : PARTITION_ONLY_TILE;
	}
	// Launches sample and key scan; returns the status of the sample, for many rows.
	u64 launch_scan() {
		t.hostReport->sample = t.hostReport->plan = 0;
		d.run(sample, 1, 1024, SAMPLE_BYTES, b);
		d.early = true;
		u64 grid = std::min(ceil_div(b.n, KEY_SCAN_THREADS * 8), d.multiprocessors);
		d.run(keys ? key_scan_keys : key_scan, grid, KEY_SCAN_THREADS, KEY_SCAN_BYTES, b);
		d.early = false;
		if (small) return STATUS_ACCEPTED;
		u64 status = d.wait_for_status(&t.hostReport->sample);
		if (status & STATUS_UNEVEN) {
			t.hostReport->sample = 0;
			d.run(equalize, 1, SAMPLE_THREADS, EQUALIZE_BYTES, b);
			status = d.wait_for_status(&t.hostReport->sample);
			equalized = status & STATUS_EQUALIZED;
			if (equalized)
				d.run(key_scan_equalized, grid, KEY_SCAN_THREADS, KEY_SCAN_BYTES + EQUALIZER_BYTES, b);
			else if (!(status & STATUS_DECLINED)) d.run(key_scan, grid, KEY_SCAN_THREADS, KEY_SCAN_BYTES, b);
		}
		return status;
	}
	// Whether the rows are in order, as the sample is, but for a few.
	bool in_order() {
		d.run(check_order, std::min(ceil_div(b.n, STREAM_THREADS * 8), d.multiprocessors * 8), STREAM_THREADS, 4 << 10,
		      b);
		u64 status = d.wait_for_status(&t.hostReport->plan);
		if (status & STATUS_REPAIR) d.run(repair_order, d.multiprocessors * 8, STREAM_THREADS, 0, b);
		return status & STATUS_ACCEPTED;
	}
	void sort(bool wide) {
		bool allBits = wide && !narrow; // of records
		d.early = small || wide;        // as package gpu has it
		if (b.second) {
			u32 threads = wide ? PARTITION_WIDE_THREADS : PARTITION_THREADS;
			d.run(equalized                    ? partition_first_equalized
			      : keys                       ? partition_first_keys
			      : wide                       ? partition_first_wide
			      : b.field.form == FORM_FLOAT ? partition_first_floats
			                                   : partition_first,
			      ceil_div(b.n, tile()), threads, scatter_bytes(tile(), 256), b);
			d.run(partition_second, b.n / PARTITION_SECOND_TILE + (1 << b.firstBits) + 1, PARTITION_SECOND_THREADS,
			      scatter_bytes(PARTITION_SECOND_TILE, 256), b);
		} else {
			bool least = b.bits <= SMALL_PASS_BITS;
			u32 threads = least ? PARTITION_SMALL_THREADS : PARTITION_ONLY_THREADS;
			auto kernel = equalized ? partition_only_equalized
			              : least  ? wide ? partition_small_wide : partition_small
			              : wide ? partition_only_wide
			                     : partition_only;
			d.run(kernel, ceil_div(b.n, tile()), threads,
			      scatter_bytes(tile(), 1 << (least ? SMALL_PASS_BITS : ONLY_PASS_BITS)), b);
		}
		d.early = small || allBits || b.n <= EARLY_BUCKET_SORT_ROWS;
		sort_buckets(d, b, small, allBits);
	}
	// The last two kernels; wide: records of 64 bits. The last one always starts early: none of its blocks precedes one
	// of the bucket sort.
	static void sort_buckets(Device& d, const Buckets& b, bool small, bool wide) {
		u32 threads = wide && !small ? BUCKET_SORT_WIDE_THREADS : BUCKET_SORT_THREADS,
		    items = small  ? SMALL_BUCKET_SORT_ITEMS
			        : wide ? BUCKET_SORT_WIDE_ITEMS
			               : BUCKET_SORT_ITEMS;
		auto kernel = small  ? wide ? bucket_sort_small_wide : ::bucket_sort_small
		              : wide ? bucket_sort_wide
		                     : ::bucket_sort;
		d.run(kernel, ceil_div(b.n, b.step), threads,
		      bucket_sort_bytes(threads * items, small ? SMALL_BUCKET_SORT_BIN_BITS : BUCKET_SORT_BIN_BITS, wide), b);
		d.early = true;
		d.run(bucket_sort_large, d.multiprocessors, BUCKET_SORT_LARGE_THREADS,
		      bucket_sort_bytes(BUCKET_SORT_LARGE_THREADS * BUCKET_SORT_LARGE_ITEMS, BUCKET_SORT_LARGE_BIN_BITS, true),
		      b);
		d.early = false;
	}
	// Whether rows will have the result: while the sort goes on.
	bool sorts() {
		return d.wait_for_status(&t.hostReport->plan) & STATUS_ACCEPTED;
	}
	// Waits for the whole report, and with it for the sort.
	const Report& report() {
		d.wait_for_note();
		return *t.hostReport;
	}
};
