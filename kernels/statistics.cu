#include "number.h"
#include "row_order.h"

// A row as the order sees it.
struct Row {
	u64 word; // ordered; zero unless a value
	u32 cls;
};

// How rows of the column are read, in registers.
struct RowReader {
	const Column* column;
	Field field;

	DEVICE explicit RowReader(const Column* c) : column(c) {
		field.values = c->values;
		field.valueBit = c->valueBit;
		field.form = c->form;
		field.width = c->width;
		field.stride = c->stride;
	}
	DEVICE Row at(u64 row) const {
		if (column->form == FORM_NONE) return {0, CLASS_NULL};
		if (column->validity != 0 && !bit_at((const u32*)column->validity, column->bit + row)) return {0, CLASS_NULL};
		u64 x = raw_value(&field, row), mask = ~0ull >> (64 - 8 * column->width);
		if (column->form == FORM_RANK) return x == 0 ? Row{0, CLASS_NULL} : Row{x - 1, CLASS_VALUE};
		if (column->form == FORM_FLOAT) {
			if (x & column->sign) x = (column->sign - x) & mask;
			if (((x + column->infinity) & mask) > 2 * column->infinity) return {0, CLASS_NAN};
		}
		return {x ^ column->signBit, CLASS_VALUE};
	}
};

struct Sums {
	u64 notMin = 0, max = 0, any = 0, notAll = 0;
	u32 nulls = 0, nans = 0;
	Steps steps;

	DEVICE void add(const Row& row) {
		nulls += row.cls == CLASS_NULL;
		nans += row.cls == CLASS_NAN;
		if (row.cls != CLASS_VALUE) return;
		notMin = ~row.word > notMin ? ~row.word : notMin;
		max = row.word > max ? row.word : max;
		any |= row.word;
		notAll |= ~row.word;
	}
	DEVICE void store(Statistics* out) {
		u64 total[] = {warp_sum(nulls), warp_sum(nans), warp_max(notMin), warp_max(max), warp_or(any), warp_or(notAll)};
		steps.store(out);
		if (lane_index() != 0) return;
		if (total[0]) atomic_add(&out->nulls, total[0]);
		if (total[1]) atomic_add(&out->nans, total[1]);
		atomic_max(&out->notMin[0], total[2]);
		atomic_max(&out->max[0], total[3]);
		atomic_or(&out->any, total[4]);
		atomic_or(&out->notAll, total[5]);
	}
};

DEVICE int step_between(const Row& before, const Row& row, const Column* c) {
	if (before.cls != row.cls) return class_rank(row.cls, c->nullsAtStart) > class_rank(before.cls, c->nullsAtStart) ? 1 : -1;
	int step = (row.word > before.word) - (row.word < before.word);
	return c->descending ? -step : step;
}

const int STATISTICS_ITEMS = 8;

// The statistics of a key column in one read. A warp reads 32 rows at a time; a lane gets its predecessor from its neighbour.
KERNEL(statistics, STREAM_THREADS, 1)(const Column* column, u64 n, Statistics* out) {
	RowReader reader(column);
	Sums sums;
	const u64 chunk = 32 * STATISTICS_ITEMS, warps = (u64)grid_blocks() * (STREAM_THREADS / 32);
	for (u64 first = ((u64)block_index() * (STREAM_THREADS / 32) + warp_index()) * chunk; first < n; first += warps * chunk) {
		Row rows[STATISTICS_ITEMS], before = first > 0 ? reader.at(first - 1) : Row{0, 0};
		UNROLL for (int i = 0; i < STATISTICS_ITEMS; i++) {
			u64 row = first + 32 * i + lane_index();
			if (row < n) rows[i] = reader.at(row);
		}
		UNROLL for (int i = 0; i < STATISTICS_ITEMS; i++) {
			u64 row = first + 32 * i + lane_index();
			Row last = {shuffle_up(rows[i].word, 1), shuffle_up(rows[i].cls, 1)};
			if (lane_index() == 0) last = before;
			before = {shuffle(rows[i].word, 31), shuffle(rows[i].cls, 31)};
			if (row >= n) continue;
			sums.add(rows[i]);
			if (row > 0) sums.steps.add(step_between(last, rows[i], column));
		}
	}
	sums.store(out);
}
