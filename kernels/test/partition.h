// The launches of one sort by partition and finish, as package gpu makes them.
#pragma once
#include "argsort.h"

struct PartitionTemp {
	u64* records[2];
	u32 *counts, *starts, *cursors, *firstStarts, *firstCursors;
	Range *windows, *rest;
	Verdict* verdict;
	Buckets* buckets;

	PartitionTemp(Device& d, u64 n, u64* a, u64* b) : records{a, b} {
		const u64 most = 1 << BUCKET_BITS, windowsMost = ceil_div(n, SMALL_FINISH_WINDOW) + 2;
		counts = (u32*)d.allocate(most * 4);
		starts = (u32*)d.allocate(most * 4 + 4);
		cursors = (u32*)d.allocate(most * 4);
		firstStarts = (u32*)d.allocate(257 * 4);
		firstCursors = (u32*)d.allocate(256 * 4);
		windows = (Range*)d.allocate(windowsMost * 8);
		rest = (Range*)d.allocate((most + windowsMost) * 8);
		verdict = (Verdict*)d.allocate(sizeof(Verdict));
		buckets = (Buckets*)d.allocate(sizeof(Buckets));
		d.zero(counts, most * 4);
	}
	void release(Device& d) {
		for (void* p : {(void*)counts, (void*)starts, (void*)cursors, (void*)firstStarts, (void*)firstCursors, (void*)windows, (void*)rest,
		                (void*)verdict, (void*)buckets})
			d.release(p);
	}
};

struct Partitioner {
	Device& d;
	PartitionTemp& t;
	Buckets b = {};
	bool small = false;

	template <class T> static u32 dealer_bytes(T tile, u32 bins) { return (u32)tile * 8 + (bins + 4) * 8 + 128; }
	u32 finish_bytes(bool wide) const {
		u32 room = FINISH_THREADS * (small ? SMALL_FINISH_ITEMS : FINISH_ITEMS), bins = 1u << (small ? SMALL_FINISH_BIN_BITS : FINISH_BIN_BITS);
		return (room + 32 + std::max(room, bins) + 32) * 4 + 256 + (wide ? room * 4 : 0);
	}

	// Looks at the keys; the verdict is on the device then.
	void look(const Field* field, u64 n, u32 codeBits, u32* rows, u64 smallRows = SMALL_ROWS, u64 bits = 1) {
		small = n <= smallRows;
		u64 window = small ? SMALL_FINISH_WINDOW : FINISH_WINDOW, binBits = small ? SMALL_FINISH_BIN_BITS : FINISH_BIN_BITS;
		u64 rowBits = std::max(bits_of(n - 1), 1u);
		while (bits < BUCKET_BITS && (n / (double)(1 << bits) > window * 0.9 || bits + binBits < rowBits)) bits++;
		u64 first = bits <= ONLY_PASS_BITS ? bits : (bits + 1) / 2;
		b = {(u64)field,         codeBits,          {(u64)t.records[0], (u64)t.records[1]}, (u64)rows,        (u64)t.counts, (u64)t.starts, (u64)t.cursors,
		     (u64)t.firstStarts, (u64)t.firstCursors, (u64)t.windows, (u64)t.verdict, (u64)t.rest, n, bits, first, rowBits, window, bits - first};
		d.up(t.buckets, &b, sizeof b);
		d.run(sample, 1, 1024, SAMPLE_ROWS * 2 * 4 + 256, t.buckets);
		d.run(bucket_histogram, std::min(ceil_div(n, HISTOGRAM_THREADS * 8), d.multiprocessors), HISTOGRAM_THREADS, std::max(2u << bits, 16u), t.buckets);
		d.run(bucket_plan, ceil_div(1 << bits, 4096), 1024, 33 * 4, t.buckets);
	}

	// Whether to go on. Many equal keys, or buckets that do not fit, are better sorted by digits.
	static bool good(const Verdict& v, const Buckets& b) {
		bool few = b.n >= 1 << 26 && b.codeBits <= 32; // oversized buckets cost a quarter of a millisecond
		return !v.equal && !v.miscount && v.largest <= FINISH_REST_ROWS && v.oversized <= (few ? 128u : 0u);
	}

	void refuse() { d.zero(t.counts, (u64)4 << b.bits); }

	void sort() {
		bool wide = b.codeBits > 32;
		if (b.second) {
			d.run(partition_first, ceil_div(b.n, PARTITION_TILE), PARTITION_THREADS, dealer_bytes(PARTITION_TILE, 256), t.buckets);
			d.run(partition_second, b.n / PARTITION_SECOND_TILE + (1 << b.firstBits) + 1, PARTITION_THREADS, dealer_bytes(PARTITION_SECOND_TILE, 256), t.buckets);
		} else {
			d.run(partition_only, ceil_div(b.n, PARTITION_TILE), PARTITION_THREADS, dealer_bytes(PARTITION_TILE, 1 << ONLY_PASS_BITS), t.buckets);
		}
		auto kernel = small ? wide ? finish_small_wide : finish_small : wide ? finish_wide : finish;
		d.run(kernel, ceil_div(b.n, b.window), FINISH_THREADS, finish_bytes(wide), t.buckets);
		d.run(finish_rest, d.multiprocessors, 1024, FINISH_REST_ROWS * 8, t.buckets);
	}
};
