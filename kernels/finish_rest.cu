#include "buckets.h"

const u32 REST_THREADS = 1024;

// The order of records, and of the rest of their codes where their prefixes tie.
struct RecordOrder {
	const Field* field;
	bool wide;

	DEVICE explicit RecordOrder(const Buckets* b) : field((const Field*)b->field), wide(b->codeBits > 32) {}
	DEVICE bool greater(u64 x, u64 y) const {
		if (!wide || x >> 32 != y >> 32 || y == ~0ull || x == ~0ull) return x > y;
		u64 a = NumberedRow(field, (u32)x).number, b = NumberedRow(field, (u32)y).number;
		return a != b ? a > b : x > y;
	}
};

DEVICE void sort_bitonic(u64* stage, u32 size, const RecordOrder& order) {
	for (u32 k = 2; k <= size; k *= 2) {
		for (u32 j = k / 2; j > 0; j /= 2) {
			for (u32 x = thread_index(); x < size / 2; x += REST_THREADS) {
				u32 low = (x & ~(j - 1)) * 2 | (x & (j - 1)), high = low | j;
				u64 a = stage[low], b = stage[high];
				if (order.greater(a, b) == ((low & k) == 0)) stage[low] = b, stage[high] = a;
			}
			sync_block();
		}
	}
}

// finish_rest sorts what the finish left over, each range by a block.
KERNEL(finish_rest, REST_THREADS, 1)(const Buckets* b) {
	u64* stage = (u64*)shared_memory();
	const u64* records = (const u64*)b->records[b->second ? 1 : 0];
	const Verdict* verdict = (const Verdict*)b->verdict;
	u32 count = verdict->goOn ? verdict->rest : 0;
	RecordOrder order(b);
	for (u32 o = block_index(); o < count; o += grid_blocks()) {
		Range r = ((const Range*)b->rest)[o];
		u32 rows = r.end - r.first, size = 2;
		while (size < rows) size *= 2;
		for (u32 i = thread_index(); i < size; i += REST_THREADS) stage[i] = i < rows ? records[r.first + i] : ~0ull;
		sync_block();
		sort_bitonic(stage, size, order);
		for (u32 i = thread_index(); i < rows; i += REST_THREADS) ((u32*)b->rows)[r.first + i] = (u32)stage[i];
		sync_block();
	}
}
