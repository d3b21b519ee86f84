// A sort of more rows by a grid, from the column to row numbers: rows are dealt to buckets by their numbers, in any order, and every block
// finds the order of some buckets. Where some bucket has too many rows the host is told so, and sorts in another way.
#pragma once
#include "grid_order.h"
#include "grid_sample.h"

// Where values begin in the result, and where the rows of classes of this warp do.
struct ClassPlaces {
	u32 values, nan, null;
};

// The step from the row in front to one that is known; apart, since few rows ask for it.
APART int step_to(const Few* few, u32 row, u64 number, u32 place) {
	FewRows<1> before(*few, row - 1, 0);
	before.read(1);
	if (before.place(0) != place) return place > before.place(0) ? 1 : -1;
	return number == before.number[0] ? 0 : number > before.number[0] ? 1 : -1;
}

struct GridSorter : GridOrder {
	typedef FewRows<GRID_ITEMS> Rows;
	using GridOrder::GridOrder;

	DEVICE void sort() {
		Rows rows(many.few, first() + local, 32);
		FewResult result(many.few);
		rows.load(used);
		GridSample sample(*this);
		UNROLL for (u32 k = 0; k < 3; k++) counters[k * GRID_BUCKETS + thread_index()] = 0;
		sample.measure(*this);
		rows.settle(used);
		sync_block();
		Spread spread(many.few, *GridSample::map(*this));
		bool ordered = GridSample::ordered(*this), crowded = sample.crowded(*this, spread);
		if (crowded && !ordered) return tell(SAYS_NO);
		if (ordered) {
			u32 steps = meet(watch(rows));
			if (!(steps & STEP_FALLS)) return write_ordered(result, false);
			if (!(steps & (STEP_RISES | STEP_TIES))) return write_ordered(result, true);
		}
		if (!crowded && deal(rows, spread, result)) return;
		tell(SAYS_NO);
		leave();
	}

private:
	// How rows stand to their predecessors; no more is looked at when it is known that they are in no order.
	DEVICE u32 watch(const Rows& rows) const {
		Steps watched;
		u64 last = 0;
		u32 lastPlace = 0;
		auto done = [&] { return vote(watched.falls) != 0 && vote(watched.rises || watched.ties) != 0; };
		UNROLL for (int i = 0; i < GRID_ITEMS; i++) {
			if (i >= (int)used || done()) break;
			u64 number = rows.number[i], below = shuffle_up(number, 1);
			u32 place = rows.place(i), belowPlace = shuffle_up(place, 1);
			if (lane_index() == 0) below = last, belowPlace = lastPlace;
			last = shuffle(number, 31), lastPlace = shuffle(place, 31);
			if (!rows.has(i) || (i == 0 && lane_index() == 0)) continue;
			watched.add(place != belowPlace ? (place > belowPlace ? 1 : -1) : number == below ? 0 : number > below ? 1 : -1);
		}
		if (!done() && lane_index() == 0 && rows.has(0) && rows.row(0) > 0) watched.add(step_to(&many.few, rows.row(0), rows.number[0], rows.place(0)));
		return warp_or((watched.rises ? STEP_RISES : 0) | (watched.ties ? STEP_TIES : 0) | (watched.falls ? STEP_FALLS : 0));
	}
	// The steps of all rows.
	DEVICE u32 meet(u32 steps) {
		if (lane_index() == 0 && steps) atomic_or(&meeting->steps, steps);
		gate.meet();
		return load_relaxed(&meeting->steps);
	}
	// Nothing has to be sorted.
	DEVICE void write_ordered(const FewResult& result, bool reversed) {
		tell(SAYS_YES);
		for (u32 row = first() + thread_index(); row < first() + this->rows(); row += GRID_THREADS) result.put(reversed ? n - 1 - row : row, row);
		leave();
	}

	// Deals the rows to the buckets, whose counters are zero, and writes the result, unless that were too many for some bucket.
	DEVICE bool deal(const Rows& rows, const Spread& spread, const FewResult& result) {
		u32 t = thread_index(), slot[GRID_ITEMS], values, staged; // slot: the bucket, and the rank of the row in it
		UNROLL for (int i = 0; i < GRID_ITEMS; i++) {
			if (i >= (int)used) break;
			slot[i] = ~0u;
			if (!rows.has(i) || rows.place(i) != rows.value_place()) continue;
			u32 bucket = spread.bin(rows.number[i]) >> GRID_BIN_BITS;
			slot[i] = bucket | atomic_add(counters + bucket, 1u) << 16;
		}
		count_classes(rows);
		sync_block();
		u32 count = counters[t], before = count ? atomic_add(meeting->counts + t, count) : 0;
		tell_classes();
		u32 start = sum_threads(count, &staged);
		counters[GRID_BUCKETS + t] = start;
		gate.arrive();
		UNROLL for (int i = 0; i < GRID_ITEMS; i++) {
			if (i >= (int)used) break;
			if (slot[i] == ~0u) continue;
			u32 bucket = slot[i] & 0xffff, at = counters[GRID_BUCKETS + bucket] + (slot[i] >> 16);
			numbers[at] = rows.number[i], tags[at] = rows.row(i) | bucket << ROW_BITS;
		}
		gate.wait();
		u32 all = load_relaxed(meeting->counts + t), mixed = load_relaxed(&meeting->steps) & STEP_CLASSES, bucketStart = sum_threads(all, &values);
		counters[t] = bucketStart + before - start;
		if (sync_block_or(all > room())) return false;
		ClassPlaces places = place_classes(rows.value_place(), values, mixed);
		if (mixed) write_classes(rows, places, result);
		write_records(staged);
		gate.arrive();
		starts[t] = bucketStart; // the stage is free
		if (t == 0) starts[GRID_BUCKETS] = values;
		gate.wait();
		clear_meeting();
		tell(SAYS_YES); // behind the barriers, which would wait until it is there
		order_share(spread, result, places.values);
		return true;
	}
	static const u32 ROW_BITS = 22, ROW = (1u << ROW_BITS) - 1;
	static_assert(GRID_ROWS <= 1u << ROW_BITS && GRID_BUCKETS <= 1u << (32 - ROW_BITS), "a row and a bucket in a tag");
	DEVICE void write_records(u32 staged) const {
		u64* toNumbers = (u64*)many.numbers;
		u32* toTags = (u32*)many.tags;
		for (u32 at = thread_index(); at < staged; at += GRID_THREADS) {
			u32 tag = tags[at], to = at + counters[tag >> ROW_BITS];
			toNumbers[to] = numbers[at], toTags[to] = tag & ROW;
		}
	}

	// Rows of classes go straight to their places, in the order of the input. A word has a count of NaN, and above it one of nulls.
	DEVICE static bool is_nan(const Rows& rows, int i) { return rows.has(i) && rows.place(i) == 1; }
	DEVICE static bool is_null(const Rows& rows, int i) { return rows.has(i) && rows.place(i) == 2 - rows.value_place(); }
	DEVICE void count_classes(const Rows& rows) const {
		u32 counted = 0;
		UNROLL for (int i = 0; i < GRID_ITEMS; i++) {
			if (i < (int)used) counted += (u32)is_nan(rows, i) + ((u32)is_null(rows, i) << 16);
		}
		counted = warp_add(counted);
		if (lane_index() == 0) classes[warp_index()] = counted;
	}
	DEVICE void tell_classes() const {
		if (warp_index() != 0) return;
		u32 counted = warp_add(classes[lane_index()]);
		if (lane_index() != 0) return;
		((u32*)many.totals)[rank] = counted;
		if (counted) atomic_or(&meeting->steps, STEP_CLASSES);
	}
	DEVICE ClassPlaces place_classes(u32 valuePlace, u32 values, bool mixed) const {
		u32 nans = 0, nulls = 0, nansBefore = 0, nullsBefore = 0;
		for (u32 b = lane_index(); mixed && b < grid_blocks(); b += 32) {
			u32 two = load_relaxed((const u32*)many.totals + b), nan = two & 0xffff, null = two >> 16;
			nans += nan, nulls += null;
			if (b < rank) nansBefore += nan, nullsBefore += null;
		}
		u32 ofWarps = warp_add(lane_index() < warp_index() ? classes[lane_index()] : 0);
		nans = warp_add(nans), nulls = warp_add(nulls);
		nansBefore = warp_add(nansBefore) + (ofWarps & 0xffff), nullsBefore = warp_add(nullsBefore) + (ofWarps >> 16);
		if (valuePlace == 0) return {0, values + nansBefore, values + nans + nullsBefore};
		return {nulls + nans, nulls + nansBefore, nullsBefore};
	}
	DEVICE void write_classes(const Rows& rows, ClassPlaces places, const FewResult& result) const {
		const u32 below = (1u << lane_index()) - 1;
		UNROLL for (int i = 0; i < GRID_ITEMS; i++) {
			if (i >= (int)used) break;
			u32 nans = vote(is_nan(rows, i)), nulls = vote(is_null(rows, i));
			if (is_nan(rows, i)) result.put(places.nan + count_ones(nans & below), rows.row(i));
			if (is_null(rows, i)) result.put(places.null + count_ones(nulls & below), rows.row(i));
			places.nan += count_ones(nans), places.null += count_ones(nulls);
		}
	}
};
