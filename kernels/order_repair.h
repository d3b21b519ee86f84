// A few rows that are astray in a column whose other rows are in order: where each of them belongs, and what else moves.
#pragma once
#include "numbers.h"
#include "plan.h"

// The places where the order of a column breaks, if they are so few: two rows at each are taken out, of which one is astray.
const u32 MOST_BREAKS = 32, MOST_STRAYS = 2 * MOST_BREAKS;

// Neighbour rows in the result.
struct Run {
	u32 place, row, rows;
};

// What is at Buckets.rest of a column that may be in order.
struct Strays {
	u32 breaks[MOST_BREAKS]; // rows that sort before the row in front of them
	u32 runs;                // that are not in their places yet
	Run run[1 + 3 * MOST_STRAYS];

	DEVICE static Strays* of(const Buckets* b) { return (Strays*)b->rest; }
};
static_assert(sizeof(Strays) <= 8 * SMALL_ROWS / FINISH_WINDOW, "room for them, of so many rows");

// How a row sorts.
struct Standing {
	u64 number;
	u32 rank, row;

	DEVICE Standing() {}
	DEVICE Standing(const Buckets* b, u32 row) : row(row) {
		NumberedRow r(&b->field, row);
		number = r.cls == CLASS_VALUE ? r.number : 0, rank = class_rank(r.cls, b->column.nullsAtStart != 0);
	}
	DEVICE bool operator<(const Standing& s) const {
		if (rank != s.rank) return rank < s.rank;
		return number != s.number ? number < s.number : row < s.row;
	}
};

// Puts strays to their places; all threads of a block, of which there are more than runs. The others are the rest: row j of it is the
// j-th row that is not astray.
struct StrayPlacer {
	const Buckets* b;
	Standing* stray; // by their rows
	u32 *gap, *into; // of each stray: the rows of the rest that lie before it, and those that belong before it
	u32 *breaks, *alone, count;


	DEVICE StrayPlacer(const Buckets* b, u8* memory)
	    : b(b), stray((Standing*)memory), gap((u32*)(stray + MOST_STRAYS)), into(gap + MOST_STRAYS), breaks(into + MOST_STRAYS), alone(breaks + MOST_BREAKS) {}

	// Returns false if the others are not in order either.
	DEVICE bool place(u32 found) {
		Strays* out = Strays::of(b);
		const u32 t = thread_index();
		take_out(found);
		if (sync_block_or(t < count && breaks_behind(t))) return false;
		for (u32 k = warp_index(); k < count; k += block_threads() / 32) {
			u32 rows = rest_before(stray[k]);
			if (lane_index() == 0) into[k] = rows;
		}
		sync_block();
		if (t < count) out->run[t] = {into[t] + strays_before(stray[t]), stray[t].row, 1};
		if (t <= 2 * count) out->run[count + t] = run_from(t == 0 ? 0 : t <= count ? gap[t - 1] : into[t - 1 - count]);
		if (t == 0) out->runs = 1 + 3 * count;
		return true;
	}

private:
	// The row at a break and the one in front of it are strays.
	DEVICE void take_out(u32 found) {
		const u32 t = thread_index();
		if (t < found) breaks[t] = load_relaxed(Strays::of(b)->breaks + t);
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
			stray[at] = Standing(b, row), gap[at] = row - at;
		}
		sync_block();
	}
	// Whether the rows on both sides of a group of strays, of which this is the last one, are in no order.
	DEVICE bool breaks_behind(u32 last) const {
		u32 first = last, behind = stray[last].row + 1;
		if (behind == b->n || (last + 1 < count && gap[last + 1] == gap[last])) return false;
		while (first > 0 && gap[first - 1] == gap[first]) first--;
		return stray[first].row > 0 && Standing(b, behind) < Standing(b, stray[first].row - 1);
	}
	DEVICE u32 strays_before(const Standing& s) const {
		u32 before = 0;
		for (u32 k = 0; k < count; k++) before += stray[k] < s;
		return before;
	}
	// How many of some numbers, of each stray, are at most j.
	DEVICE u32 up_to(const u32* numbers, u32 j) const {
		u32 sum = 0;
		for (u32 k = 0; k < count; k++) sum += numbers[k] <= j;
		return sum;
	}
	// The rows of the rest that sort before a row; by a warp, which looks at 32 of them at a time.
	DEVICE u32 rest_before(const Standing& s) const {
		u32 low = 0, size = (u32)b->n - count;
		while (size > 0) {
			u32 step = size / 33 + 1, j = low + (lane_index() + 1) * step - 1;
			bool before = j < low + size && Standing(b, j + up_to(gap, j)) < s;
			u32 steps = count_ones(vote(before)), left = size - steps * step;
			low += steps * step, size = steps < 32 && step - 1 < left ? step - 1 : left;
		}
		return low;
	}
	// The run of rows of the rest that begins with row j of it.
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
