// From the counts to the plan: where each bucket, each window of the finish and each class begins, the verdict and the report.
#pragma once
#include "buckets.h"
#include "look_back.h"

const u32 PLAN_THREADS = 1024, PLAN_BUCKETS = 4;

// What other blocks have written is read past the caches of this one.
DEVICE u64 load_relaxed(const u64* p) {
	const u32* two = (const u32*)p;
	return (u64)load_relaxed(two + 1) << 32 | load_relaxed(two);
}

// Sums of a block, by warps and then by all.
DEVICE u32 block_exclusive_sum(u32 x, u32* sums, u32* total) {
	u32 warpTotal, before = warp_exclusive_sum(x, &warpTotal);
	sync_block();
	if (lane_index() == 0) sums[warp_index()] = warpTotal;
	sync_block();
	u32 ofWarps = warp_exclusive_sum(sums[lane_index()], total);
	return before + shuffle(ofWarps, warp_index());
}

// earlier: an earlier kernel has counted, not another block of this one.
template <bool earlier> struct Planner {
	const Buckets* b;
	Map* map;  // of which the rows of classes are written
	u32* sums; // 36 words of shared memory

	DEVICE Planner(const Buckets* b, Map* map, u32* sums) : b(b), map(map), sums(sums) {}

	DEVICE static u32 read(const u32* p) { return earlier ? load(p) : load_relaxed(p); }
	DEVICE u32 buckets() const { return 1u << b->bits; }
	DEVICE u32 windows() const { return (u32)((b->n + b->window - 1) / b->window); }
	DEVICE u32 tiles() const { return (u32)((b->n + first_tile(b) - 1) / first_tile(b)); }

	// The rows in buckets before one.
	DEVICE u32 rows_before(u32 bucket) {
		u32 rows = 0;
		if (bucket == 0) return 0;
		if (thread_index() == 0) sums[32] = 0;
		sync_block();
		for (u32 i = thread_index(); i < bucket; i += PLAN_THREADS) rows += read((const u32*)b->counts + i);
		rows = warp_add(rows);
		if (lane_index() == 0 && rows) atomic_add(sums + 32, rows);
		sync_block();
		return sums[32];
	}

	// Window w of the finish begins with the first bucket that starts at row w * window or behind.
	DEVICE void plan_windows(u32 bucket, u32 first, u32 end) const {
		u32 window = (u32)b->window;
		Range* out = (Range*)b->windows;
		for (u32 w = first / window + 1; w <= end / window && w < windows(); w++) out[w] = {bucket + 1, end};
		if (bucket == 0) out[0] = {0, 0};
	}
	DEVICE void plan_bucket(u32 bucket, u32 first, u32 rows) const {
		((u32*)b->starts)[bucket] = ((u32*)b->cursors)[bucket] = first;
		plan_windows(bucket, first, first + rows);
		if (!b->second || bucket % (1u << b->second) != 0) return;
		((u32*)b->firstStarts)[bucket >> b->second] = ((u32*)b->firstCursors)[bucket >> b->second] = first;
	}
	// Plans PLAN_THREADS * PLAN_BUCKETS buckets from one on; returns the rows up to their end.
	DEVICE u32 plan_buckets(u32 blockFirst, u32* largest, u32* oversized) {
		u32 bucket = blockFirst + thread_index() * PLAN_BUCKETS, rows[PLAN_BUCKETS], all = 0, total;
		UNROLL for (u32 k = 0; k < PLAN_BUCKETS; k++) {
			rows[k] = bucket + k < buckets() ? read((const u32*)b->counts + bucket + k) : 0;
			all += rows[k];
			*largest = rows[k] > *largest ? rows[k] : *largest;
			*oversized += rows[k] > b->window;
		}
		u32 first = block_exclusive_sum(all, sums, &total), before = rows_before(blockFirst);
		first += before;
		UNROLL for (u32 k = 0; k < PLAN_BUCKETS; k++) {
			if (bucket + k < buckets()) plan_bucket(bucket + k, first, rows[k]);
			first += rows[k];
		}
		*largest = (u32)warp_max(*largest), *oversized = warp_add(*oversized);
		return before + total;
	}
	// What lies behind the last record.
	DEVICE void plan_end(u32 records) const {
		for (u32 w = records / (u32)b->window + 1 + thread_index(); w <= windows(); w += PLAN_THREADS) ((Range*)b->windows)[w] = {buckets(), records};
		if (thread_index() != 0) return;
		((u32*)b->starts)[buckets()] = records;
		if (b->second) ((u32*)b->firstStarts)[1u << b->firstBits] = records;
	}
	// The rows of a class in the tiles before each; a warp does it all.
	DEVICE void plan_class(u32 cls) const {
		u32 *counts = (u32*)b->classCounts + cls * tiles(), sum = 0;
		for (u32 tile = lane_index(); tile - lane_index() < tiles(); tile += 32) {
			u32 total, rows = tile < tiles() ? read(counts + tile) : 0, before = warp_exclusive_sum(rows, &total);
			if (tile < tiles()) counts[tile] = sum + before;
			sum += total;
		}
		if (lane_index() == 0) map->heavy[cls].rows = sum;
	}
	// The same by all warps of a block.
	DEVICE void plan_class_by_block(u32 cls) {
		u32 *counts = (u32*)b->classCounts + cls * tiles(), sum = 0;
		for (u32 first = 0; first < tiles(); first += PLAN_THREADS * PLAN_BUCKETS) {
			u32 tile = first + thread_index() * PLAN_BUCKETS, rows[PLAN_BUCKETS], all = 0, total;
			UNROLL for (u32 k = 0; k < PLAN_BUCKETS; k++) {
				rows[k] = tile + k < tiles() ? read(counts + tile + k) : 0;
				all += rows[k];
			}
			u32 before = sum + block_exclusive_sum(all, sums, &total);
			UNROLL for (u32 k = 0; k < PLAN_BUCKETS; k++) {
				if (tile + k < tiles()) counts[tile + k] = before;
				before += rows[k];
			}
			sum += total;
		}
		if (thread_index() == 0) map->heavy[cls].rows = sum;
	}
};

// All that blocks have seen: a warp for each word.
DEVICE void add_partials(const Buckets* b, u32 blocks, Partial* sum) {
	const u32 words = sizeof(Partial) / 8, atOnce = 5;
	u32 k = warp_index();
	if (k >= words) return;
	bool greatest = k == 2 || k == 3, any = k >= 4 && k <= 8;
	u64 x = 0;
	for (u32 first = lane_index(); first < blocks + lane_index(); first += 32 * atOnce) {
		u64 y[atOnce];
		UNROLL for (u32 j = 0; j < atOnce; j++) {
			u32 i = first + 32 * j;
			y[j] = i < blocks ? load_relaxed((const u64*)((const Partial*)b->partials + i) + k) : 0;
		}
		UNROLL for (u32 j = 0; j < atOnce; j++) x = any ? x | y[j] : !greatest ? x + y[j] : y[j] > x ? y[j] : x;
	}
	x = any ? warp_or(x) : greatest ? warp_max(x) : warp_sum(x);
	if (lane_index() == 0) ((u64*)sum)[k] = x;
}

// The statistics as the kernel of that name makes them: of values in ascending order, whatever is asked for.
DEVICE Statistics statistics_of(const Buckets* b, const Partial& p) {
	Statistics s = {};
	u64 most = b->codeBits < 64 ? (1ull << b->codeBits) - 1 : ~0ull;
	bool none = p.nulls + p.nans == b->n, descending = b->column.descending != 0;
	u64 least = none ? 0 : ~p.notLeast, greatest = p.greatest;
	s.nulls = p.nulls, s.nans = p.nans;
	s.notMin[0] = ~(descending ? most - greatest : least);
	s.max[0] = descending ? most - least : greatest;
	s.any = p.any & p.notAll; // the bits that vary: all that is asked of them
	s.notAll = ~0ull;
	s.rises = p.rises, s.ties = p.ties, s.falls = p.falls;
	return s;
}

// Where heavy rows go: by the rows that are less. Returns the number of heavy rows.
DEVICE u32 place_classes(Map* map, const Partial& p, u32 n, bool nullsAtStart) {
	u32 classes = (u32)(p.nulls + p.nans), start = nullsAtStart ? classes : 0, rows = 0;
	for (u32 k = 0; k < map->heavies; k++) {
		Heavy& h = map->heavy[k];
		h.first = start + (u32)p.less[k];
		h.before = (u32)p.less[k] - rows;
		rows += *(const volatile u32*)&h.rows; // a block has just found it
	}
	Heavy &nan = map->heavy[CLASS_OF_NAN]; Heavy& null = map->heavy[CLASS_OF_NULL];
	u32 records = n - classes - rows;
	nan.rows = (u32)p.nans, null.rows = (u32)p.nulls;
	nan.before = null.before = nullsAtStart ? 0 : records;
	nan.first = nullsAtStart ? null.rows : n - classes;
	null.first = nullsAtStart ? 0 : n - null.rows;
	return rows;
}

// The verdict when everything is known, by one thread; counted: rows in all buckets.
DEVICE void judge(const Buckets* b, const Partial& p, u32 counted, Verdict* v, Map* map) {
	u32 heavy = place_classes(map, p, (u32)b->n, b->column.nullsAtStart != 0);
	v->records = (u32)(b->n - p.nulls - p.nans) - heavy;
	bool none = p.nulls + p.nans == b->n;
	v->below = !none && ~p.notLeast < map->low;
	v->above = !none && p.greatest > map->last;
	if (v->why == WHY_NOT && counted != v->records) v->why = WHY_MISCOUNT;
	if (v->why == WHY_NOT && (v->largest > FINISH_REST_ROWS || v->oversized > b->tolerated)) v->why = WHY_LARGE;
	if (!p.falls || (!p.rises && !p.ties)) v->why = WHY_ORDERED;
	v->goOn = v->why == WHY_NOT;
}

// Tells the host, by one warp; statistics: a place in shared memory.
DEVICE void report(const Buckets* b, const Verdict& v, const Partial& p, Statistics* statistics) {
	Report* out = (Report*)b->report;
	if (lane_index() < sizeof(Verdict) / 4) ((u32*)&out->verdict)[lane_index()] = ((const u32*)&v)[lane_index()];
	if (lane_index() == 0) *statistics = statistics_of(b, p);
	sync_warp();
	if (lane_index() < sizeof(Statistics) / 8) ((u64*)&out->statistics)[lane_index()] = ((const u64*)statistics)[lane_index()];
}
