// A sort by a cooperative launch, from the column to row numbers: rows are scattered to buckets by their numbers, in
// any order, and every block orders some buckets. If some bucket has too many rows the sort declines, and the host
// sorts in another way.
#pragma once
#include "cooperative_order.h"
#include "cooperative_sample.h"

// Where values begin in the result, and where the class rows of this warp do.
struct ClassPlaces {
	u32 values, nan, null;
};

// How a row stands to its predecessor, which is loaded. Not inlined, since few rows need it.
NOINLINE int step_to(const SmallSort* job, u32 row, u64 number, u32 place) {
	SmallSortRows<1> before(*job, row - 1, 0);
	before.read(1);
	return step_between(before.place(0), before.number[0], place, number);
}

struct CooperativeSorter : CooperativeOrder {
	typedef SmallSortRows<COOPERATIVE_ITEMS> Rows;
	using CooperativeOrder::CooperativeOrder;

	DEVICE void sort() {
		Rows rows(job.small, first() + local, 32);
		SmallSortResult result(job.small);
		rows.load(used);
		CooperativeSample sample(*this);
		UNROLL for (u32 k = 0; k < 3; k++) counters[k * COOPERATIVE_BUCKETS + thread_index()] = 0;
		sample.measure(*this);
		rows.settle(used);
		sync_block();
		Spread spread(job.small, *CooperativeSample::map(*this));
		bool ordered = CooperativeSample::ordered(*this), oversized = sample.oversized(*this, spread);
		if (oversized && !ordered) return report(STATUS_DECLINED);
		if (ordered) {
			u32 steps = combine_steps(track(rows));
			if (!(steps & STEP_FALLS)) return write_ordered(result, false);
			if (!(steps & (STEP_RISES | STEP_TIES))) return write_ordered(result, true);
		}
		if (!oversized && scatter(rows, spread, result)) return;
		report(STATUS_DECLINED);
		clear_state_after_last_read();
	}

private:
	// How rows stand to their predecessors. Stops when some rise or tie and some fall.
	DEVICE u32 track(const Rows& rows) const {
		Steps steps;
		u64 last = 0;
		u32 lastPlace = 0;
		auto done = [&] { return vote(steps.falls) != 0 && vote(steps.rises || steps.ties) != 0; };
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used && !done(); i++) {
			u64 number = rows.number[i], below = shuffle_up(number, 1);
			u32 place = rows.place(i), belowPlace = shuffle_up(place, 1);
			if (lane_index() == 0) below = last, belowPlace = lastPlace;
			last = shuffle(number, 31), lastPlace = shuffle(place, 31);
			if (!rows.has(i) || (i == 0 && lane_index() == 0)) continue;
			steps.add(step_between(belowPlace, below, place, number));
		}
		if (!done() && lane_index() == 0 && rows.has(0) && rows.row(0) > 0)
			steps.add(step_to(&job.small, rows.row(0), rows.number[0], rows.place(0)));
		return warp_or((steps.rises ? STEP_RISES : 0) | (steps.ties ? STEP_TIES : 0) | (steps.falls ? STEP_FALLS : 0));
	}
	// Combines the steps of all blocks.
	DEVICE u32 combine_steps(u32 steps) {
		if (lane_index() == 0 && steps) atomic_or(&state->steps, steps);
		barrier.sync();
		return load_relaxed(&state->steps);
	}
	// Writes rows that are in order, or reversed.
	DEVICE void write_ordered(const SmallSortResult& result, bool reversed) {
		report(STATUS_ACCEPTED);
		for (u32 row = first() + thread_index(); row < first() + this->rows(); row += COOPERATIVE_THREADS)
			result.put(reversed ? n - 1 - row : row, row);
		clear_state_after_last_read();
	}

	// Scatters the rows to the buckets, whose counters are zero, and writes the result. Returns false if some bucket
	// has too many rows.
	DEVICE bool scatter(const Rows& rows, const Spread& spread, const SmallSortResult& result) {
		u32 t = thread_index(), slot[COOPERATIVE_ITEMS], values,
		    staged; // slot: the bucket, and the rank of the row in it
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			slot[i] = ~0u;
			if (!rows.has(i) || rows.place(i) != rows.value_place()) continue;
			u32 bucket = spread.bin(rows.number[i]) >> COOPERATIVE_BIN_BITS;
			slot[i] = bucket | atomic_add(counters + bucket, 1u) << 16;
		}
		count_classes(rows);
		sync_block();
		u32 count = counters[t], before = count ? atomic_add(state->counts + t, count) : 0;
		share_class_counts();
		u32 start = block_exclusive_sum<COOPERATIVE_THREADS>(count, sums, &staged);
		counters[COOPERATIVE_BUCKETS + t] = start;
		barrier.arrive();
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			if (slot[i] == ~0u) continue;
			u32 bucket = slot[i] & 0xffff, at = counters[COOPERATIVE_BUCKETS + bucket] + (slot[i] >> 16);
			numbers[at] = rows.number[i], tags[at] = rows.row(i) | bucket << ROW_BITS;
		}
		barrier.wait();
		u32 all = load_relaxed(state->counts + t), mixed = load_relaxed(&state->steps) & STEP_CLASSES,
		    bucketStart = block_exclusive_sum<COOPERATIVE_THREADS>(all, sums, &values);
		counters[t] = bucketStart + before - start;
		if (sync_block_or(all > capacity())) return false;
		ClassPlaces places = place_classes(rows.value_place(), values, mixed);
		if (mixed) write_classes(rows, places, result);
		write_records(staged);
		barrier.arrive();
		starts[t] = bucketStart; // the staged rows have been written
		if (t == 0) starts[COOPERATIVE_BUCKETS] = values;
		barrier.wait();
		clear_state();
		report(STATUS_ACCEPTED); // after the barriers, which would wait for this store
		order_share(spread, result, places.values);
		return true;
	}
	static const u32 ROW_BITS = 22, ROW = (1u << ROW_BITS) - 1;
	static_assert(COOPERATIVE_ROWS <= 1u << ROW_BITS && COOPERATIVE_BUCKETS <= 1u << (32 - ROW_BITS),
	              "a row and a bucket in a tag");
	DEVICE void write_records(u32 staged) const {
		u64* toNumbers = (u64*)job.numbers;
		u32* toTags = (u32*)job.tags;
		for (u32 at = thread_index(); at < staged; at += COOPERATIVE_THREADS) {
			u32 tag = tags[at], to = at + counters[tag >> ROW_BITS];
			toNumbers[to] = numbers[at], toTags[to] = tag & ROW;
		}
	}

	// Rows of classes are written to their places directly, in row order. A word holds a count of NaN, and one of nulls
	// above it.
	DEVICE static bool is_nan(const Rows& rows, int i) { return rows.has(i) && rows.place(i) == 1; }
	DEVICE static bool is_null(const Rows& rows, int i) {
		return rows.has(i) && rows.place(i) == 2 - rows.value_place();
	}
	DEVICE void count_classes(const Rows& rows) const {
		u32 counted = 0;
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS; i++) {
			if (i < (int)used) counted += (u32)is_nan(rows, i) + ((u32)is_null(rows, i) << 16);
		}
		counted = warp_add(counted);
		if (lane_index() == 0) classes[warp_index()] = counted;
	}
	DEVICE void share_class_counts() const {
		if (warp_index() != 0) return;
		u32 counted = warp_add(classes[lane_index()]);
		if (lane_index() != 0) return;
		((u32*)job.totals)[rank] = counted;
		if (counted) atomic_or(&state->steps, STEP_CLASSES);
	}
	DEVICE ClassPlaces place_classes(u32 valuePlace, u32 values, bool mixed) const {
		u32 nans = 0, nulls = 0, nansBefore = 0, nullsBefore = 0;
		for (u32 b = lane_index(); mixed && b < grid_blocks(); b += 32) {
			u32 two = load_relaxed((const u32*)job.totals + b), nan = two & 0xffff, null = two >> 16;
			nans += nan, nulls += null;
			if (b < rank) nansBefore += nan, nullsBefore += null;
		}
		u32 ofWarps = warp_add(lane_index() < warp_index() ? classes[lane_index()] : 0);
		nans = warp_add(nans), nulls = warp_add(nulls);
		nansBefore = warp_add(nansBefore) + (ofWarps & 0xffff), nullsBefore = warp_add(nullsBefore) + (ofWarps >> 16);
		if (valuePlace == 0) return {0, values + nansBefore, values + nans + nullsBefore};
		return {nulls + nans, nulls + nansBefore, nullsBefore};
	}
	DEVICE void write_classes(const Rows& rows, ClassPlaces places, const SmallSortResult& result) const {
		const u32 below = (1u << lane_index()) - 1;
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			u32 nans = vote(is_nan(rows, i)), nulls = vote(is_null(rows, i));
			if (is_nan(rows, i)) result.put(places.nan + count_ones(nans & below), rows.row(i));
			if (is_null(rows, i)) result.put(places.null + count_ones(nulls & below), rows.row(i));
			places.nan += count_ones(nans), places.null += count_ones(nulls);
		}
	}
};
