// From the counts to the plan: where each bucket, each bucket range and each class begins, the decision and the report.
#pragma once
#include "common/look_back.h"
#include "sample/buckets.h"

struct Planner {
	const Buckets* b;
	Map* map;  // receives the rows of classes
	u32* sums; // 36 words of shared memory
	u64 nulls, nans;
	u32 lastRange;

	DEVICE Planner(const Buckets* b, Map* map, u32* sums)
	    : b(b), map(map), sums(sums), nulls(load_relaxed(&((const PartialStatistics*)b->partial)->nulls)),
	      nans(load_relaxed(&((const PartialStatistics*)b->partial)->nans)),
	      lastRange(((u32)b->n - 1) / BUCKET_RANGE_ROWS) {}

	DEVICE u32 buckets() const { return 1u << b->bits; }
	// The last bucket range that begins at or before a place.
	DEVICE u32 range_of(u32 place) const {
		u32 w = place / BUCKET_RANGE_ROWS;
		return w < lastRange ? w : lastRange;
	}
	DEVICE u32 tiles() const { return ((u32)b->n - 1) / first_tile(b) + 1; }

	// The rows in buckets before one that is a multiple of PLAN_THREADS * PLAN_ITEMS.
	DEVICE u32 rows_before(u32 bucket) {
		u32 rows = 0;
		if (bucket == 0) return 0;
		if (thread_index() == 0) sums[32] = 0;
		sync_block();
		for (u32 i = thread_index() * 4; i < bucket; i += PLAN_THREADS * 4) {
			u32 four[4];
			load_vector(counts() + i, four);
			rows += four[0] + four[1] + four[2] + four[3] - (u32)b->page * (4 * i + 6);
		}
		rows = warp_add(rows);
		if (lane_index() == 0 && rows) atomic_add(sums + 32, rows);
		sync_block();
		return sums[32];
	}

	// A bucket range begins with the first bucket that starts at or after its start.
	DEVICE void plan_ranges(u32 bucket, u32 first, u32 end) const {
		Range* out = (Range*)b->ranges;
		u32 last = range_of(end);
		ROLLED for (u32 w = range_of(first) + 1; w <= last; w++) out[w] = {bucket + 1, end};
		if (bucket == 0) out[0] = {0, 0};
	}
	DEVICE void plan_bucket(u32 bucket, u32 first, u32 rows) const {
		((u32*)b->starts)[bucket] = first;
		plan_ranges(bucket, first, first + rows);
		if (b->page) return; // the records are in their places
		((u32*)b->cursors)[bucket] = first;
		if (!b->second || bucket % (1u << b->second) != 0) return;
		((u32*)b->firstStarts)[bucket >> b->second] = ((u32*)b->firstCursors)[bucket >> b->second] = first;
	}
	// The rows of each bucket; with pages the cursors, which are where its page begins and its rows.
	DEVICE const u32* counts() const { return (const u32*)(b->page ? b->cursors : b->counts); }
	DEVICE u32 rows_of(u32 bucket) const {
		return bucket < buckets() ? load_relaxed(counts() + bucket) - bucket * (u32)b->page : 0;
	}
	// Plans PLAN_THREADS * PLAN_ITEMS buckets from one on; returns the rows up to their end. Rolled, because running
	// code for the first time is slower than running it four times.
	DEVICE u32 plan_buckets(u32 blockFirst, u32* largest, u32* oversized) {
		u32 bucket = blockFirst + thread_index(), next = rows_of(bucket), start = rows_before(blockFirst);
		ROLLED for (u32 k = 0; k < PLAN_ITEMS && blockFirst + k * PLAN_THREADS < buckets();
		            k++, bucket += PLAN_THREADS) {
			u32 rows = next, total;
			next = rows_of(bucket + PLAN_THREADS);
			*largest = rows > *largest ? rows : *largest;
			*oversized += rows > BUCKET_RANGE_ROWS;
			u32 first = start + block_exclusive_sum<PLAN_THREADS>(rows, sums, &total);
			if (bucket < buckets()) plan_bucket(bucket, first, rows);
			start += total;
		}
		*largest = warp_max(*largest), *oversized = warp_add(*oversized);
		return start;
	}
	// The ends of all arrays, after the last record.
	DEVICE void plan_end(u32 records) const {
		for (u32 w = range_of(records) + 1 + thread_index(); w <= lastRange + 1; w += PLAN_THREADS)
			((Range*)b->ranges)[w] = {buckets(), records};
		if (thread_index() != 0) return;
		((u32*)b->starts)[buckets()] = records;
		if (b->second) ((u32*)b->firstStarts)[1u << b->firstBits] = records;
	}
	// Reports whether a class has rows that have been counted.
	DEVICE bool counted(const Decision& v, u32 cls) const {
		if (v.reason != REASON_NONE && !v.split) return false;
		return cls == CLASS_OF_NAN ? nans != 0 : cls == CLASS_OF_NULL ? nulls != 0 : cls < map->heavies;
	}
	// The rows of a class in the tiles before each, by all warps of a block, an equal share for each: it sums their
	// rows, and reads them again when the sum of the preceding shares is known.
	DEVICE void plan_class(u32 cls) {
		u32 *counts = (u32*)b->classCounts + cls * tiles(), each = (tiles() + PLAN_THREADS - 1) / PLAN_THREADS * 32,
		    rows = 0, total;
		u32 first = warp_index() * each + lane_index(),
		    end = (warp_index() + 1) * each < tiles() ? (warp_index() + 1) * each : tiles();
		for (u32 tile = first; tile < end; tile += 32) rows += load_relaxed(counts + tile);
		rows = warp_add(rows);
		u32 before = shuffle(block_exclusive_sum<PLAN_THREADS>(lane_index() == 0 ? rows : 0, sums, &total), 0);
		ROLLED for (u32 turn = 0; turn < each; turn += 32) {
			u32 tile = first + turn, ofTurn,
			    prior = warp_exclusive_sum(tile < end ? load_relaxed(counts + tile) : 0, &ofTurn);
			if (tile < end) counts[tile] = before + prior;
			before += ofTurn;
		}
		if (thread_index() == 0) map->heavy[cls].rows = total;
	}
};

// Loads the statistics of all blocks into shared memory; by one warp.
DEVICE void load_seen(const Buckets* b, PartialStatistics* seen) {
	u32 k = lane_index();
	if (k < sizeof(PartialStatistics) / 8) ((u64*)seen)[k] = load_relaxed((const u64*)b->partial + k);
}

// The statistics as the kernel statistics computes them: of values in ascending order, whatever the order of the sort.
DEVICE Statistics statistics_of(const Buckets* b, const PartialStatistics& p) {
	Statistics s = {};
	u64 most = b->codeBits < 64 ? (1ull << b->codeBits) - 1 : ~0ull;
	bool none = p.nulls + p.nans == b->n, descending = b->column.descending != 0;
	u64 least = none ? 0 : ~p.notLeast, greatest = p.greatest;
	s.nulls = p.nulls, s.nans = p.nans;
	s.notMin[0] = ~(descending ? most - greatest : least);
	s.max[0] = descending ? most - least : greatest;
	s.any = p.any & p.notAll; // the bits that vary: nothing else is used
	s.notAll = ~0ull;
	s.rises = p.rises, s.ties = p.ties, s.falls = p.falls;
	return s;
}

// Computes the places of heavy rows from the numbers of rows that are less. Returns the number of heavy rows.
DEVICE u32 place_classes(Map* map, const PartialStatistics& p, u32 n, bool nullsAtStart) {
	u32 classes = (u32)(p.nulls + p.nans), start = nullsAtStart ? classes : 0, rows = 0;
	for (u32 k = 0; k < map->heavies; k++) {
		Heavy& h = map->heavy[k];
		h.first = start + (u32)p.less[k];
		h.before = (u32)p.less[k] - rows;
		rows += h.rows;
	}
	Heavy &nan = map->heavy[CLASS_OF_NAN], &null = map->heavy[CLASS_OF_NULL];
	u32 records = n - classes - rows;
	nan.rows = (u32)p.nans, null.rows = (u32)p.nulls;
	nan.before = null.before = nullsAtStart ? 0 : records;
	nan.first = nullsAtStart ? null.rows : n - classes;
	null.first = nullsAtStart ? 0 : n - null.rows;
	return rows;
}

// Decides, by one thread, when all statistics are complete; counted: rows in all buckets.
DEVICE void decide(const Buckets* b, const PartialStatistics& p, u32 counted, Decision* v, Map* map) {
	u32 heavy = place_classes(map, p, (u32)b->n, b->column.nullsAtStart != 0);
	map->classes = 0;
	for (u32 k = 0; k < CLASSES; k++) map->classes |= (u64)(map->heavy[k].rows != 0) << k;
	v->records = (u32)(b->n - p.nulls - p.nans) - heavy;
	bool counts = v->reason == REASON_NONE; // the rows of each class have been counted
	bool none = p.nulls + p.nans == b->n;
	const bool even = v->order == ORDER_EVEN; // the range of the rows is unknown
	v->below = even ? map->clamps : !none && ~p.notLeast < map->low;
	v->above = even ? map->clamps : !none && p.greatest > map->last;
	if (v->reason == REASON_NONE && counted != v->records) v->reason = REASON_MISCOUNT;
	// The stride of the sample was wrong.
	if (map->narrow && p.any & p.notAll & ((1ull << map->right) - 1)) v->reason = REASON_EQUAL;
	if (v->reason == REASON_NONE && (v->largest > BUCKET_SORT_LARGE_ROWS || v->oversized > b->maxOversized))
		v->reason = REASON_LARGE;
	if (counts && (few_others(b, v->records, b->n) || (must_split(b) && v->records != b->n))) v->split = 1;
	bool known = !map->rests || !p.ties; // the order of the rows, not only of their numbers
	if ((!p.falls && known) || (!p.rises && !p.ties)) v->reason = REASON_ORDERED;
	if (p.outside) v->reason = REASON_OUT_OF_RANGE;
	if (!can_split(b, v->reason)) v->split = 0;
	v->accepted = v->reason == REASON_NONE;
	v->ticket = 0;
}

// Decides, and reports to the kernels that follow and to the host; by one warp. All but b is in shared memory.
DEVICE void conclude(const Buckets* b, const PartialStatistics& seen, u32 counted, Decision* v, Map* map,
                     Statistics* statistics) {
	if (lane_index() == 0) {
		decide(b, seen, counted, v, map);
		store_system(&((Report*)b->report)->plan,
		             v->accepted ? +STATUS_ACCEPTED : STATUS_DECLINED | (u64)v->split * STATUS_SPLIT);
		*statistics = statistics_of(b, seen);
	}
	sync_warp();
	Report* out = (Report*)b->report;
	const u32 k = lane_index();
	for (u32 i = k; i < sizeof(Map) / 8; i += 32) ((u64*)b->numberMap)[i] = ((const u64*)map)[i];
	if (k < sizeof(Decision) / 4) ((u32*)b->decision)[k] = ((u32*)&out->decision)[k] = ((const u32*)v)[k];
	if (k < sizeof(Statistics) / 8) ((u64*)&out->statistics)[k] = ((const u64*)statistics)[k];
}
