// A few misplaced rows in a column whose other rows are in order: where each of them belongs, and which other rows
// move.
#pragma once
#include "numbers.h"
#include "plan.h"

// The most places where the order of a column may break. Both rows at a break are taken out, of which one is misplaced.
const u32 MAX_BREAKS = 32, MAX_MISPLACED = 2 * MAX_BREAKS;

// Adjacent rows in the result.
struct Run {
	u32 place, row, rows;
};

// The contents of Buckets.list for a column that may be in order.
struct Misplaced {
	u32 breaks[MAX_BREAKS]; // rows that sort before the preceding row
	u32 runs;                // of rows that are not in their places yet
	Run run[1 + 3 * MAX_MISPLACED];

	DEVICE static Misplaced* of(const Buckets* b) { return (Misplaced*)b->list; }
};
static_assert(sizeof(Misplaced) <= 8 * SMALL_ROWS / BUCKET_RANGE_ROWS, "it fits Buckets.list");

// The position of a row in the order.
struct SortPosition {
	u64 number;
	u32 rank, row;

	DEVICE SortPosition() {}
	DEVICE SortPosition(const Buckets* b, u32 row) : row(row) {
		NumberedRow r(&b->field, row);
		number = r.cls == CLASS_VALUE ? r.number : 0, rank = class_rank(r.cls, b->column.nullsAtStart != 0);
	}
	DEVICE bool operator<(const SortPosition& s) const {
		if (rank != s.rank) return rank < s.rank;
		return number != s.number ? number < s.number : row < s.row;
	}
};

// Computes the places of misplaced rows; by all threads of a block, of which there are more than runs. The other rows
// are the rest: row j of the rest is the j-th row that is not misplaced.
struct OrderRepair {
	const Buckets* b;
	SortPosition* misplaced; // by their rows
	u32 *gap, *into; // of each misplaced row: the rows of the rest that precede it, and those that sort before it
	u32 *breaks, *alone, count;


	DEVICE OrderRepair(const Buckets* b, u8* memory)
	    : b(b), misplaced((SortPosition*)memory), gap((u32*)(misplaced + MAX_MISPLACED)), into(gap + MAX_MISPLACED),
	      breaks(into + MAX_MISPLACED), alone(breaks + MAX_BREAKS) {}

	// Returns false if the other rows are not in order either.
	DEVICE bool place(u32 found) {
		Misplaced* out = Misplaced::of(b);
		const u32 t = thread_index();
		take_out(found);
		if (sync_block_or(t < count && breaks_after(t))) return false;
		for (u32 k = warp_index(); k < count; k += block_threads() / 32) {
			u32 rows = rest_before(misplaced[k]);
			if (lane_index() == 0) into[k] = rows;
		}
		sync_block();
		if (t < count) out->run[t] = {into[t] + misplaced_before(misplaced[t]), misplaced[t].row, 1};
		if (t <= 2 * count) out->run[count + t] = run_from(t == 0 ? 0 : t <= count ? gap[t - 1] : into[t - 1 - count]);
		if (t == 0) out->runs = 1 + 3 * count;
		return true;
	}

private:
	// The row at a break and the preceding one are misplaced.
	DEVICE void take_out(u32 found) {
		const u32 t = thread_index();
		if (t < found) breaks[t] = load_relaxed(Misplaced::of(b)->breaks + t);
		sync_block();
		if (t < found) {
			u32 is = 1;
			for (u32 k = 0; k < found; k++) is &= breaks[k] != breaks[t] - 1;
			alone[t] = is;
		}
		sync_block();
		count = found;
		for (u32 k = 0; k < found; k++) count += alone[k];
		if (t < 2 * found && (t < found || alone[t - found])) {
			u32 row = t < found ? breaks[t] : breaks[t - found] - 1, at = 0;
			for (u32 k = 0; k < found; k++) at += (breaks[k] < row) + (alone[k] && breaks[k] - 1 < row);
			misplaced[at] = SortPosition(b, row), gap[at] = row - at;
		}
		sync_block();
	}
	// Reports whether the rows on both sides of a group of misplaced rows are out of order. last is the last row of the
	// group.
	DEVICE bool breaks_after(u32 last) const {
		u32 first = last, behind = misplaced[last].row + 1;
		if (behind == b->n || (last + 1 < count && gap[last + 1] == gap[last])) return false;
		while (first > 0 && gap[first - 1] == gap[first]) first--;
		return misplaced[first].row > 0 && SortPosition(b, behind) < SortPosition(b, misplaced[first].row - 1);
	}
	DEVICE u32 misplaced_before(const SortPosition& s) const {
		u32 before = 0;
		for (u32 k = 0; k < count; k++) before += misplaced[k] < s;
		return before;
	}
	// The misplaced rows whose number (gap or into) is at most j.
	DEVICE u32 up_to(const u32* numbers, u32 j) const {
		u32 sum = 0;
		for (u32 k = 0; k < count; k++) sum += numbers[k] <= j;
		return sum;
	}
	// The rows of the rest that sort before a row; by a warp, which compares 32 of them at a time.
	DEVICE u32 rest_before(const SortPosition& s) const {
		u32 low = 0, size = (u32)b->n - count;
		while (size > 0) {
			u32 step = size / 33 + 1, j = low + (lane_index() + 1) * step - 1;
			bool before = j < low + size && SortPosition(b, j + up_to(gap, j)) < s;
			u32 steps = count_ones(vote(before)), left = size - steps * step;
			low += steps * step, size = steps < 32 && step - 1 < left ? step - 1 : left;
		}
		return low;
	}
	// The run of rows of the rest that begins with row j of the rest.
	DEVICE Run run_from(u32 j) const {
		u32 next = (u32)b->n - count;
		for (u32 k = 0; k < count; k++) {
			if (gap[k] > j && gap[k] < next) next = gap[k];
			if (into[k] > j && into[k] < next) next = into[k];
		}
		Run r = {j + up_to(into, j), j + up_to(gap, j), j < next ? next - j : 0};
		if (r.place == r.row) r.rows = 0; // it is there
		return r;
	}
};
