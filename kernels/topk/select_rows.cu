#include "common/column_rows.h"
#include "common/look_back.h"

// The rows up to a border, in row order: each tile gets its place by decoupled look-back.

// Candidates of some tiles, and rows that tie with the border. A status word holds a code, and both.
struct TileCounts {
	static const u32 most = (1u << 31) - 1; // counts saturate, above any capacity
	static const u64 PARTIAL = 1ull << 62, INCLUSIVE = 2ull << 62, CODE = 3ull << 62;
	u32 candidates, tied;

	DEVICE static TileCounts of(u64 word) { return {(u32)word & most, (u32)(word >> 31) & most}; }
	DEVICE u64 word(u64 code) const { return code | (u64)tied << 31 | candidates; }
	DEVICE void add(const TileCounts& c) { candidates = sum(candidates, c.candidates), tied = sum(tied, c.tied); }
	DEVICE static u32 sum(u32 a, u32 b) { return a + b < most ? a + b : most; }
};

// Decoupled look-back by a warp: the counts of all tiles preceding one. Each lane reads a tile.
DEVICE TileCounts look_back(const u64* status, u32 tile) {
	TileCounts sum = {0, 0};
	for (long long at = (long long)tile - 1 - lane_index(); vote(at >= 0) != 0; at -= 32) {
		u64 word;
		do word = at >= 0 ? load_relaxed(status + at) : TileCounts::INCLUSIVE;
		while (vote((word & TileCounts::CODE) == 0) != 0);
		u32 inclusive = vote((word & TileCounts::CODE) == TileCounts::INCLUSIVE);
		TileCounts c = TileCounts::of(word);
		if (inclusive && lane_index() > lowest_bit(inclusive)) c = {0, 0};
		sum.add({warp_add(c.candidates), warp_add(c.tied)}); // one word of 31 bits and 31 small ones at most
		if (inclusive) break;
	}
	return sum;
}

// Shared memory of a block.
struct SelectMemory {
	u32 tile;
	TileCounts before;                // the tile
	u32 warps[SELECT_THREADS / 32]; // candidates, and rows that tie above them
};

template <class Word, int items> struct RowSelector {
	const Select& s;
	Selection* selection;
	SelectMemory* m;
	ColumnRows<Word, items> column;
	u32 candidates = 0, tied = 0; // bit i: item i is one

	DEVICE explicit RowSelector(const Select& s)
	    : s(s), selection((Selection*)s.selection), m((SelectMemory*)shared_memory()), column(&s.field) {}

	// Blocks take tiles in order, so that all preceding tiles have begun.
	DEVICE void run() {
		if (thread_index() == 0) m->tile = atomic_add(&selection->ticket, 1u);
		sync_block();
		Place p(((u64)m->tile * SELECT_THREADS + warp_index() * 32) * items, s.n, 32 * items);
		column.load(p);
		wait_for_earlier_kernels();
		if (selection->declined) return;
		column.encode(p);
		compare(p, (Word)selection->border);
		u32 mine = vote((candidates | tied) != 0) ? warp_add(count_ones(tied) << 16 | count_ones(candidates)) : 0;
		if (lane_index() == 0) m->warps[warp_index()] = mine;
		sync_block();
		if (warp_index() == 0) find_places();
		sync_block();
		if (mine) write(p, mine & 0xffff, mine >> 16);
	}
	// Most warps have neither candidates nor ties, and test that first.
	DEVICE void compare(const Place& p, Word border) {
		bool any = false;
		UNROLL for (int i = 0; i < items; i++) any |= column.x[i] <= border;
		if (vote(any) == 0) return;
		UNROLL for (int i = 0; i < items; i++) {
			candidates |= (u32)(column.x[i] < border) << i;
			tied |= (u32)(column.x[i] == border) << i;
		}
		// Items of this lane; those after the end may equal the border.
		u32 inside = p.left > lane_index() ? (p.left - lane_index() + 31) / 32 : 0;
		tied &= (u32)((1ull << inside) - 1);
		if (!s.separateTies) candidates |= tied, tied = 0;
	}
	// By one warp.
	DEVICE void find_places() {
		u32 tile = m->tile, both = warp_add(lane_index() < SELECT_THREADS / 32 ? m->warps[lane_index()] : 0u);
		TileCounts here = {both & 0xffff, both >> 16};
		u64* status = (u64*)s.status;
		stall(tile);
		if (lane_index() == 0)
			store_relaxed(status + tile, here.word(tile ? TileCounts::PARTIAL : TileCounts::INCLUSIVE));
		TileCounts before = look_back(status, tile);
		here.add(before);
		if (lane_index() != 0) return;
		if (tile) store_relaxed(status + tile, here.word(TileCounts::INCLUSIVE));
		m->before = before;
		if (tile + 1 == grid_blocks()) *(Selected*)s.selected = {here.candidates, here.tied, selection->border};
	}
	// Beyond the capacity the host needs no candidate. Rows that tie are needed until there are k rows in all.
	DEVICE void write(const Place& p, u32 ofWarp, u32 tiedOfWarp) {
		u32 both = warp_add(lane_index() < warp_index() ? m->warps[lane_index()] : 0u),
		    row = (u32)p.first + lane_index();
		u32 to = m->before.candidates + (both & 0xffff), toTied = m->before.tied + (both >> 16),
		    wanted = s.k > to ? (u32)s.k - to : 0;
		Word* codes = (Word*)s.codes;
		u32 *rows = (u32*)s.rows, *ties = (u32*)s.tied;
		if (ofWarp && to + ofWarp <= s.capacity) {
			UNROLL for (int i = 0; i < items; i++)
				put(candidates >> i & 1, &to, [&](u32 at) { codes[at] = column.x[i], rows[at] = row + 32 * i; });
		}
		if (tiedOfWarp && toTied < wanted) {
			UNROLL for (int i = 0; i < items; i++)
				put(tied >> i & 1, &toTied, [&](u32 at) {
					if (at < wanted) ties[at] = row + 32 * i;
				});
		}
	}
	// Lanes that have something put it to adjacent places, from a place on.
	template <class Put> DEVICE static void put(bool mine, u32* to, const Put& put_at) {
		u32 with = vote(mine);
		if (mine) put_at(*to + count_ones(with & ((1u << lane_index()) - 1)));
		*to += count_ones(with);
	}
};

KERNEL(select_rows, SELECT_THREADS, 2)(PARAMETER Select s) { RowSelector<u32, SELECT_TILE / SELECT_THREADS>(s).run(); }
KERNEL(select_rows_wide, SELECT_THREADS, 2)(PARAMETER Select s) {
	RowSelector<u64, SELECT_WIDE_TILE / SELECT_THREADS>(s).run();
}
