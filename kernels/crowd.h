// Orders what is too much for one thread: bins of many rows, and rows that tie in all that their words hold, which are compared by their
// numbers. Warps do it, a lane for each row, so that the numbers of rows that are neighbours in the column come in whole lines.
#pragma once
#include "bins.h"
#include "numbers.h"

// A run is some neighbour words of the stage: its place, and above it the rows. 0: none.
template <class Finish> struct Crowd : Finish {
	using Finish::add_run, Finish::b, Finish::control, Finish::counters, Finish::lows, Finish::row_mask, Finish::runs, Finish::span, Finish::stage, Finish::ties;
	static const u32 threads = Finish::threads;

	DEVICE Crowd(const Buckets& b, const volatile Span* span) : Finish(b, shared_memory(), span) {}

	// Calls with the runs of the lanes, each for as many lanes as a power of two of at least so many has: as many runs at a time as a warp has
	// room for. One of more rows than a warp has is for all of it.
	template <u32 least, class Order> DEVICE static void take_turns(u32 run, const Order& order) {
		const u32 rows = run >> 16;
		ROLLED for (u32 width = least; width <= 32; width *= 2) {
			u32 lanes = vote((rows <= width || width == 32) && rows > (width == least ? 0 : width / 2));
			ROLLED while (lanes) {
				u32 from = 32;
				ROLLED for (u32 base = 0; base < 32 && lanes; base += width) {
					if (lane_index() >= base) from = lane_index() < base + width ? lowest_bit(lanes) : 32;
					lanes &= lanes - 1;
				}
				u32 mine = shuffle(run, from % 32);
				order(from < 32 ? mine : 0, width);
			}
		}
	}
	// How many of the words of some lanes, from one on, are less than this lane's own.
	template <class T> DEVICE static u32 count_less(T x, u32 base, u32 lanes) {
		u32 less = 0;
		ROLLED for (u32 j = 0; j < lanes; j += 2) less += (shuffle(x, base + j) < x) + (shuffle(x, base + j + 1) < x);
		return less;
	}

	// Orders all that is left. Each warp has a list of so many bins. A barrier comes behind.
	static APART void order(const Buckets* b, const volatile Span* span, u32 bins) {
		Crowd c(*b, span);
		if (c.control[CONTROL_CROWDED]) c.order_bins(bins);
		if (Finish::isWide) {
			ROLLED while (u32 counts = c.control[CONTROL_RUNS]) c.order_runs(counts & 0xffff, counts >> 16);
		}
	}
	DEVICE void order_bins(u32 bins) {
		const u32 list = Finish::list_of_warp();
		ROLLED for (u32 o = lane_index(); o - lane_index() < bins; o += 32) {
			u32 bin = o < bins ? load_shared(list + o * 4) : 0;
			take_turns<16>(o < bins ? bin >> 18 | ((bin & 0xffff) / 4 + 1) << 16 : 0, [&](u32 run, u32 width) { order_words(run, width); });
		}
		order_large([&](u32 run) { order_many_words<WarpTeam>(run); }, [&](u32 run) { order_many_words<BlockTeam<threads>>(run); });
	}
	// Runs of very many rows. Those are ordered by a warp each if there are enough for all warps, else by all of them one after the other.
	DEVICE void leave_to_block(u32 run) const {
		if (lane_index() == 0) control[CONTROL_LIST + atomic_add(control + CONTROL_LARGE, 1u)] = run;
	}
	template <class ByWarp, class ByBlock> DEVICE void order_large(const ByWarp& by_warp, const ByBlock& by_block) {
		sync_block();
		const u32 large = control[CONTROL_LARGE], alone = large >= threads / 64 ? LARGE_BIN : 0; // rows up to which it is a warp's
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
	DEVICE void order_words(u32 run, u32 width) {
		const u32 at = run & 0xffff, rows = run >> 16, base = lane_index() & (32 - width), k = lane_index() - base;
		if (width == 32 && rows > 32) return rows > WARP_BIN ? leave_to_block(run) : order_many_words<WarpTeam>(run);
		const u32 word = k < rows ? stage[at + k] : ~0u, first = shuffle(word, base);
		const bool same = Finish::isWide && vote(k < rows && !ties(word, first)) == 0; // in all runs
		if (!same) {
			u32 rank = count_less(word, base, warp_max(rows));
			if (k < rows) stage[at + rank] = word;
			sync_warp();
		}
		if (Finish::isWide) find_runs(at, rows, k);
	}
	// Lists the rows that tie among words in order, of a run or two; each lane has a word.
	DEVICE void find_runs(u32 at, u32 rows, u32 k) {
		const u32 word = k < rows ? stage[at + k] : 0;
		const bool joins = k > 0 && k < rows && ties(word, stage[at + k - 1]);
		const u32 joined = vote(joins), behind = joined >> lane_index() >> 1; // lanes that tie with the one before
		if (joined == 0) return;
		const bool first = !joins && behind & 1;
		const u32 length = first ? lowest_bit(~behind) + 1 : 0, pairs = vote(length == 2), longer = vote(length > 2), before = (1u << lane_index()) - 1;
		u32 counts = 0;
		if (lane_index() == 0) counts = atomic_add(control + CONTROL_RUNS, count_ones(pairs) | count_ones(longer) << 16);
		counts = shuffle(counts, 0) + (count_ones(pairs & before) | count_ones(longer & before) << 16);
		if (first) Finish::set_run(counts, at + k, length);
		if (Finish::fetches() && (joins || first)) Finish::fetch(word);
	}
	template <class Team> DEVICE void order_many_words(u32 run) {
		const u32 at = run & 0xffff, rows = run >> 16;
		if (Finish::isWide) {
			bool differ = false;
			for (u32 k = Team::index(); k < rows; k += Team::size) differ |= !ties(stage[at], stage[at + k]);
			if (!Team::any(differ)) {
				if (Team::index() == 0) add_run(at, rows);
				return;
			}
		}
		sort_bitonic<Team>(rows, [&](u32 x, u32 y) {
			u32 a = stage[at + x], c = stage[at + y];
			if (a > c) stage[at + x] = c, stage[at + y] = a;
		});
		if (Finish::isWide) list_runs(at, rows, Team::index(), Team::size, [&](u32 x, u32 y) { return ties(stage[at + x], stage[at + y]); });
	}
	// Lists the rows that tie among many in order; the lanes of a team, of so many, look at one each.
	template <class Same> DEVICE void list_runs(u32 at, u32 rows, u32 index, u32 lanes, const Same& same) {
		ROLLED for (u32 k = index; k + 1 < rows; k += lanes) {
			u32 last = k + 1, behind = rows;
			if (!same(k, last) || (k > 0 && same(k - 1, k))) continue;
			ROLLED while (behind - last > 1) {
				u32 middle = (last + behind) / 2;
				if (same(k, middle)) last = middle;
				else behind = middle;
			}
			add_run(at + k, behind - k);
		}
	}

	// Rows that tie: what orders them, but for those with equal numbers, is the low half of the record, which has the rest of a code that
	// tells all, and the row.
	DEVICE u64 number_of(u32 low) const {
		const Field* f = &b.field;
		if (!span->ties) return low;
		return f->width == 4 ? number_at<u32>(f, low & row_mask()) : number_at<u64>(f, low & row_mask());
	}
	DEVICE u32 low_at(u32 place) const { return lows[stage[place] & Finish::indexMask]; }

	// Pairs, as most runs are, have two lanes each. What is left makes new runs.
	DEVICE void order_runs(u32 pairs, u32 longer) {
		ROLLED for (u32 o = warp_index() * 16; o < pairs; o += threads / 2) {
			u32 mine = o + lane_index() / 2;
			order_numbers(&b, span, mine < pairs ? runs[mine] : 0, 2);
		}
		ROLLED for (u32 o = warp_index(); o < longer; o += threads) {
			u32 mine = o + lane_index() * (threads / 32);
			take_turns<4>(mine < longer ? Finish::longer_run(mine) : 0, [&](u32 run, u32 width) {
				if (run >> 16 <= 32) order_numbers(&b, span, run, width);
				else if (run >> 16 <= WARP_BIN) order_many_numbers<WarpTeam>(&b, span, run);
				else leave_to_block(run);
			});
		}
		sync_block();
		if (thread_index() == 0) control[CONTROL_RUNS] = 0;
		if (longer) {
			order_large([&](u32 run) { order_many_numbers<WarpTeam>(&b, span, run); }, [&](u32 run) { order_many_numbers<BlockTeam<threads>>(&b, span, run); });
		}
		sync_block();
	}
	static APART void order_numbers(const Buckets* b, const volatile Span* span, u32 run, u32 width) { Crowd(*b, span).rank_by_numbers(run, width); }
	DEVICE void rank_by_numbers(u32 run, u32 width) const {
		const u32 at = run & 0xffff, rows = run >> 16, base = lane_index() & (32 - width), k = lane_index() - base;
		u32 word = 0, low = ~0u, lanes = warp_max(rows), rank = 0;
		u64 number = ~0ull;
		if (k < rows) word = stage[at + k], low = low_at(at + k);
		if (span->more) {
			rank = rank_by_codes(low, base, lanes, k < rows);
		} else {
			if (k < rows) number = number_of(low);
			rank = rank_of(number, low, base, lanes, k, rows);
		}
		if (k < rows) stage[at + rank] = word;
	}
	DEVICE u32 rank_of(u64 number, u32 low, u32 base, u32 lanes, u32 k, u32 rows) const {
		u64 first = shuffle(number, base);
		bool highs = vote(k < rows && (number ^ first) >> 32 != 0) != 0; // differ
		u32 rank = highs ? count_less(number, base, lanes) : count_less((u32)number, base, lanes);
		if (warp_add(k < rows ? k - rank : 0) == 0) return rank;
		ROLLED for (u32 j = 0; j < lanes; j++) { // some are equal
			u64 other = shuffle(number, base + j);
			u32 otherLow = shuffle(low, base + j);
			rank += other == number && otherLow < low;
		}
		return rank;
	}
	// By what records have of the code and words have not; the numbers of those that tie in it, too, are fetched.
	DEVICE u32 rank_by_codes(u32 low, u32 base, u32 lanes, bool inside) const {
		u32 code = low & ~row_mask(), rank = 0, same = 0;
		ROLLED for (u32 j = 0; j < lanes; j++) {
			u32 other = shuffle(code, base + j);
			rank += other < code, same += other == code;
		}
		const bool open = inside && same > 1;
		if (vote(open) == 0) return rank;
		u64 number = open ? number_of(low) : ~0ull;
		ROLLED for (u32 j = 0; j < lanes; j++) {
			u64 other = shuffle(number, base + j);
			u32 otherLow = shuffle(low, base + j);
			rank += ((otherLow ^ low) & ~row_mask()) == 0 && (other < number || (other == number && otherLow < low));
		}
		return rank;
	}
	// By 32 bits of the numbers, from the first on in which they differ. What is equal in these is compared by the numbers again: of many rows
	// those make new runs.
	template <class Team> static APART void order_many_numbers(const Buckets* b, const volatile Span* span, u32 run) { Crowd(*b, span).template sort_by_numbers<Team>(run); }
	template <class Team> DEVICE void sort_by_numbers(u32 run) {
		const u32 at = run & 0xffff, rows = run >> 16;
		u32* keys = counters + at;
		u64 any = 0, notAll = 0;
		ROLLED for (u32 k = Team::index(); k < rows; k += Team::size) {
			u64 number = number_of(low_at(at + k));
			keys[k] = (u32)number;
			any |= number, notAll |= ~number;
		}
		any = Team::any_of(any, control + CONTROL_BITS), notAll = Team::any_of(notAll, control + CONTROL_BITS);
		u32 high = (u32)((any & notAll) >> 32), shift = high ? 32 - count_leading_zeros(high) : 0;
		if (shift) {
			ROLLED for (u32 k = Team::index(); k < rows; k += Team::size) keys[k] = (u32)(number_of(low_at(at + k)) >> shift);
		}
		Team::sync();
		const bool again = shift && Team::size > 32;
		sort_bitonic<Team>(rows, [&](u32 x, u32 y) {
			u32 a = keys[x], c = keys[y], word = stage[at + x];
			if (a < c || (a == c && (again || !sorts_behind(low_at(at + x), low_at(at + y), shift)))) return;
			keys[x] = c, keys[y] = a;
			stage[at + x] = stage[at + y], stage[at + y] = word;
		});
		if (again) list_runs(at, rows, Team::index(), Team::size, [&](u32 x, u32 y) { return keys[x] == keys[y]; });
	}
	DEVICE bool sorts_behind(u32 low, u32 other, u32 shift) const {
		u64 a = shift ? number_of(low) : 0, c = shift ? number_of(other) : 0;
		return a != c ? a > c : low > other;
	}
};
