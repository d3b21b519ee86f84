// A sort of few rows by a cluster, from the column to row numbers: blocks that reach one another's shared memory, so that nothing goes
// through the memory of the device. Rows are spread evenly over the blocks by their numbers, in any order, and every block finds the order of
// its own. Where some block would have too many rows, or some bin of it, all of them sort by digits instead, as digit binning does.
#pragma once
#include "cluster_memory.h"
#include "ranking.h"
#include "spread.h"

const u32 CLUSTER_BINS = 1 << CLUSTER_BIN_BITS; // of a block
const u32 CLUSTER_SHARE = 64;                   // rows of a bin that are compared one by one
const int CLUSTER_ROUNDS = CLUSTER_ROOM / CLUSTER_THREADS;

// Where rows go first: to a block, or straight to their place if they are of a class. The last one is of no row.
const u32 TO_CLASS = CLUSTER_BLOCKS, DESTINATIONS = 32, TO_NOWHERE = DESTINATIONS - 1;
const u32 TAG_ROW_BITS = 17; // a tag is a row with its bin, or with the place of its class, above
const u32 TAG_ROW = (1u << TAG_ROW_BITS) - 1;
static_assert(CLUSTER_BLOCKS + 3 < DESTINATIONS && CLUSTER_ROWS <= 1 << TAG_ROW_BITS && TAG_ROW_BITS + CLUSTER_BIN_BITS <= 32, "room");

struct Cluster {
	ClusterMemory m;
	u32 n, rank;
	u32 shareBits; // a block has 2^shareBits rows
	u32 used;      // items of a thread
	u32 first;     // row of this thread
	Extent64 extent;   // of all rows

	DEVICE explicit Cluster(u32 n)
	    : n(n), rank(block_index()), shareBits(n <= CLUSTER_ROWS / 4 ? 10 : n <= CLUSTER_ROWS / 2 ? 11 : 12), used((1u << shareBits) / CLUSTER_THREADS),
	      first((rank * CLUSTER_WARPS + warp_index()) * 32 * used + lane_index()) {
		static_assert(CLUSTER_THREADS == 1024 && CLUSTER_ITEMS == 4, "one, two or four are used");
	}

	DEVICE void sort(const Few& few) {
		cluster_arrive();
		for (u32 i = thread_index(); i < CLUSTER_BINS; i += CLUSTER_THREADS) m.counters[i] = 0;
		if (thread_index() == 0) *m.refused = 0;
		FewRows<CLUSTER_ITEMS> rows(few, first, 32);
		measure(rows.read(used));
		Spread spread(few, extent, CLUSTER_BLOCKS * CLUSTER_BINS);
		FewResult result(few);
		if (!deal(rows, spread, result)) sort_by_digits(rows, result);
	}

	// Everything that any block has seen.
	DEVICE void measure(const Extent64& e) {
		Extent64 mine = warp_extent(e);
		if (lane_index() == 0) m.warpExtents[warp_index()] = mine;
		sync_block();
		cluster_wait(); // all blocks are there
		if (warp_index() == 0) {
			mine = warp_extent(m.warpExtents[lane_index()]);
			if (lane_index() < CLUSTER_BLOCKS) *in_block(lane_index(), m.extents + rank) = mine;
		}
		cluster_arrive();
		cluster_wait();
		extent = warp_extent(lane_index() < CLUSTER_BLOCKS ? m.extents[lane_index()] : Extent64());
	}
	DEVICE static Extent64 warp_extent(const Extent64& e) {
		Extent64 all;
		all.notLeast = warp_max(e.notLeast), all.greatest = warp_max(e.greatest), all.mixed = vote(e.mixed) != 0;
		return all;
	}

	// Deals the rows to the blocks and writes the result, unless that were too many for some block or bin.
	DEVICE bool deal(const FewRows<CLUSTER_ITEMS>& rows, const Spread& spread, const FewResult& result) {
		u32 *counts = m.oldTags, *mine = counts + warp_index() * (DESTINATIONS + 1); // of each warp; no two in the same bank
		u32 bin[CLUSTER_ITEMS], place[CLUSTER_ITEMS];
		mine[lane_index()] = 0;
		sync_warp();
		UNROLL for (int i = 0; i < CLUSTER_ITEMS; i++) {
			if (i >= (int)used) break;
			bool value = rows.place(i) == rows.value_place();
			bin[i] = value ? spread.bin(rows.number[i]) : (TO_CLASS + rows.place(i)) << CLUSTER_BIN_BITS;
			if (!rows.has(i)) bin[i] = TO_NOWHERE << CLUSTER_BIN_BITS;
			place[i] = take_place(mine, bin[i] >> CLUSTER_BIN_BITS);
		}
		sync_block();
		if (!add_up(counts, rows.value_place())) return false;
		UNROLL for (int i = 0; i < CLUSTER_ITEMS; i++) {
			u32 to = bin[i] >> CLUSTER_BIN_BITS;
			if (i >= (int)used || to == TO_NOWHERE) break;
			u32 at = mine[to] + place[i], row = rows.row(i);
			if (to >= TO_CLASS) {
				result.put(at, row);
				continue;
			}
			*in_block(to, m.numbers + at) = rows.number[i];
			*in_block(to, m.tags + at) = row | (bin[i] & (CLUSTER_BINS - 1)) << TAG_ROW_BITS;
		}
		cluster_arrive();
		cluster_wait();
		return order_share(result);
	}
	// Turns the counts of the warps into places: in the memory of a block, in the result for a class. False if some block has no room.
	DEVICE bool add_up(u32* counts, u32 valuePlace) {
		u32 to = warp_index(), *counter = counts + lane_index() * (DESTINATIONS + 1) + to, total;
		u32 before = warp_exclusive_sum(*counter, &total);
		if (lane_index() < CLUSTER_BLOCKS) in_block(lane_index(), m.totals)[rank * DESTINATIONS + to] = total;
		cluster_arrive();
		cluster_wait();
		u32 earlier = warp_exclusive_sum(lane_index() < CLUSTER_BLOCKS ? m.totals[lane_index() * DESTINATIONS + to] : 0, &total);
		if (lane_index() == 0) m.sizes[to] = total;
		sync_block();
		u32 size = m.sizes[lane_index()], values, starts = warp_exclusive_sum(lane_index() < CLUSTER_BLOCKS ? size : 0, &values);
		u32 front = shuffle(size, TO_CLASS), middle = shuffle(size, TO_CLASS + 1); // of classes
		u32 classStart = to == TO_CLASS ? 0 : to == TO_CLASS + 1 ? (valuePlace ? front : values) : values + middle;
		m.start = shuffle(starts, rank) + (valuePlace ? front + middle : 0);
		*counter = before + shuffle(earlier, rank) + (to < TO_CLASS ? 0 : classStart);
		bool full = vote(lane_index() < CLUSTER_BLOCKS && size > CLUSTER_ROOM) != 0;
		sync_block();
		return !full;
	}

	// Finds the order of the rows that were dealt to this block.
	DEVICE bool order_share(const FewResult& result) {
		u32 size = m.sizes[rank], arrival[CLUSTER_ROUNDS], most = 0;
		UNROLL for (int k = 0; k < CLUSTER_ROUNDS; k++) {
			u32 at = k * CLUSTER_THREADS + thread_index();
			if (at >= size) break;
			arrival[k] = atomic_add(m.counters + (m.tags[at] >> TAG_ROW_BITS), 1u);
			most = arrival[k] > most ? arrival[k] : most;
		}
		if (sync_block_or(most >= CLUSTER_SHARE) && thread_index() < CLUSTER_BLOCKS) *in_block(thread_index(), m.refused) = 1;
		cluster_arrive();
		sum_bins();
		UNROLL for (int k = 0; k < CLUSTER_ROUNDS; k++) {
			u32 at = k * CLUSTER_THREADS + thread_index();
			if (at >= size) break;
			u32 tag = m.tags[at], place = m.counters[tag >> TAG_ROW_BITS] + arrival[k];
			m.oldNumbers[place] = m.numbers[at], m.oldTags[place] = tag;
		}
		sync_block();
		cluster_wait();
		if (*m.refused) return false;
		for (u32 at = thread_index(); at < size; at += CLUSTER_THREADS) {
			u32 row = m.oldTags[at] & TAG_ROW;
			result.put(m.start + place_in_bin(at, size), row);
		}
		return true;
	}
	// Turns the counts of bins into the place of their first rows. A warp has some neighbour bins, and a lane four at a time.
	DEVICE void sum_bins() {
		const u32 rounds = CLUSTER_BINS / CLUSTER_WARPS / 128;
		Words4* mine = (Words4*)m.counters + warp_index() * rounds * 32 + lane_index();
		u32 before[rounds], ofWarp = 0, total;
		UNROLL for (u32 k = 0; k < rounds; k++) {
			Words4 c = mine[k * 32];
			before[k] = ofWarp + warp_exclusive_sum(c.word[0] + c.word[1] + c.word[2] + c.word[3], &total);
			ofWarp += total;
		}
		if (lane_index() == 0) m.sums[warp_index()] = ofWarp;
		sync_block();
		u32 earlier = shuffle(warp_exclusive_sum(m.sums[lane_index()], &total), warp_index());
		UNROLL for (u32 k = 0; k < rounds; k++) {
			Words4 c = mine[k * 32], at;
			at.word[0] = earlier + before[k];
			UNROLL for (int j = 1; j < 4; j++) at.word[j] = at.word[j - 1] + c.word[j - 1];
			mine[k * 32] = at;
		}
		sync_block();
	}
	// The place of a row, from how many rows of its bin come before it. Those of a bin lie side by side.
	DEVICE u32 place_in_bin(u32 at, u32 size) const {
		u32 tag = m.oldTags[at], bin = tag >> TAG_ROW_BITS, first = m.counters[bin], end = bin + 1 < CLUSTER_BINS ? m.counters[bin + 1] : size, place = first;
		if (end - first == 1) return first;
		u64 number = m.oldNumbers[at];
		for (u32 other = first; other < end; other++) {
			u64 x = m.oldNumbers[other];
			place += x != number ? x < number : m.oldTags[other] < tag;
		}
		return place;
	}

	// Sorts by digits, from the least significant one on, and writes the result.
	DEVICE void sort_by_digits(const FewRows<CLUSTER_ITEMS>& rows, const FewResult& result) {
		u32 local = first - (rank << shareBits), passes = 1; // the totals of deal are still read
		UNROLL for (int i = 0; i < CLUSTER_ITEMS; i++) {
			if (i >= (int)used) break;
			m.numbers[local + 32 * i] = rows.number[i], m.tags[local + 32 * i] = rows.row(i) | rows.place(i) << TAG_ROW_BITS;
		}
		for (u32 shift = 0; shift < extent.span_bits(); shift += RADIX_BITS) {
			bin_by(passes++, [&](u32 at) { return (u32)((m.numbers[at] - extent.least()) >> shift) & (RADIX_BINS - 1); });
		}
		if (extent.mixed) bin_by(passes++, [&](u32 at) { return m.tags[at] >> TAG_ROW_BITS; });
		UNROLL for (int i = 0; i < CLUSTER_ITEMS; i++) {
			if (i >= (int)used || !rows.has(i)) break;
			u32 row = m.tags[local + 32 * i] & TAG_ROW;
			result.put(rows.row(i), row);
		}
	}
	// Bins the rows of all blocks by a digit. Places behind the last row count as the greatest digit.
	template <class Digit> DEVICE void bin_by(u32 pass, Digit digit) {
		u32 *mine = m.counters + warp_index() * RADIX_BINS, local = first - (rank << shareBits);
		auto digit_at = [&](int i) { return first + 32 * i < n ? digit(local + 32 * i) : RADIX_BINS - 1; };
		for (u32 k = lane_index(); k < RADIX_BINS; k += 32) mine[k] = 0;
		sync_warp();
		for (int i = 0; i < (int)used; i++) atomic_add(mine + digit_at(i), 1u);
		sync_block();
		if (!sum_digits(m.totals + pass % 2 * CLUSTER_BLOCKS * RADIX_BINS)) return;
		ROLLED for (int i = 0; i < (int)used; i++) {
			u32 place = take_place(mine, digit_at(i)), to = place >> shareBits, at = place & ((1u << shareBits) - 1);
			if (first + 32 * i >= n) continue;
			*in_block(to, m.oldNumbers + at) = m.numbers[local + 32 * i];
			*in_block(to, m.oldTags + at) = m.tags[local + 32 * i];
		}
		m.swap();
		cluster_arrive();
		cluster_wait();
	}
	// Turns the counts of digits of all warps of all blocks into places. False if all rows have the same digit. Totals are not those of the
	// pass before, which other blocks may still be reading.
	DEVICE bool sum_digits(u32* totals) {
		const u32 ownWarps = RADIX_BINS / 32;
		u32 d = thread_index(), behind = (CLUSTER_BLOCKS << shareBits) - n, total = 0, before = 0, place = 0, all;
		if (d < RADIX_BINS) {
			for (u32 w = 0; w < CLUSTER_WARPS; w++) total += m.counters[w * RADIX_BINS + d];
			for (u32 b = 0; b < CLUSTER_BLOCKS; b++) in_block(b, totals)[rank * RADIX_BINS + d] = total;
		}
		cluster_arrive();
		cluster_wait();
		total = 0;
		if (d < RADIX_BINS) {
			for (u32 b = 0; b < CLUSTER_BLOCKS; b++) {
				u32 count = totals[b * RADIX_BINS + d];
				before += b < rank ? count : 0;
				total += count;
			}
			place = warp_exclusive_sum(total, &all);
			if (lane_index() == 0) m.sums[warp_index()] = all;
		}
		if (sync_block_or(d < RADIX_BINS && total - (d == RADIX_BINS - 1 ? behind : 0) == n)) return false;
		if (d < RADIX_BINS) {
			u32 earlier = warp_exclusive_sum(lane_index() < ownWarps ? m.sums[lane_index()] : 0, &all);
			place += shuffle(earlier, warp_index()) + before;
			for (u32 w = 0; w < CLUSTER_WARPS; w++) {
				u32 *counter = m.counters + w * RADIX_BINS + d, count = *counter;
				*counter = place;
				place += count;
			}
		}
		sync_block();
		return true;
	}
};
