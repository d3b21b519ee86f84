#include "strays.h"

// What a warp does to a column whose sample is in order, or in reverse.
template <class Word> struct OrderWatch {
	const Buckets* b;
	const Field* f;
	Verdict* verdict;
	Numbers<Word> numbers;
	u32 n;
	bool rising, nullable, nullsAtStart;

	DEVICE OrderWatch(const Buckets* b, bool rising)
	    : b(b), f(&b->field), verdict((Verdict*)b->verdict), numbers(f), n((u32)b->n), rising(rising), nullable(f->validity != 0),
	      nullsAtStart(b->column.nullsAtStart != 0) {}

	// More breaks than these are no order.
	DEVICE u32 most() const { return rising ? MOST_BREAKS : 0; }

	DEVICE void run() {
		const u32 step = grid_blocks() * STREAM_THREADS * CHUNK_ITEMS;
		u32 turn = 0, broken = 0;
		for (u32 first = (block_index() * (STREAM_THREADS / 32) + warp_index()) * CHUNK_ROWS; first < n && broken <= most(); first += step) {
			Chunk<Word> c;
			c.load((const Word*)f->values, first, n);
			NumberedRow before(f, first > 0 ? first - 1 : 0);
			c.settle(f, nullable, numbers, first, n);
			u32 items = breaks(c, first, before);
			if (vote(items != 0)) broken = note(items, first);
			else if (++turn % 8 == 0) broken = load_relaxed(&verdict->rest); // of other warps
			write(first);
		}
	}

private:
	// The items that sort before the row in front of them, or not before it where rows seem to be in reverse.
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
	// Notes the rows of breaks; how many there are by now.
	DEVICE u32 note(u32 items, u32 first) const {
		u32 total, at = warp_exclusive_sum(count_ones(items), &total), before = lane_index() == 0 ? atomic_add(&verdict->rest, total) : 0;
		before = shuffle(before, 0), at += before;
		UNROLL for (int i = 0; i < CHUNK_ITEMS; i++) {
			if (!(items >> i & 1)) continue;
			if (at < MOST_BREAKS) store_relaxed(Strays::of(b)->breaks + at, first + Chunk<Word>::place(i));
			at++;
		}
		return before + total;
	}
	DEVICE void write(u32 first) const {
		u32 *rows = (u32*)b->rows, step = rising ? 1 : ~0u;
		UNROLL for (u32 k = 0; k < CHUNK_ROWS; k += 128) {
			u32 at = first + k + lane_index() * 4, row = rising ? at : n - 1 - at;
			if (at + 4 <= n) {
				*(Four*)(rows + at) = {row, row + step, row + 2 * step, row + 3 * step};
			} else {
				for (; at < n; at++, row += step) rows[at] = row;
			}
		}
	}
};

template <class Word> DEVICE void watch_order_of(const Buckets* b, bool rising) { OrderWatch<Word>(b, rising).run(); }

// watch_order watches whether all rows are in the order of the sample, and writes their numbers meanwhile. The last block tells the host what
// has come of it.
KERNEL(watch_order, STREAM_THREADS, 4)(PARAMETER Buckets arguments) {
	const Buckets* b = &arguments;
	Verdict* verdict = (Verdict*)b->verdict;
	const bool rising = verdict->seems == SEEMS_RISING;
	if (b->field.width == 4) {
		watch_order_of<u32>(b, rising);
	} else {
		watch_order_of<u64>(b, rising);
	}
	u32* last = (u32*)shared_memory();
	fence();
	sync_block();
	if (thread_index() == 0) *last = atomic_add(&verdict->ticket, 1u) + 1 == grid_blocks();
	sync_block();
	if (!*last) return;
	fence();
	u32 found = load_relaxed(&verdict->rest);
	u64 says = found == 0 ? SAYS_YES : SAYS_NO;
	if (found > 0 && found <= MOST_BREAKS && rising && StrayPlacer(b, shared_memory() + 16).place(found)) says = SAYS_YES | SAYS_STRAYS;
	if (thread_index() == 0) verdict->ticket = 0, ((Report*)b->report)->plan = says;
}
