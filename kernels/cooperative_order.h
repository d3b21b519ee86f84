// The order of some whole buckets in a block: rows are told apart by the bins between their buckets' ends first, those of a bin by comparing them.
#pragma once
#include "grid_large.h"
#include "spread.h"

const u32 GRID_COUNTED = 512; // rows of a bin that are counted one by one; larger ones take the whole block
const u32 GRID_CROWD = 8;     // rows of a bin in the fullest bucket of a span, if they are spread evenly in it
// Words of control: the share's ends, those of a span, large bins and then where they begin, and where they end.
const u32 SPAN_FIRST = 2, SPAN_END = 3, LARGE_COUNT = 4, LARGE_LIST = 5, LARGE_ENDS = LARGE_LIST + GRID_ROOM / GRID_COUNTED;
static_assert(LARGE_ENDS + GRID_ROOM / GRID_COUNTED <= 2 * GRID_WARPS, "room for all large bins");
const int GRID_ROUNDS = GRID_ROOM / GRID_THREADS;
static_assert(GRID_ROOM <= 1 << 14 && GRID_BIN_BITS + 14 <= 32, "a bin and a place in a word");

struct GridOrder : GridBlock {
	using GridBlock::GridBlock;

	// Finds the order of this block's share of the buckets: those that begin in a part of the places of all records.
	DEVICE void order_share(const Spread& spread, const FewResult& result, u32 firstPlace) {
		u32 t = thread_index(), share = (starts[GRID_BUCKETS] + grid_blocks() - 1) / grid_blocks();
		if (t < 2) control[t] = GRID_BUCKETS;
		sync_block();
		UNROLL for (u32 k = 0; k < 2; k++) {
			u32 from = (rank + k) * share;
			if (starts[t] >= from && (t == 0 || starts[t - 1] < from)) control[k] = t;
		}
		sync_block();
		u32 bucket = control[0], end = control[1];
		while (bucket < end) {
			if (warp_index() == 0) cut(bucket, end);
			sync_block();
			u32 first = control[SPAN_FIRST];
			bucket = control[SPAN_END];
			if (first < bucket) order_span(spread, result, first, bucket, firstPlace);
		}
	}

private:
	DEVICE u32 rows_of(u32 bucket) const { return starts[bucket + 1] - starts[bucket]; }

	// Cuts a span from buckets bucket..end-1, without the empty ones in front: as many as there is room for, unless bins would be too wide for
	// the fullest of them. By one warp.
	DEVICE void cut(u32 bucket, u32 end) const {
		u32 skipped = end - bucket, to = 0;
		for (u32 k = bucket + lane_index(); k < end && skipped == end - bucket; k += 32) skipped = rows_of(k) ? k - bucket : skipped;
		bucket += ~warp_max(~skipped);
		for (u32 k = bucket + lane_index(); k < end; k += 32) to = starts[k + 1] - starts[bucket] <= GRID_ROOM ? k + 1 : to;
		to = warp_max(to);
		while (to > bucket + 1) {
			u32 fullest = 0;
			for (u32 k = bucket + lane_index(); k < to; k += 32) fullest = rows_of(k) > fullest ? rows_of(k) : fullest;
			if (warp_max(fullest) <= GRID_BINS * GRID_CROWD >> width_bits(to - bucket)) break;
			to = bucket + (to - bucket) / 2;
		}
		if (lane_index() == 0) control[SPAN_FIRST] = bucket, control[SPAN_END] = bucket < end ? to : end;
	}
	DEVICE static u32 width_bits(u32 buckets) { return buckets > 1 ? 32 - count_leading_zeros(buckets - 1) : 0; }

	DEVICE void order_span(const Spread& spread, const FewResult& result, u32 bucket, u32 to, u32 firstPlace) {
		u32 start = starts[bucket], size = starts[to] - start, low = bucket << GRID_BIN_BITS, shift = width_bits(to - bucket);
		u32 tag[GRID_ROUNDS], slot[GRID_ROUNDS];
		u64 number[GRID_ROUNDS];
		UNROLL for (int k = 0; k < GRID_ROUNDS; k++) {
			u32 at = k * GRID_THREADS + thread_index();
			number[k] = at < size ? load_past((const u64*)many.numbers + start + at) : 0;
			tag[k] = at < size ? load_relaxed((const u32*)many.tags + start + at) : 0;
		}
		for (u32 i = thread_index(); i < GRID_BINS / 4; i += GRID_THREADS) ((Four*)counters)[i] = {0, 0, 0, 0};
		if (thread_index() == 0) control[LARGE_COUNT] = 0;
		sync_block();
		UNROLL for (int k = 0; k < GRID_ROUNDS; k++) {
			if (k * GRID_THREADS + thread_index() >= size) break;
			u32 bin = (spread.bin(number[k]) - low) >> shift;
			slot[k] = bin | atomic_add(counters + bin, 1u) << GRID_BIN_BITS;
		}
		sync_block();
		sum_bins();
		UNROLL for (int k = 0; k < GRID_ROUNDS; k++) {
			if (k * GRID_THREADS + thread_index() >= size) break;
			u32 bin = slot[k] & (GRID_BINS - 1), arrival = slot[k] >> GRID_BIN_BITS, place = counters[bin] + arrival;
			numbers[place] = number[k], tags[place] = tag[k];
			if (arrival == GRID_COUNTED) control[LARGE_LIST + atomic_add(control + LARGE_COUNT, 1u)] = bin;
		}
		sync_block();
		for (u32 at = thread_index(); at < size; at += GRID_THREADS) {
			u32 bin = (spread.bin(numbers[at]) - low) >> shift, first = counters[bin], end = end_of(bin, size);
			if (end - first <= GRID_COUNTED) result.put(firstPlace + start + place_in_bin(first, end, at), tags[at]);
		}
		sync_block();
		if (control[LARGE_COUNT] > 0) order_large(size, firstPlace + start);
	}
	// Large bins, one after the other. The counters are not needed any more.
	DEVICE void order_large(u32 size, u32 place) const {
		u32 large = control[LARGE_COUNT], t = thread_index();
		if (t < large) {
			u32 bin = control[LARGE_LIST + t];
			control[LARGE_LIST + t] = counters[bin], control[LARGE_ENDS + t] = end_of(bin, size);
		}
		sync_block();
		ROLLED for (u32 o = 0; o < large; o++) {
			u32 first = control[LARGE_LIST + o];
			sort_large(&many, first, control[LARGE_ENDS + o] - first, place + first);
		}
	}
	// Turns the counts of bins into the places of their first rows. A thread has neighbours.
	DEVICE void sum_bins() const {
		const int each = GRID_BINS / GRID_THREADS / 4;
		Words4* mine = (Words4*)counters + thread_index() * each;
		u32 sum = 0, total;
		UNROLL for (int k = 0; k < each; k++) {
			Words4 c = mine[k], at;
			UNROLL for (int j = 0; j < 4; j++) at.word[j] = sum, sum += c.word[j];
			mine[k] = at;
		}
		u32 before = sum_threads(sum, &total);
		UNROLL for (int k = 0; k < each; k++) {
			Words4 at = mine[k];
			UNROLL for (int j = 0; j < 4; j++) at.word[j] += before;
			mine[k] = at;
		}
		sync_block();
	}
	DEVICE u32 end_of(u32 bin, u32 size) const { return bin + 1 < GRID_BINS ? counters[bin + 1] : size; }
	DEVICE bool before(u32 a, u32 b) const { return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : tags[a] < tags[b]; }

	// The place of a row, from how many rows of its bin come before it. Those of a bin lie side by side.
	DEVICE u32 place_in_bin(u32 first, u32 end, u32 at) const {
		u32 place = first;
		for (u32 other = first; other < end; other++) place += before(other, at);
		return place;
	}
};
