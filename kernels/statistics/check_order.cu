#include "common/numbers.h"
#include "common/row_order.h"

// The work of a warp on a column whose sample is in order, or reversed.
template <class Word> struct OrderChecker {
	const Buckets* b;
	const Field* f;
	Decision* decision;
	Numbers<Word> numbers;
	u32 n;
	bool rising, nullable, nullsAtStart;

	DEVICE OrderChecker(const Buckets* b, bool rising)
	    : b(b), f(&b->field), decision((Decision*)b->decision), numbers(f), n((u32)b->n), rising(rising),
	      nullable(f->validity != 0), nullsAtStart(b->column.nullsAtStart != 0) {}

	DEVICE void run() {
		const u32 step = grid_blocks() * STREAM_THREADS * CHUNK_ITEMS;
		u32 turn = 0, broken = 0; // broken: by this or another warp
		for (u32 first = (block_index() * (STREAM_THREADS / 32) + warp_index()) * CHUNK_ROWS;
		     first < n && !broken; first += step) {
			Chunk<Word> c;
			c.load((const Word*)f->values, first, n);
			NumberedRow before(f, first > 0 ? first - 1 : 0);
			c.settle(f, nullable, numbers, first, n);
			if (vote(breaks(c, first, before) != 0)) store_relaxed(&decision->listed, broken = 1);
			else if (++turn % 8 == 0) broken = load_relaxed(&decision->listed);
			write(first);
		}
	}

private:
	// The items that sort before the preceding row; for reversed rows, those that do not.
	DEVICE u32 breaks(Chunk<Word>& c, u32 first, const NumberedRow& row) const {
		const int vector = Chunk<Word>::vector;
		u32 items = 0, beforeRank = class_rank(row.cls, nullsAtStart);
		Word before = row.cls == CLASS_VALUE ? (Word)row.number : 0;
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
			if (!(c.values >> i & 1)) c.number[i] = 0;
		}
		UNROLL for (int g = 0; g < CHUNK_ITEMS; g += vector) {
			Word x = c.number[g + vector - 1], last = shuffle_up(x, 1);
			u32 rank = class_rank(c.class_of(g + vector - 1), nullsAtStart), lastRank = shuffle_up(rank, 1);
			if (lane_index() == 0) last = before, lastRank = beforeRank;
			before = shuffle(x, 31), beforeRank = shuffle(rank, 31);
			UNROLL for (int i = g; i < g + vector; i++) {
				x = c.number[i], rank = class_rank(c.class_of(i), nullsAtStart);
				bool falls = rank != lastRank ? rank < lastRank : x < last;
				items |= (u32)(falls == rising) << i;
				last = x, lastRank = rank;
			}
		}
		if (first == 0 && lane_index() == 0) items &= ~1u;
		return items & c.inside;
	}
	DEVICE void write(u32 first) const {
		u32 *rows = (u32*)b->rows, step = rising ? 1 : ~0u;
		UNROLL for (u32 k = 0; k < CHUNK_ROWS; k += 128) {
			u32 at = first + k + lane_index() * 4, row = rising ? at : n - 1 - at;
			if (at + 4 <= n) *(Words4*)(rows + at) = {row, row + step, row + 2 * step, row + 3 * step};
			else for (; at < n; at++, row += step) rows[at] = row;
		}
	}
};

// check_order checks whether all rows are in the order of the sample, and writes their numbers. The last block reports
// the result.
KERNEL(check_order, STREAM_THREADS, 4)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	Decision* decision = (Decision*)b->decision;
	const bool rising = decision->order == ORDER_RISING;
	if (b->field.width == 4) OrderChecker<u32>(b, rising).run();
	else OrderChecker<u64>(b, rising).run();
	if (!is_last_block(&decision->ticket, (u32*)shared_memory())) return;
	const bool broken = load_relaxed(&decision->listed) != 0;
	if (thread_index() != 0) return;
	decision->ticket = 0;
	store_system(&((Report*)b->report)->plan, broken ? +STATUS_DECLINED : +STATUS_ACCEPTED);
}
