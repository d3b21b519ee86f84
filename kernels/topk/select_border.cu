#include "common/number.h"

// The border of a select: the number that the given rows of a sample do not exceed.

const int BORDER_ITEMS = SELECT_SAMPLE / SELECT_BORDER_THREADS;

// Shared memory of a block.
struct BorderMemory {
	u32 bins[RADIX_BINS];
	u32 bin, before, rows; // where the border is among the bins of a digit
	u32 last;              // whether this is the last block
};

// Row i of a sample: a random one of each of equal strips, so that no period of the column can hide.
DEVICE u64 sampled_row(u32 i, u64 n, u32 rows) {
	u32 x = i * 2654435761u;
	x = (x ^ x >> 15) * 2246822519u;
	return i * n / rows + multiply_high(x ^ x >> 13, (u32)(n / rows));
}

// A Border is found digit by digit, from the most significant on, by all threads of a block.
struct Border {
	BorderMemory* m;
	u32 rows, hits, upTo; // hits: the remaining ones among those that share the leading digits; upTo: rows of the
	                      // sample up to the border
	u64 number;

	DEVICE Border(u32 rows, u32 hits) : m((BorderMemory*)shared_memory()), rows(rows), hits(hits), upTo(0), number(0) {}

	DEVICE void find(const u64* sample, u32 bits) {
		u64 x[BORDER_ITEMS];
		UNROLL for (int i = 0; i < BORDER_ITEMS; i++)
			x[i] = has(i) ? load_relaxed(sample + i * SELECT_BORDER_THREADS + thread_index()) : 0;
		const u32 spare = hits / 16 + 1; // rows of the sample by which the border may exceed the hits
		u64 above = 0; // of the bits that are known
		for (u32 shift = (bits - 1) / RADIX_BITS * RADIX_BITS;; shift -= RADIX_BITS) {
			count(x, shift, above);
			number |= (u64)m->bin << shift;
			hits -= m->before, upTo += m->before;
			above = ~0ull << shift;
			if (shift > 0 && m->rows > spare) continue;
			number |= ~above, upTo += m->rows;
			return;
		}
	}
	DEVICE bool has(int i) const { return i * SELECT_BORDER_THREADS + thread_index() < rows; }

private:
	DEVICE void count(const u64* x, u32 shift, u64 above) const {
		sync_block(); // all have read what was found in the digit before
		if (thread_index() < RADIX_BINS) m->bins[thread_index()] = 0;
		sync_block();
		UNROLL for (int i = 0; i < BORDER_ITEMS; i++) {
			bool mine = has(i) && ((x[i] ^ number) & above) == 0;
			u32 bin = (u32)(x[i] >> shift) & (RADIX_BINS - 1), one = shuffle(bin, 0);
			if (vote(mine && bin == one) == ALL_LANES) { // lanes that add to one counter wait for each other
				if (lane_index() == 0) atomic_add(m->bins + bin, 32u);
			} else if (mine) {
				atomic_add(m->bins + bin, 1u);
			}
		}
		sync_block();
		if (warp_index() == 0) choose();
		sync_block();
	}
	// By one warp: finds the bin of the border.
	DEVICE void choose() const {
		const u32 each = RADIX_BINS / 32;
		u32 sum = 0, total;
		UNROLL for (u32 k = 0; k < each; k++) sum += m->bins[lane_index() * each + k];
		u32 before = warp_exclusive_sum(sum, &total);
		UNROLL for (u32 k = 0; k < each; k++) {
			u32 here = m->bins[lane_index() * each + k];
			if (before < hits && hits <= before + here)
				m->bin = lane_index() * each + k, m->before = before, m->rows = here;
			before += here;
		}
	}
};

// select_border takes the sample; the last block finds the border in it.
KERNEL(select_border, SELECT_BORDER_THREADS, 1)(PARAMETER Select s) {
	let_later_kernels_start();
	BorderMemory* m = (BorderMemory*)shared_memory();
	Selection* selection = (Selection*)s.selection;
	const u32 rows = s.n < SELECT_SAMPLE ? (u32)s.n : SELECT_SAMPLE,
	          i = block_index() * SELECT_BORDER_THREADS + thread_index();
	if (i < rows) ((u64*)s.sample)[i] = field_number(&s.field, sampled_row(i, s.n, rows));
	if (!is_last_block(&selection->sampled, &m->last)) return;
	Border border(rows, (u32)s.hits);
	border.find((const u64*)s.sample, (u32)s.bits);
	if (thread_index() != 0) return;
	selection->border = border.number;
	if (s.separateTies || border.upTo * s.n <= s.capacity * rows) return;
	selection->declined = 1;
	((Selected*)s.selected)->candidates = ~0ull;
}
