// A sort of more rows by a grid, from the column to row numbers: rows are dealt to buckets by their numbers, in any order, and every block
// finds the order of some buckets. Where some bucket has too many rows, all of them sort by digits instead.
#pragma once
#include "grid_digits.h"
#include "grid_order.h"

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

template <int items> APART void sort_otherwise(const Many* many, u64 notLeast, u64 greatest, bool mixed, bool floating);

template <int items> struct GridSorter : GridOrder<items> {
	typedef GridBlock<items> Block;
	using GridOrder<items>::GridOrder, Block::many, Block::meeting, Block::gate, Block::numbers, Block::tags, Block::counters, Block::starts, Block::classes,
	    Block::n, Block::rank, Block::used, Block::local, Block::extent, Block::steps;

	DEVICE void sort() {
		FewRows<items> rows(many.few, this->first() + local, 32);
		FewResult result(many.few);
		counters[thread_index()] = 0;
		Extent64 mine = rows.read(used);
		this->measure(mine, watch(rows) | (mine.mixed ? STEP_CLASSES : 0), count_classes(rows));
		if (!falls() || reversed()) return write_ordered(result, falls());
		Spread spread(many.few, extent, GRID_BUCKETS * GRID_BINS);
		if (!deal(rows, spread, result, 0)) sort_otherwise<items>(&many, extent.notLeast, extent.greatest, extent.mixed, spread.floating);
	}
	// Floats that are not spread well by their values are spread by their bits. What was read is read once more rather than kept.
	DEVICE bool deal_by_bits() {
		FewRows<items> rows(many.few, this->first() + local, 32);
		counters[thread_index()] = 0;
		rows.read(used);
		Spread spread(many.few, extent, GRID_BUCKETS * GRID_BINS);
		spread.floating = false;
		sync_block();
		return deal(rows, spread, FewResult(many.few), 1);
	}

private:
	DEVICE bool falls() const { return (steps & STEP_FALLS) != 0; }
	DEVICE bool reversed() const { return !(steps & (STEP_RISES | STEP_TIES)); }
	// How rows stand to their predecessors; no more is looked at when it is known that they are in no order.
	DEVICE u32 watch(const FewRows<items>& rows) const {
		Steps watched;
		u64 last = 0;
		u32 lastPlace = 0;
		auto done = [&] { return vote(watched.falls) != 0 && vote(watched.rises || watched.ties) != 0; };
		UNROLL for (int i = 0; i < items; i++) {
			if (i >= (int)used || done()) break;
			u64 number = rows.number[i], below = shuffle_up(number, 1);
			u32 place = rows.place(i), belowPlace = shuffle_up(place, 1);
			if (lane_index() == 0) below = last, belowPlace = lastPlace;
			last = shuffle(number, 31), lastPlace = shuffle(place, 31);
			if (!rows.has(i) || (i == 0 && lane_index() == 0)) continue;
			watched.add(place != belowPlace ? (place > belowPlace ? 1 : -1) : number == below ? 0 : number > below ? 1 : -1);
		}
		if (!done() && lane_index() == 0 && rows.has(0) && rows.row(0) > 0) watched.add(step_to(&many.few, rows.row(0), rows.number[0], rows.place(0)));
		return (watched.rises ? STEP_RISES : 0) | (watched.ties ? STEP_TIES : 0) | (watched.falls ? STEP_FALLS : 0);
	}
	// Nothing has to be sorted.
	DEVICE void write_ordered(const FewResult& result, bool reversed) {
		gate.arrive();
		for (u32 row = this->first() + thread_index(); row < this->first() + this->rows(); row += GRID_THREADS) result.put(reversed ? n - 1 - row : row, row);
		if (rank == 0) gate.wait(), this->clear_meeting();
	}

	// Deals the rows to the buckets, whose counters are zero, and writes the result, unless that were too many for some bucket.
	DEVICE bool deal(FewRows<items>& rows, const Spread& spread, const FewResult& result, u32 attempt) {
		u32 t = thread_index(), *counts = meeting->counts[attempt], slot[items], values, staged; // slot: the bucket, and the rank of the row in it
		UNROLL for (int i = 0; i < items; i++) {
			if (i >= (int)used) break;
			slot[i] = ~0u;
			if (!rows.has(i) || rows.place(i) != rows.value_place()) continue;
			u32 bucket = spread.bin(rows.number[i]) >> GRID_BIN_BITS;
			slot[i] = bucket | atomic_add(counters + bucket, 1u) << 16;
		}
		sync_block();
		u32 count = counters[t], room = count ? atomic_add(counts + t, count) : 0, start = this->sum_threads(count, &staged);
		counters[GRID_BUCKETS + t] = start;
		gate.arrive();
		UNROLL for (int i = 0; i < items; i++) {
			if (i >= (int)used) break;
			if (slot[i] == ~0u) continue;
			u32 at = counters[GRID_BUCKETS + (slot[i] & 0xffff)] + (slot[i] >> 16);
			numbers[at] = rows.number[i], tags[at] = rows.row(i);
		}
		gate.wait();
		u32 all = load_relaxed(counts + t), bucketStart = this->sum_threads(all, &values);
		counters[t] = bucketStart + room - start;
		if (sync_block_or(all > GRID_ROOM)) return false;
		ClassPlaces places = place_classes(rows.value_place(), values);
		if (extent.mixed) write_classes(rows, places, result);
		write_records(spread, staged);
		gate.arrive();
		starts[t] = bucketStart; // the stage is free
		if (t == 0) starts[GRID_BUCKETS] = values;
		gate.wait();
		this->clear_meeting();
		this->order_share(spread, result, places.values);
		return true;
	}
	DEVICE void write_records(const Spread& spread, u32 staged) const {
		u64* toNumbers = (u64*)many.numbers[0];
		u32* toTags = (u32*)many.tags[0];
		for (u32 at = thread_index(); at < staged; at += GRID_THREADS) {
			u64 x = numbers[at];
			u32 to = at + counters[spread.bin(x) >> GRID_BIN_BITS];
			toNumbers[to] = x, toTags[to] = tags[at];
		}
	}

	// Rows of classes go straight to their places, in the order of the input. A word has a count of NaN, and above it one of nulls.
	DEVICE static bool is_nan(const FewRows<items>& rows, int i) { return rows.has(i) && rows.place(i) == 1; }
	DEVICE static bool is_null(const FewRows<items>& rows, int i) { return rows.has(i) && rows.place(i) == 2 - rows.value_place(); }
	DEVICE u32 count_classes(const FewRows<items>& rows) const {
		u32 counted = 0;
		UNROLL for (int i = 0; i < items; i++) {
			if (i < (int)used) counted += (u32)is_nan(rows, i) + ((u32)is_null(rows, i) << 16);
		}
		return counted;
	}
	DEVICE ClassPlaces place_classes(u32 valuePlace, u32 values) const {
		u32 nans = 0, nulls = 0, nansBefore = 0, nullsBefore = 0;
		for (u32 b = lane_index(); extent.mixed && b < grid_blocks(); b += 32) {
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
	DEVICE void write_classes(const FewRows<items>& rows, ClassPlaces places, const FewResult& result) const {
		const u32 below = (1u << lane_index()) - 1;
		UNROLL for (int i = 0; i < items; i++) {
			if (i >= (int)used) break;
			u32 nans = vote(is_nan(rows, i)), nulls = vote(is_null(rows, i));
			if (is_nan(rows, i)) result.put(places.nan + count_ones(nans & below), rows.row(i));
			if (is_null(rows, i)) result.put(places.null + count_ones(nulls & below), rows.row(i));
			places.nan += count_ones(nans), places.null += count_ones(nulls);
		}
	}
};

// Apart, so that the code that most rows need has all registers.
template <int items> APART void sort_otherwise(const Many* many, u64 notLeast, u64 greatest, bool mixed, bool floating) {
	if (floating) {
		GridSorter<items> sorter(*many);
		sorter.extent.notLeast = notLeast, sorter.extent.greatest = greatest, sorter.extent.mixed = mixed;
		if (sorter.deal_by_bits()) return;
	}
	GridDigits<items> sorter(*many);
	sorter.extent.notLeast = notLeast, sorter.extent.greatest = greatest, sorter.extent.mixed = mixed;
	sorter.sort_by_digits();
}
