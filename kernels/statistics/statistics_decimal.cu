#include "common/number.h"
#include "common/row_order.h"
#include "statistics/decimal.h"

struct DecimalRow {
	Limbs value;
	bool valid;
};

DEVICE DecimalRow decimal_row(const Column* c, u64 row) {
	if (c->validity != 0 && !bit_at((const u32*)c->validity, c->bit + row)) return {{{0, 0, 0, 0}}, false};
	return {decimal_at(c->values, c->width, row), true};
}

DEVICE int step_between(const DecimalRow& before, const DecimalRow& row, const Column* c) {
	if (before.valid != row.valid) return row.valid == (c->nullsAtStart != 0) ? 1 : -1;
	int step = compare(row.value, before.value);
	return c->descending ? -step : step;
}

DEVICE Limbs warp_max(Limbs v) {
	UNROLL for (u32 by = 16; by > 0; by /= 2) {
		Limbs other;
		UNROLL for (int i = 0; i < 4; i++) other.limb[i] = shuffle_xor(v.limb[i], by);
		if (compare(other, v) > 0) v = other;
	}
	return v;
}

// No atomic operation is as wide as a decimal: warps take turns.
DEVICE void keep_greatest(u64* greatest, const Limbs& v) {
	volatile u64* words = greatest; // as the last warp left them
	Limbs is = {{words[0], words[1], words[2], words[3]}};
	if (compare(v, is) <= 0) return;
	for (int i = 0; i < 4; i++) words[i] = v.limb[i];
}

struct DecimalSums {
	Limbs notMin = {{0, 0, 0, 0}}, max = {{0, 0, 0, 0}};
	u64 any = 0, notAll = 0, nulls = 0;
	Steps steps;

	DEVICE void add(const DecimalRow& row) {
		nulls += !row.valid;
		if (!row.valid) return;
		const Limbs& v = row.value;
		Limbs complement = {{~v.limb[0], ~v.limb[1], ~v.limb[2], ~v.limb[3]}};
		if (compare(complement, notMin) > 0) notMin = complement;
		if (compare(v, max) > 0) max = v;
		any |= v.limb[0];
		notAll |= ~v.limb[0];
	}
	DEVICE void store(Statistics* out) {
		Limbs least = warp_max(notMin), greatest = warp_max(max);
		u64 total[] = {warp_sum(nulls), warp_or(any), warp_or(notAll)};
		steps.store(out);
		if (lane_index() != 0) return;
		if (total[0]) atomic_add(&out->nulls, total[0]);
		atomic_or(&out->any, total[1]);
		atomic_or(&out->notAll, total[2]);
		lock(&out->lock);
		keep_greatest(out->notMin, least);
		keep_greatest(out->max, greatest);
		unlock(&out->lock);
	}
};

// The statistics of a column of decimals.
KERNEL(statistics_decimal, STREAM_THREADS, 1)(const Column* column, u64 n, Statistics* out) {
	DecimalSums sums;
	u64 step = (u64)grid_blocks() * STREAM_THREADS;
	for (u64 row = (u64)block_index() * STREAM_THREADS + thread_index(); row < n; row += step) {
		DecimalRow r = decimal_row(column, row);
		sums.add(r);
		if (row > 0) sums.steps.add(step_between(decimal_row(column, row - 1), r, column));
	}
	sums.store(out);
}
