// Orders what one thread does not: bins of many rows, and rows that tie in all bits of their words, which are compared
// by their numbers. Warps order them, one row per lane, so that the numbers of rows that are adjacent in the column are
// read in whole lines.
#pragma once
#include "bucketsort/bins.h"
#include "common/numbers.h"

// A run is adjacent words of the stage: its place, and above it the number of rows. 0: none. TIED: some of few rows
// tie.
const u32 TIED = 1u << 31;

// rests: rows with equal numbers may differ, and are compared by their rests. Separate code, which takes registers.
template <class BinSorter, bool rests> struct Overflow : BinSorter {
	using BinSorter::b, BinSorter::control, BinSorter::counters, BinSorter::lows, BinSorter::row_mask,
	    BinSorter::row_of, BinSorter::runs, BinSorter::range, BinSorter::stage, BinSorter::ties;
	typedef typename BinSorter::Word Word;
	static const u32 threads = BinSorter::threads;

	DEVICE Overflow(const Buckets& b, const volatile BucketRange* range) : BinSorter(b, shared_memory(), range) {}

	// Orders all overflowing bins: for short words those of each warp's list, else those of the block. Ends with a
	// barrier.
	static NOINLINE void order(const Buckets* b, const volatile BucketRange* range, u32 bins) {
		Overflow c(*b, range);
		c.order_bins(BinSorter::isWide ? c.control[CONTROL_OVERFLOW] : bins);
		if (BinSorter::isWide) {
			ROLLED while (u32 count = c.control[CONTROL_RUNS]) c.order_runs(count);
		}
	}
	// A bin has as many lanes as the least power of two that is no less than its rows. A warp orders as many bins at a
	// time as its lanes allow.
	DEVICE void order_bins(u32 bins) {
		const u32 list = BinSorter::list_of_warp(), lane = lane_index(), warps = BinSorter::isWide ? threads / 32 : 1;
		ROLLED for (u32 o = BinSorter::isWide ? warp_index() : 0; o < bins; o += 32 * warps) {
			const u32 mine = o + lane * warps, bin = mine >= bins        ? 0
			                                         : BinSorter::isWide ? runs[mine]
			                                                             : load_shared(list + mine * 4);
			const u32 rows = mine < bins ? (bin & 0xffff) / 4 + 1 : 0;
			sync_warp(); // all lanes have read these bins of the list
			ROLLED for (u32 log2 = 1; log2 <= 5; log2++) {
				const u32 width = 1u << log2, before = (1u << lane) - 1;
				const bool now = rows > (width > 2 ? width / 2 : 0) && (rows <= width || width == 32);
				const u32 lanes = vote(now), count = count_ones(lanes);
				if (now) store_shared(list + count_ones(lanes & before) * 4, bin >> 18 | rows << 16);
				sync_warp();
				if (BinSorter::isWide) {
					ROLLED for (u32 k = lane >> log2; k - (lane >> log2) < count; k += 32 >> log2)
						find_ties(list + k * 4, k < count, width);
					sync_warp();
				}
				ROLLED for (u32 k = lane >> log2; k - (lane >> log2) < count; k += 32 >> log2)
					order_rows(k < count ? load_shared(list + k * 4) : 0, width);
				sync_warp();
			}
		}
		order_large([&](u32 run) { order_many_words<WarpTeam>(run); },
		            [&](u32 run) { order_many_words<BlockTeam<threads>>(run); });
	}
	// The number of words less than this lane's, of those of lanes base..base+lanes-1.
	template <class T> DEVICE static u32 count_less(T x, u32 base, u32 lanes) {
		u32 less = 0;
		ROLLED for (u32 j = 0; j < lanes; j += 2) less += (shuffle(x, base + j) < x) + (shuffle(x, base + j + 1) < x);
		return less;
	}
	// The same, and those that are equal and precede this lane's.
	DEVICE static u32 count_preceding(Word x, u32 base, u32 lanes) {
		u32 less = 0;
		ROLLED for (u32 j = base; j < base + lanes; j++) {
			const Word other = shuffle(x, j % 32);
			less += other < x || (other == x && j < lane_index());
		}
		return less;
	}
	// Runs of very many rows. Each is ordered by a warp if there are enough for all warps, else by all warps of the
	// block, one run after the other.
	DEVICE void defer_to_block(u32 run) const {
		if (lane_index() == 0) control[CONTROL_LIST + atomic_add(control + CONTROL_LARGE, 1u)] = run;
	}
	template <class ByWarp, class ByBlock> DEVICE void order_large(const ByWarp& by_warp, const ByBlock& by_block) {
		sync_block();
		// alone: the most rows of a run that a warp orders.
		const u32 large = control[CONTROL_LARGE], alone = large >= threads / 64 ? LARGE_BIN : 0;
		ROLLED for (u32 o = warp_index(); o < large; o += threads / 32) {
			u32 run = control[CONTROL_LIST + o];
			if (run >> 16 <= alone) by_warp(run);
		}
		ROLLED for (u32 o = 0; o < large; o++) {
			u32 run = control[CONTROL_LIST + o];
			if (run >> 16 > alone) by_block(run);
		}
		sync_block();
		if (large == 0) return;
		if (thread_index() == 0) control[CONTROL_LARGE] = 0;
		sync_block();
	}
	// Bins of a few rows are here because some of them tie, larger ones may tie. Bins with ties are ordered by their
	// numbers, which are prefetched: rows that share that many bits are often adjacent in the column.
	DEVICE void find_ties(u32 place, bool inside, u32 width) const {
		const u32 run = inside ? load_shared(place) : 0, at = run & 0xffff, rows = run >> 16,
		          base = lane_index() & (32 - width), k = lane_index() - base;
		sync_warp(); // all lanes have read the run
		if (width == 32 && rows > 32) return;
		const u32 word = k < rows ? stage[at + k] : ~0u;
		bool tied = k < rows;
		if (width > THREAD_BIN) {
			const u32 lanes = lanes_with(tied ? base << 26 | word >> BinSorter::indexBits : ~lane_index());
			tied &= (vote((lanes & (lanes - 1)) != 0) >> base & (~0u >> (32 - width))) != 0; // some rows of the bin tie
		}
		if (!tied) return;
		if (k == 0) store_shared(place, run | TIED);
		if (!range->ties) return;
		const Field* f = leading_column(&b.field);
		fetch_soon(f->values + row_of(word) * f->width);
	}
	DEVICE void order_rows(u32 run, u32 width) {
		const u32 at = run & 0xffff, rows = (run & ~TIED) >> 16, base = lane_index() & (32 - width),
		          k = lane_index() - base;
		if (width == 32 && rows > 32) return defer_to_block(run);
		const Word word = k < rows ? stage[at + k] : (Word)~0ull;
		const bool tied = run & TIED;
		const u32 rank = BinSorter::valuesOnly              ? count_preceding(word, base, warp_max(rows))
		                 : BinSorter::isWide && vote(tied) ? rank_by_numbers(word, tied, base, k, rows)
		                                                   : count_less(word, base, warp_max(rows));
		if (k < rows) stage[at + rank] = word;
	}
	template <class Team> DEVICE void order_many_words(u32 run) {
		const u32 at = run & 0xffff, rows = run >> 16;
		if (BinSorter::isWide || BinSorter::valuesOnly) {
			bool differ = false;
			for (u32 k = Team::index(); k < rows; k += Team::size) differ |= !ties(stage[at], stage[at + k]);
			if (!Team::any(differ)) {
				if (BinSorter::isWide && Team::index() == 0)
					runs[atomic_add(control + CONTROL_RUNS, 1u)] = at | rows << 16;
				return;
			}
		}
		sort_bitonic<Team>(rows, [&](u32 x, u32 y) {
			Word a = stage[at + x], c = stage[at + y];
			if (a > c) stage[at + x] = c, stage[at + y] = a;
		});
		if (BinSorter::isWide)
			list_runs(at, rows, Team::index(), Team::size,
			          [&](u32 x, u32 y) { return ties(stage[at + x], stage[at + y]); });
	}
	// Lists runs of rows that tie among many rows in order. Each of the lanes of a team checks some rows.
	template <class Same> DEVICE void list_runs(u32 at, u32 rows, u32 index, u32 lanes, const Same& same) {
		ROLLED for (u32 k = index; k + 1 < rows; k += lanes) {
			u32 last = k + 1, end = rows;
			if (!same(k, last) || (k > 0 && same(k - 1, k))) continue;
			ROLLED while (end - last > 1) {
				u32 middle = (last + end) / 2;
				if (same(k, middle)) last = middle;
				else end = middle;
			}
			runs[atomic_add(control + CONTROL_RUNS, 1u)] = (at + k) | (end - k) << 16;
		}
	}

	// The key of a row that ties, but for rows with equal numbers: the low half of the record, with the rest of an
	// exact code and the row, or the number.
	DEVICE u64 number_of(u32 low) const {
		const Field* f = &b.field;
		if (!range->ties) return low;
		return f->width == 4 ? number_at<u32>(f, low & row_mask()) : number_at<u64>(f, low & row_mask());
	}
	DEVICE u64 rest_of(u32 low) const { return rest_of_keys(&b.field, low & row_mask()); }
	// What equal rows are compared by: the row. The bits of the code above it may differ, if the map spreads equal
	// numbers by their rows.
	DEVICE u32 row_of_low(u32 low) const { return range->ties ? low & row_mask() : low; }
	DEVICE u32 low_at(u32 place) const { return lows[stage[place] & BinSorter::indexMask]; }
	// The rank of a row in its bin, by numbers if some of the rows tie.
	DEVICE u32 rank_by_numbers(u32 word, bool tied, u32 base, u32 k, u32 rows) const {
		const u32 lanes = warp_max(rows);
		u32 low = ~0u;
		u64 key = ~0ull;
		if (k < rows) {
			low = lows[word & BinSorter::indexMask];
			key = !tied ? word : range->ties ? number_of(low) : (u64)(word >> BinSorter::indexBits) << 32 | low;
			low = row_of_low(low);
		}
		const u64 first = shuffle(key, base);
		const bool highs = vote(k < rows && (key ^ first) >> 32 != 0) != 0; // differ
		u32 rank = highs ? count_less(key, base, lanes) : count_less((u32)key, base, lanes);
		if (warp_add(k < rows ? k - rank : 0) == 0) return rank;
		if (rests) return rank + rank_by_rests(&b, key, low, base, k < rows ? lanes : 0);
		ROLLED for (u32 j = 0; j < lanes; j++) { // some are equal
			u64 other = shuffle(key, base + j);
			u32 otherLow = shuffle(low, base + j);
			rank += other == key && otherLow < low;
		}
		return rank;
	}
	// Of rows with equal numbers, those that are less by their rests, or as great and preceding in the column.
	static NOINLINE u32 rank_by_rests(const Buckets* b, u64 key, u32 row, u32 base, u32 rows) {
		const u32 lanes = warp_max(rows);
		u32 equal = 0, rank = 0;
		ROLLED for (u32 j = 0; j < lanes; j++) equal += shuffle(key, base + j) == key;
		const u64 rest = rows && equal > 1 ? rest_of_keys(&b->field, row) : ~0ull;
		ROLLED for (u32 j = 0; j < lanes; j++) {
			u64 other = shuffle(key, base + j), otherRest = shuffle(rest, base + j);
			u32 otherRow = shuffle(row, base + j);
			rank += other == key && (otherRest < rest || (otherRest == rest && otherRow < row));
		}
		return rank;
	}
	// Orders the runs of bins of very many rows. Rows that still tie make new runs.
	DEVICE void order_runs(u32 count) {
		ROLLED for (u32 o = warp_index(); o < count; o += threads / 32) {
			const u32 run = runs[o], rows = run >> 16;
			if (rows <= 32) order_run(run & 0xffff, rows);
			else if (rows <= WARP_BIN) order_many_numbers<WarpTeam>(&b, range, run);
			else defer_to_block(run);
		}
		sync_block();
		if (thread_index() == 0) control[CONTROL_RUNS] = 0;
		order_large([&](u32 run) { order_many_numbers<WarpTeam>(&b, range, run); },
		            [&](u32 run) { order_many_numbers<BlockTeam<threads>>(&b, range, run); });
	}
	DEVICE void order_run(u32 at, u32 rows) const {
		const u32 k = lane_index(), word = k < rows ? stage[at + k] : ~0u,
		          rank = rank_by_numbers(word, true, 0, k, rows);
		if (k < rows) stage[at + rank] = word;
	}
	// Orders by 32 bits of the numbers, from the first bit on in which they differ. Rows that are equal in these are
	// compared by the whole numbers; many of them make new runs. Rows whose numbers are all equal are ordered by their
	// rests in the same way.
	template <class Team>
	static NOINLINE void order_many_numbers(const Buckets* b, const volatile BucketRange* range, u32 run) {
		Overflow c(*b, range);
		u64 varying = c.template varying_bits<Team>(run, false);
		const bool byRests = rests && varying == 0;
		if (byRests) varying = c.template varying_bits<Team>(run, true);
		c.template sort_by_numbers<Team>(run, varying, byRests);
	}
	DEVICE u64 number_or_rest(u32 low, bool rest) const { return rests && rest ? rest_of(low) : number_of(low); }
	// The bits in which the numbers of a run differ. Their low halves are the keys then.
	template <class Team> DEVICE u64 varying_bits(u32 run, bool byRests) const {
		const u32 at = run & 0xffff, rows = run >> 16;
		u64 any = 0, notAll = 0;
		ROLLED for (u32 k = Team::index(); k < rows; k += Team::size) {
			u64 number = number_or_rest(low_at(at + k), byRests);
			counters[at + k] = (u32)number;
			any |= number, notAll |= ~number;
		}
		any = Team::any_of(any, control + CONTROL_BITS), notAll = Team::any_of(notAll, control + CONTROL_BITS);
		return any & notAll;
	}
	template <class Team> DEVICE void sort_by_numbers(u32 run, u64 varying, bool byRests) {
		const u32 at = run & 0xffff, rows = run >> 16, high = (u32)(varying >> 32),
		          shift = high ? 32 - count_leading_zeros(high) : 0;
		u32* keys = counters + at;
		if (shift) {
			ROLLED for (u32 k = Team::index(); k < rows; k += Team::size)
				keys[k] = (u32)(number_or_rest(low_at(at + k), byRests) >> shift);
		}
		Team::sync();
		const bool again = (shift || (rests && !byRests)) && Team::size > 32;
		sort_bitonic<Team>(rows, [&](u32 x, u32 y) {
			u32 a = keys[x], c = keys[y], word = stage[at + x];
			if (a < c || (a == c && (again || !sorts_after(low_at(at + x), low_at(at + y), shift)))) return;
			keys[x] = c, keys[y] = a;
			stage[at + x] = stage[at + y], stage[at + y] = word;
		});
		if (again) list_runs(at, rows, Team::index(), Team::size, [&](u32 x, u32 y) { return keys[x] == keys[y]; });
	}
	DEVICE bool sorts_after(u32 low, u32 other, u32 shift) const {
		u64 a = shift ? number_of(low) : 0, c = shift ? number_of(other) : 0;
		if (rests && a == c) a = rest_of(low), c = rest_of(other);
		return a != c ? a > c : row_of_low(low) > row_of_low(other);
	}
};
