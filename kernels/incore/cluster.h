// A sort of few rows by a cluster, from the column to row numbers: blocks access one another's shared memory, so that
// nothing goes through device memory. Rows are spread over the blocks by their numbers, in any order, and every block
// orders its own. If some block would have too many rows, or too many in the same bins, all blocks sort by digits
// instead.
#pragma once
#include "incore/cluster_digits.h"
#include "incore/spread.h"

const u32 CLUSTER_PAIRS = 1 << 18; // the most pairs of rows of the same bins in a block
const int CLUSTER_ROUNDS = CLUSTER_CAPACITY / CLUSTER_THREADS;

// Destinations of rows: a block, or a class, whose rows are written to their places. The last destination is for items
// without a row.
const u32 TO_CLASS = CLUSTER_BLOCKS, DESTINATION_BITS = 5, DESTINATIONS = 1 << DESTINATION_BITS,
          TO_NOWHERE = DESTINATIONS - 1;
static_assert(TO_CLASS + 3 < DESTINATIONS && DESTINATIONS == CLUSTER_WARPS, "a warp for each");

struct Cluster : ClusterDigits {
	u32 *counts, *mine; // for each destination, of each warp; no two warps in the same bank
	u32 start;          // of the rows of this block in the result

	DEVICE explicit Cluster(u32 n)
	    : ClusterDigits(n), counts(counters), mine(counts + warp_index() * (DESTINATIONS + 1)) {}

	DEVICE void sort(const SmallSort& job) {
		cluster_arrive();
		mine[lane_index()] = 0;
		if (thread_index() == 0) *refused = *pairs = 0;
		SmallSortRows<CLUSTER_ITEMS> rows(job, first() + local, 32);
		measure(rows.read(used));
		Spread spread(job, extent, CLUSTER_BLOCKS * CLUSTER_BINS);
		SmallSortResult result(job);
		if (!scatter(rows, spread, result)) sort_by_digits(rows, result);
	}

	// Scatters the rows to the blocks and writes the result. Returns false if there are too many rows for some block or
	// its bins.
	DEVICE bool scatter(const SmallSortRows<CLUSTER_ITEMS>& input, const Spread& spread,
	                    const SmallSortResult& result) {
		u32 to[CLUSTER_ITEMS], tag[CLUSTER_ITEMS], place[CLUSTER_ITEMS];
		UNROLL for (int i = 0; i < CLUSTER_ITEMS && i < (int)used; i++) {
			u32 bin = spread.bin(input.number[i]);
			to[i] = input.place(i) == input.value_place() ? bin >> CLUSTER_BIN_BITS : TO_CLASS + input.place(i);
			if (!input.has(i)) to[i] = TO_NOWHERE;
			tag[i] = bin << TAG_ROW_BITS | input.row(i);
			place[i] = take_place<DESTINATION_BITS>(mine, to[i]);
		}
		sync_block();
		share_sizes();
		cluster_arrive();
		// Where rows are staged.
		u32 values, starts = warp_exclusive_sum(lane_index() < CLUSTER_BLOCKS ? sizes[lane_index()] : 0, &values);
		UNROLL for (int i = 0; i < CLUSTER_ITEMS && i < (int)used; i++) {
			place[i] += mine[to[i]];
			u32 at = shuffle(starts, to[i]) + place[i];
			if (to[i] < TO_CLASS) oldNumbers[at] = input.number[i], oldTags[at] = tag[i];
		}
		cluster_wait();
		if (!find_places(starts, input.value_place())) return false;
		UNROLL for (int i = 0; i < CLUSTER_ITEMS && i < (int)used && to[i] != TO_NOWHERE; i++) {
			if (to[i] >= TO_CLASS) result.put(moves[to[i]] + place[i], input.row(i));
		}
		send(values);
		return order_share(result);
	}
	// Turns the counts of the warps into places among all rows of a destination, and sends the sizes to all blocks.
	DEVICE void share_sizes() {
		u32 to = warp_index(), *counter = counts + lane_index() * (DESTINATIONS + 1) + to, total;
		*counter = warp_exclusive_sum(*counter, &total);
		if (lane_index() < CLUSTER_BLOCKS) in_block(lane_index(), totals)[rank * DESTINATIONS + to] = total;
		if (lane_index() == 0) sizes[to] = total;
		sync_block();
	}
	// Finds how far rows move from where they are staged, and where in the result the rows of classes and those of this
	// block begin. Returns false if the rows of some block exceed its capacity.
	DEVICE bool find_places(u32 starts, u32 valuePlace) {
		const bool isBlock = lane_index() < CLUSTER_BLOCKS; // this lane stands for one
		u32 to = warp_index(), total;
		u32 earlier = warp_exclusive_sum(isBlock ? totals[lane_index() * DESTINATIONS + to] : 0, &total);
		earlier = shuffle(earlier, rank);
		sync_block(); // all warps have read the sizes of this block
		if (lane_index() == 0) sizes[to] = total;
		sync_block();
		u32 size = sizes[lane_index()], values, places = warp_exclusive_sum(isBlock ? size : 0, &values);
		u32 front = shuffle(size, TO_CLASS), middle = shuffle(size, TO_CLASS + 1); // of classes
		u32 classStart = to == TO_CLASS ? 0 : to == TO_CLASS + 1 ? (valuePlace ? front : values) : values + middle;
		u32 staged = shuffle(starts, to);
		start = shuffle(places, rank) + (valuePlace ? front + middle : 0);
		if (lane_index() == 0) moves[to] = earlier + (to < TO_CLASS ? 0 - staged : classStart);
		bool full = vote(isBlock && size > CLUSTER_CAPACITY) != 0;
		sync_block();
		return !full;
	}
	// Sends the staged rows to their blocks.
	DEVICE void send(u32 values) {
		for (u32 i = thread_index(); i < CLUSTER_BINS; i += CLUSTER_THREADS) counters[i] = 0; // no more counts of warps
		for (u32 i = thread_index(); i < values; i += CLUSTER_THREADS) {
			u32 at = in_turn(i, values), tag = oldTags[at], to = tag >> (TAG_ROW_BITS + CLUSTER_BIN_BITS),
			    there = at + moves[to];
			*in_block(to, numbers + there) = oldNumbers[at];
			*in_block(to, tags + there) = tag;
		}
		cluster_arrive();
		cluster_wait();
	}

	DEVICE static u32 bin_of(u32 tag) { return tag >> TAG_ROW_BITS & (CLUSTER_BINS - 1); }

	// Orders the rows that this block has received.
	DEVICE bool order_share(const SmallSortResult& result) {
		u32 size = sizes[rank], arrival[CLUSTER_ROUNDS], met = 0;
		UNROLL for (int k = 0; k < CLUSTER_ROUNDS; k++) {
			u32 at = k * CLUSTER_THREADS + thread_index();
			if (at >= size) break;
			arrival[k] = atomic_add(counters + bin_of(tags[at]), 1u);
			met += arrival[k];
		}
		met = warp_add(met);
		if (lane_index() == 0) atomic_add(pairs, met);
		sync_block();
		if (*pairs > CLUSTER_PAIRS && thread_index() < CLUSTER_BLOCKS) *in_block(thread_index(), refused) = 1;
		cluster_arrive();
		sum_bins();
		UNROLL for (int k = 0; k < CLUSTER_ROUNDS; k++) {
			u32 at = k * CLUSTER_THREADS + thread_index();
			if (at >= size) break;
			u32 tag = tags[at], place = counters[bin_of(tag)] + arrival[k];
			oldNumbers[place] = numbers[at], oldTags[place] = tag;
		}
		sync_block();
		cluster_wait();
		if (*refused) return false;
		for (u32 at = thread_index(); at < size; at += CLUSTER_THREADS)
			result.put(start + place_in_bin(at, size), oldTags[at] & TAG_ROW);
		return true;
	}
	// Turns the counts of bins into the places of their first rows. Each warp has adjacent bins, a lane four at a time.
	DEVICE void sum_bins() {
		static_assert(CLUSTER_BINS == CLUSTER_WARPS * 128, "one round");
		Words4 *bins = (Words4*)counters + thread_index(), c = *bins, at;
		u32 ofWarp, total, before = warp_exclusive_sum(sum_of(c), &ofWarp);
		if (lane_index() == 0) sums[warp_index()] = ofWarp;
		sync_block();
		at.word[0] = before + shuffle(warp_exclusive_sum(sums[lane_index()], &total), warp_index());
		UNROLL for (int j = 1; j < 4; j++) at.word[j] = at.word[j - 1] + c.word[j - 1];
		*bins = at;
		sync_block();
	}
	// The place of a row: the start of its bin plus the rows of the bin that sort before it. Rows of a bin are
	// adjacent.
	DEVICE u32 place_in_bin(u32 at, u32 size) const {
		u32 tag = oldTags[at], bin = bin_of(tag), first = counters[bin],
		    end = bin + 1 < CLUSTER_BINS ? counters[bin + 1] : size, place = first;
		if (end - first == 1) return first;
		u64 number = oldNumbers[at];
		for (u32 other = first; other < end; other++) {
			u64 x = oldNumbers[other];
			place += x != number ? x < number : oldTags[other] < tag;
		}
		return place;
	}
};
