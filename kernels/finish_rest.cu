#include "bins.h"
#include "classes.h"

const u32 REST_THREADS = 1024;

// Whether one record sorts behind another: the order of records, and of their rows' numbers where their prefixes tie.
struct RecordOrder {
	const Field* field;
	bool exact; // prefixes tell all

	DEVICE explicit RecordOrder(const Buckets* b) : field(&b->field) {
		const Verdict* v = (const Verdict*)b->verdict;
		exact = ((const Map*)b->numberMap)->right == 0 && !v->below && !v->above;
	}
	DEVICE bool operator()(u64 x, u64 y) const {
		if (exact || x >> 32 != y >> 32) return x > y;
		u64 a = NumberedRow(field, (u32)x).number, b = NumberedRow(field, (u32)y).number;
		return a != b ? a > b : x > y;
	}
};

// finish_rest sorts what the finish left over, each range by a block.
KERNEL(finish_rest, REST_THREADS, 1)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	u64* stage = (u64*)shared_memory();
	const u64* records = (const u64*)b->records[b->second ? 1 : 0];
	const Verdict* verdict = (const Verdict*)b->verdict;
	u32 count = verdict->goOn ? verdict->rest : 0;
	RecordOrder order(b);
	for (u32 o = block_index(); o < count; o += grid_blocks()) {
		Range r = ((const Range*)b->rest)[o];
		u32 rows = r.end - r.first;
		for (u32 i = thread_index(); i < rows; i += REST_THREADS) stage[i] = records[r.first + i];
		sync_block();
		sort_bitonic<REST_THREADS>(stage, rows, order);
		for (u32 i = thread_index(); i < rows; i += REST_THREADS) ((u32*)b->rows)[output_place(b, r.first + i)] = (u32)stage[i];
		sync_block();
	}
}
