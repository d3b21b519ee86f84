// The order of whole buckets in a block: rows are binned between the ends of their buckets, and the rows of a bin are
// compared.
#pragma once
#include "incore/cooperative_buckets.h"
#include "incore/cooperative_sample_sort.h"

const u32 COOPERATIVE_PARTNERS = 96; // of a row, the other rows of its bin: a range with more on average is sampled
const u32 COOPERATIVE_DENSITY = 8;     // rows of a bin in the fullest bucket of a range, if evenly spread
const u32 COOPERATIVE_ALONE = COOPERATIVE_CAPACITY / 16; // equal rows: more are a range without other rows
// Words of control: the ends of the share, those of a range of buckets, and the pairs of rows that share a bin.
const u32 RANGE_FIRST = 2, RANGE_END = 3, PAIRS = 4;
const int COOPERATIVE_ROUNDS = COOPERATIVE_CAPACITY / COOPERATIVE_THREADS;
static_assert(COOPERATIVE_CAPACITY <= 1 << 14 && COOPERATIVE_BIN_BITS + 14 <= 32, "a bin and a place in a word");

struct CooperativeOrder : CooperativeBlock {
	using CooperativeBlock::CooperativeBlock;

	// Orders this block's share of the buckets: those that begin in its part of the places of all records.
	template <class Buckets>
	DEVICE void order_share(const Buckets& buckets, const SmallSortResult& result, u32 firstPlace) {
		u32 t = thread_index(), share = (starts[COOPERATIVE_BUCKETS] + grid_blocks() - 1) / grid_blocks();
		if (t < 2) control[t] = COOPERATIVE_BUCKETS;
		sync_block();
		UNROLL for (u32 k = 0; k < 2; k++) {
			u32 from = (rank + k) * share;
			if (starts[t] >= from && (t == 0 || starts[t - 1] < from)) control[k] = t;
		}
		sync_block();
		u32 bucket = control[0], end = control[1];
		while (bucket < end) {
			if (warp_index() == 0) cut(buckets, bucket, end);
			sync_block();
			u32 first = control[RANGE_FIRST];
			bucket = control[RANGE_END];
			if (first < bucket) order_range(buckets, result, first, bucket, firstPlace);
		}
	}

private:
	DEVICE u32 rows_of(u32 bucket) const { return starts[bucket + 1] - starts[bucket]; }

	// Takes a range of buckets from bucket..end-1, without leading ones that are empty or have more rows than fit: as
	// many as fit, unless bins that are equal parts of buckets would be too wide for the fullest of them. A bucket of
	// many equal rows is a separate range. By one warp.
	template <class Buckets> DEVICE void cut(const Buckets& buckets, u32 bucket, u32 end) const {
		u32 skipped = end - bucket, to = 0, stop = end;
		auto alone = [&](u32 k) {
			if constexpr (Buckets::split) return rows_of(k) > COOPERATIVE_ALONE && buckets.is_of_equals(k);
			return false;
		};
		for (u32 k = bucket + lane_index(); k < end && skipped == end - bucket; k += 32)
			skipped = rows_of(k) && rows_of(k) <= capacity() ? k - bucket : skipped;
		bucket += ~warp_max(~skipped);
		if (bucket < end && alone(bucket)) stop = bucket + 1;
		for (u32 k = bucket + lane_index(); k < stop; k += 32) {
			if (k > bucket && alone(k)) stop = k;
			else to = starts[k + 1] - starts[bucket] <= COOPERATIVE_CAPACITY ? k + 1 : to;
		}
		stop = ~warp_max(~stop), to = warp_max(to), to = to < stop ? to : stop;
		while (!Buckets::split && to > bucket + 1) {
			u32 fullest = 0;
			for (u32 k = bucket + lane_index(); k < to; k += 32) fullest = rows_of(k) > fullest ? rows_of(k) : fullest;
			if (warp_max(fullest) <= COOPERATIVE_BINS * COOPERATIVE_DENSITY >> width_bits(to - bucket)) break;
			to = bucket + (to - bucket) / 2;
		}
		if (lane_index() == 0) control[RANGE_FIRST] = bucket, control[RANGE_END] = bucket < end ? to : end;
	}
	DEVICE static u32 width_bits(u32 buckets) { return buckets > 1 ? 32 - count_leading_zeros(buckets - 1) : 0; }

	template <class Buckets>
	DEVICE void order_range(const Buckets& buckets, const SmallSortResult& result, u32 bucket, u32 to, u32 firstPlace) {
		u32 start = starts[bucket], size = starts[to] - start;
		u32 tag[COOPERATIVE_ROUNDS], slot[COOPERATIVE_ROUNDS];
		u64 number[COOPERATIVE_ROUNDS];
		u32 pairs = 0;
		UNROLL for (int k = 0; k < COOPERATIVE_ROUNDS; k++) {
			u32 at = k * COOPERATIVE_THREADS + thread_index();
			number[k] = at < size ? load_past((const u64*)job.numbers + start + at) : 0;
			tag[k] = at < size ? load_relaxed((const u32*)job.tags + start + at) : 0;
		}
		const auto bins = buckets.bins(*this, bucket, width_bits(to - bucket), size, number, tag);
		for (u32 i = thread_index(); i < COOPERATIVE_BINS / 4; i += COOPERATIVE_THREADS)
			((Words4*)counters)[i] = {0, 0, 0, 0};
		if (thread_index() == 0) control[PAIRS] = 0;
		sync_block();
		UNROLL for (int k = 0; k < COOPERATIVE_ROUNDS && k * COOPERATIVE_THREADS + thread_index() < size; k++) {
			u32 bin = bins.bin(number[k], tag[k]);
			slot[k] = bin | atomic_add(counters + bin, 1u) << COOPERATIVE_BIN_BITS;
		}
		sync_block();
		sum_bins();
		UNROLL for (int k = 0; k < COOPERATIVE_ROUNDS && k * COOPERATIVE_THREADS + thread_index() < size; k++) {
			u32 bin = slot[k] & (COOPERATIVE_BINS - 1), arrival = slot[k] >> COOPERATIVE_BIN_BITS,
			    place = counters[bin] + arrival;
			numbers[place] = number[k], tags[place] = tag[k], pairs += arrival;
		}
		pairs = warp_add(pairs);
		if (lane_index() == 0) atomic_add(control + PAIRS, pairs);
		sync_block();
		if (control[PAIRS] > size * (COOPERATIVE_PARTNERS / 2))
			return sort_by_sample(&job, start, size, firstPlace + start);
		for (u32 at = thread_index(); at < size; at += COOPERATIVE_THREADS) {
			u32 bin = bins.bin(numbers[at], tags[at]);
			result.put(firstPlace + start + place_in_bin(counters[bin], end_of(bin, size), at), tags[at]);
		}
		sync_block();
	}
	// Turns the counts of bins into the places of their first rows. Each thread has adjacent bins.
	DEVICE void sum_bins() const {
		const int each = COOPERATIVE_BINS / COOPERATIVE_THREADS / 4;
		Words4* mine = (Words4*)counters + thread_index() * each;
		u32 sum = 0, total;
		UNROLL for (int k = 0; k < each; k++) {
			Words4 c = mine[k], at;
			UNROLL for (int j = 0; j < 4; j++) at.word[j] = sum, sum += c.word[j];
			mine[k] = at;
		}
		u32 before = block_exclusive_sum<COOPERATIVE_THREADS>(sum, sums, &total);
		UNROLL for (int k = 0; k < each; k++) {
			Words4 at = mine[k];
			UNROLL for (int j = 0; j < 4; j++) at.word[j] += before;
			mine[k] = at;
		}
		sync_block();
	}
	DEVICE u32 end_of(u32 bin, u32 size) const { return bin + 1 < COOPERATIVE_BINS ? counters[bin + 1] : size; }
	DEVICE bool before(u32 a, u32 b) const {
		return numbers[a] != numbers[b] ? numbers[a] < numbers[b] : tags[a] < tags[b];
	}

	// The place of a row: the start of its bin plus the rows of the bin that sort before it. Rows of a bin are
	// adjacent.
	DEVICE u32 place_in_bin(u32 first, u32 end, u32 at) const {
		u32 place = first;
		for (u32 other = first; other < end; other++) place += before(other, at);
		return place;
	}
};
