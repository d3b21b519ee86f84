// A sort by a cooperative launch, from the column to row numbers: rows are scattered to buckets by their numbers, in
// any order, and every block orders some buckets. If some bucket has too many rows, the buckets are split by a sorted
// sample. If a bucket still has too many rows, and they are not all equal, the sort declines, and the host sorts in
// another way.
#pragma once
#include "common/ranking.h"
#include "incore/cooperative_order.h"
#include "incore/cooperative_sample.h"
#include "onesweep/histogram.h"

// Where values begin in the result, and where the class rows of this warp do.
struct ClassPlaces {
	u32 values, nan, null;
};

// Full buckets, which have more rows than capacity(), are numbered. The last number stands for all other buckets.
const u32 FULL_BITS = 7;
static_assert(COOPERATIVE_FULL == 1 << FULL_BITS && COOPERATIVE_WARPS * COOPERATIVE_FULL <= COOPERATIVE_BINS / 2,
              "the counters of all warps fit those of bins");

// How a row stands to its predecessor, which is loaded. Not inlined, since few rows need it.
NOINLINE int step_to(const SmallSort* job, u32 row, u64 number, u32 place) {
	SmallSortRows<1> before(*job, row - 1, 0);
	before.read(1);
	return step_between(before.place(0), before.number[0], place, number);
}

// Not inlined, so that the code for most rows has all registers.
NOINLINE void sort_split(const CooperativeSort* job);
NOINLINE void count_digits(const CooperativeSort* job);

struct CooperativeSorter : CooperativeOrder {
	typedef SmallSortRows<COOPERATIVE_ITEMS> Rows;
	using CooperativeOrder::CooperativeOrder;

	DEVICE void sort() {
		Rows rows(job.small, first() + local, 32);
		SmallSortResult result(job.small);
		rows.load(used);
		CooperativeSample sample(*this);
		UNROLL for (u32 k = thread_index(); k < CooperativeSample::COUNTERS; k += COOPERATIVE_THREADS) counters[k] = 0;
		sample.measure(*this);
		rows.settle(used);
		sync_block();
		Spread spread(job.small, *CooperativeSample::map(*this));
		bool ordered = CooperativeSample::ordered(*this), oversized = sample.oversized(*this, spread);
		if (ordered) {
			u32 steps = combine_steps(track(rows));
			if (!(steps & STEP_FALLS)) return write_ordered(result, false);
			if (!(steps & (STEP_RISES | STEP_TIES))) return write_ordered(result, true);
		}
		const bool few = has_few_digits(), crowded = few && sample.crowded(*this, spread),
		           slow = !few && oversized && job.digits.counts && sample.split_is_slow(*this);
		if (!crowded && !oversized && scatter(rows, EvenBuckets{spread}, result)) return;
		if (has_few_digits() || job.small.field.width != 8 || slow) return decline();
		if (!oversized) {
			barrier.sync(); // all blocks have read the state
			clear_state();
			barrier.sync();
		}
		::sort_split(&job);
	}
	DEVICE void sort_split() {
		Rows rows(job.small, first() + local, 32);
		rows.read(used);
		SmallSortRows<1> sample(job.small, CooperativeSample::row_of(n, thread_index()), 0);
		sample.read(1);
		const u64 splitter = sorted(sample.place(0) == sample.value_place() ? sample.number[0] : ~0ull);
		splitters[spread_place(thread_index())] = splitter;
		counters[thread_index()] = 0;
		sync_block();
		if (!scatter(rows, SplitBuckets{splitters}, SmallSortResult(job.small))) decline();
	}

	// Tells all blocks, by the state, of values that sort beyond a code of null.
	DEVICE void report_beyond(u64 code) const {
		Rows rows(job.small, first() + local, 32);
		rows.read(used);
		bool beyond = false;
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			const bool is = rows.value_place() == 0 ? rows.number[i] > code : rows.number[i] < code;
			beyond |= is && rows.has(i) && rows.place(i) == rows.value_place();
		}
		if (vote(beyond) && lane_index() == 0) atomic_or(&state->steps, STEP_BEYOND);
	}
	// Counts the nulls of this block, and the values with their code. Returns whether there is one of these.
	DEVICE bool count_nulls(u64 code) const {
		Rows rows(job.small, first() + local, 32);
		const bool found = sync_block_or(read_nulls(rows, code));
		count_classes(rows);
		sync_block();
		share_class_counts();
		return found;
	}
	// Writes the rows of nulls, and of values with their code, to their places in the result. What the grid has written
	// is there before the wait: the host has read its report.
	DEVICE void place_nulls() const {
		Rows rows(job.small, first() + local, 32);
		read_nulls(rows, ((const Field*)job.digits.column)->null);
		count_classes(rows);
		sync_block();
		const ClassPlaces places = place_classes(rows.value_place(), true);
		wait_for_earlier_kernels(); // the last pass
		write_classes(rows, places, SmallSortResult(job.small));
	}

private:
	// Reports whether so few digits vary that these take less time than buckets that are split.
	DEVICE bool has_few_digits() const {
		return job.digits.counts && count_ones(CooperativeSample::digits(*this)) <= HALF_DIGITS;
	}
	// Reads the rows of this thread. Values with the code of null get the class between other values and nulls, NaN,
	// which integers do not have. Returns whether there is one.
	DEVICE bool read_nulls(Rows& rows, u64 code) const {
		rows.read(used);
		bool found = false;
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			if (!rows.has(i) || rows.place(i) != rows.value_place() || rows.number[i] != code) continue;
			rows.places ^= (rows.value_place() ^ 1) << 2 * i;
			found = true;
		}
		return found;
	}
	// Counts digits for the sort that follows, if the host asks for that.
	DEVICE void decline() {
		const DigitCounts& d = job.digits;
		const u64 constant = ~CooperativeSample::digits(*this) & ((1u << d.count) - 1);
		report(STATUS_DECLINED | (d.counts ? STATUS_COUNTED | constant * STATUS_CONSTANT : 0));
		if (d.counts) ::count_digits(&job);
		clear_state_after_last_read();
	}
	// The words of all threads in order, by a bitonic sort.
	DEVICE u64 sorted(u64 x) const {
		const u32 t = thread_index();
		ROLLED for (u32 run = 2; run <= COOPERATIVE_THREADS; run *= 2) {
			ROLLED for (u32 by = run / 2; by > 0; by /= 2) {
				u64 other;
				if (by < 32) other = shuffle_xor(x, by);
				else {
					sync_block();
					numbers[t] = x;
					sync_block();
					other = numbers[t ^ by];
				}
				const bool least = ((t & by) == 0) == ((t & run) == 0);
				x = least == (x < other) ? x : other;
			}
		}
		return x;
	}

	// How rows stand to their predecessors. Stops when some rise or tie and some fall.
	DEVICE u32 track(const Rows& rows) const {
		Steps steps;
		u64 last = 0;
		u32 lastPlace = 0;
		auto done = [&] { return vote(steps.falls) != 0 && vote(steps.rises || steps.ties) != 0; };
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used && !done(); i++) {
			u64 number = rows.number[i], below = shuffle_up(number, 1);
			u32 place = rows.place(i), belowPlace = shuffle_up(place, 1);
			if (lane_index() == 0) below = last, belowPlace = lastPlace;
			last = shuffle(number, 31), lastPlace = shuffle(place, 31);
			if (!rows.has(i) || (i == 0 && lane_index() == 0)) continue;
			steps.add(step_between(belowPlace, below, place, number));
		}
		if (!done() && lane_index() == 0 && rows.has(0) && rows.row(0) > 0)
			steps.add(step_to(&job.small, rows.row(0), rows.number[0], rows.place(0)));
		return warp_or((steps.rises ? STEP_RISES : 0) | (steps.ties ? STEP_TIES : 0) | (steps.falls ? STEP_FALLS : 0));
	}
	// Combines the steps of all blocks.
	DEVICE u32 combine_steps(u32 steps) {
		if (lane_index() == 0 && steps) atomic_or(&state->steps, steps);
		barrier.sync();
		return load_relaxed(&state->steps);
	}
	// Writes rows that are in order, or reversed.
	DEVICE void write_ordered(const SmallSortResult& result, bool reversed) {
		report(STATUS_ACCEPTED);
		for (u32 row = first() + thread_index(); row < first() + this->rows(); row += COOPERATIVE_THREADS)
			result.put(reversed ? n - 1 - row : row, row);
		clear_state_after_last_read();
	}

	// Scatters the rows to the buckets, whose counters are zero, and writes the result. Returns false if some bucket
	// has too many rows.
	template <class Buckets>
	DEVICE bool scatter(const Rows& rows, const Buckets& buckets, const SmallSortResult& result) {
		u32 t = thread_index(), slot[COOPERATIVE_ITEMS], values, staged; // slot: the bucket, the rank of the row above
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			slot[i] = ~0u;
			const bool is = rows.has(i) && rows.place(i) == rows.value_place();
			if (Buckets::split) { // rows of a warp that share a bucket, as equal ones do, are counted together
				const u32 bucket = is ? buckets.bucket(rows.number[i]) : ~0u, alike = lanes_with(bucket),
				          first = lowest_bit(alike);
				u32 before = is && lane_index() == first ? atomic_add(counters + bucket, count_ones(alike)) : 0;
				before = shuffle(before, first) + lanes_before(alike);
				if (is) slot[i] = bucket | before << 16;
			} else if (is) {
				u32 bucket = buckets.bucket(rows.number[i]);
				slot[i] = bucket | atomic_add(counters + bucket, 1u) << 16;
			}
		}
		count_classes(rows);
		sync_block();
		u32 count = counters[t], before = count ? atomic_add(state->counts + t, count) : 0;
		share_class_counts();
		u32 start = block_exclusive_sum<COOPERATIVE_THREADS>(count, sums, &staged);
		counters[COOPERATIVE_BUCKETS + t] = start;
		barrier.arrive();
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			if (slot[i] == ~0u) continue;
			u32 bucket = slot[i] & 0xffff, at = counters[COOPERATIVE_BUCKETS + bucket] + (slot[i] >> 16);
			numbers[at] = rows.number[i], tags[at] = rows.row(i) | bucket << ROW_BITS;
		}
		barrier.wait();
		u32 all = load_relaxed(state->counts + t), mixed = load_relaxed(&state->steps) & STEP_CLASSES,
		    bucketStart = block_exclusive_sum<COOPERATIVE_THREADS>(all, sums, &values);
		counters[t] = bucketStart + before - start;
		bool full = all > capacity(), equal = false;
		if constexpr (Buckets::split) equal = buckets.is_of_equals(t);
		if (sync_block_or(full && !equal)) return false;
		ClassPlaces places = place_classes(rows.value_place(), mixed);
		if (mixed) write_classes(rows, places, result);
		if (Buckets::split && sync_block_or(full)) write_full(rows, slot, full, places.values + bucketStart, result);
		write_records(staged);
		barrier.arrive();
		starts[t] = bucketStart; // the staged rows have been written
		if (t == 0) starts[COOPERATIVE_BUCKETS] = values;
		barrier.wait();
		clear_state();
		report(STATUS_ACCEPTED); // after the barriers, which would wait for this store
		order_share(buckets, result, places.values);
		return true;
	}
	DEVICE void write_records(u32 staged) const {
		u64* toNumbers = (u64*)job.numbers;
		u32* toTags = (u32*)job.tags;
		for (u32 at = thread_index(); at < staged; at += COOPERATIVE_THREADS) {
			u32 tag = tags[at], to = at + counters[tag >> ROW_BITS];
			toNumbers[to] = numbers[at], toTags[to] = tag & ROW;
		}
	}

	// Writes the rows of full buckets, which are equal, to their places directly, in row order. The rows of this
	// thread's bucket, if it is full, begin at a place.
	DEVICE void write_full(const Rows& rows, const u32 (&slot)[COOPERATIVE_ITEMS], bool full, u32 place,
	                       const SmallSortResult& result) {
		const u32 t = thread_index(), others = COOPERATIVE_FULL - 1;
		u32 *numberOf = counters + 2 * COOPERATIVE_BUCKETS, *places = numberOf + COOPERATIVE_BUCKETS,
		    *ofWarps = counters + 4 * COOPERATIVE_BUCKETS, *mine = ofWarps + warp_index() * COOPERATIVE_FULL;
		u32 *totals = (u32*)job.totals + grid_blocks(), bucket[COOPERATIVE_ITEMS], rankOf[COOPERATIVE_ITEMS], count;
		u32 number = block_exclusive_sum<COOPERATIVE_THREADS>((u32)full, sums, &count);
		numberOf[t] = full ? number : others;
		if (full) places[number] = place;
		for (u32 k = lane_index(); k < COOPERATIVE_FULL; k += 32) mine[k] = 0;
		sync_block();
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			bucket[i] = slot[i] == ~0u ? others : numberOf[slot[i] & 0xffff];
			rankOf[i] = take_place<FULL_BITS>(mine, bucket[i]);
		}
		sync_block();
		u32 sum = 0;
		for (u32 w = 0; w < COOPERATIVE_WARPS && t < COOPERATIVE_FULL; w++) {
			u32 *counter = ofWarps + w * COOPERATIVE_FULL + t, ofWarp = *counter;
			*counter = sum, sum += ofWarp;
		}
		if (t < COOPERATIVE_FULL) totals[rank * COOPERATIVE_FULL + t] = sum;
		barrier.sync();
		for (u32 k = warp_index(); k < count; k += COOPERATIVE_WARPS) {
			u32 before = 0;
			for (u32 b = lane_index(); b < rank; b += 32) before += load_relaxed(totals + b * COOPERATIVE_FULL + k);
			before = warp_add(before);
			if (lane_index() == 0) places[k] += before;
		}
		sync_block();
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			if (bucket[i] != others) result.put(places[bucket[i]] + mine[bucket[i]] + rankOf[i], rows.row(i));
		}
	}

	// Rows of classes are written to their places directly, in row order. A word holds a count of NaN, and one of nulls
	// above it.
	DEVICE static bool is_nan(const Rows& rows, int i) { return rows.has(i) && rows.place(i) == 1; }
	DEVICE static bool is_null(const Rows& rows, int i) {
		return rows.has(i) && rows.place(i) == 2 - rows.value_place();
	}
	DEVICE void count_classes(const Rows& rows) const {
		u32 counted = 0;
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS; i++) {
			if (i < (int)used) counted += (u32)is_nan(rows, i) + ((u32)is_null(rows, i) << 16);
		}
		counted = warp_add(counted);
		if (lane_index() == 0) classes[warp_index()] = counted;
	}
	DEVICE void share_class_counts() const {
		if (warp_index() != 0) return;
		u32 counted = warp_add(classes[lane_index()]);
		if (lane_index() != 0) return;
		((u32*)job.totals)[rank] = counted;
		if (counted) atomic_or(&state->steps, STEP_CLASSES);
	}
	DEVICE ClassPlaces place_classes(u32 valuePlace, bool mixed) const {
		u32 nans = 0, nulls = 0, nansBefore = 0, nullsBefore = 0;
		for (u32 b = lane_index(); mixed && b < grid_blocks(); b += 32) {
			u32 two = load_relaxed((const u32*)job.totals + b), nan = two & 0xffff, null = two >> 16;
			nans += nan, nulls += null;
			if (b < rank) nansBefore += nan, nullsBefore += null;
		}
		u32 ofWarps = warp_add(lane_index() < warp_index() ? classes[lane_index()] : 0);
		nans = warp_add(nans), nulls = warp_add(nulls);
		nansBefore = warp_add(nansBefore) + (ofWarps & 0xffff), nullsBefore = warp_add(nullsBefore) + (ofWarps >> 16);
		if (valuePlace == 0) return {0, n - nulls - nans + nansBefore, n - nulls + nullsBefore};
		return {nulls + nans, nulls + nansBefore, nullsBefore};
	}
	DEVICE void write_classes(const Rows& rows, ClassPlaces places, const SmallSortResult& result) const {
		const u32 below = (1u << lane_index()) - 1;
		UNROLL for (int i = 0; i < COOPERATIVE_ITEMS && i < (int)used; i++) {
			u32 nans = vote(is_nan(rows, i)), nulls = vote(is_null(rows, i));
			if (is_nan(rows, i)) result.put(places.nan + count_ones(nans & below), rows.row(i));
			if (is_null(rows, i)) result.put(places.null + count_ones(nulls & below), rows.row(i));
			places.nan += count_ones(nans), places.null += count_ones(nulls);
		}
	}
};

NOINLINE void sort_split(const CooperativeSort* job) { CooperativeSorter(*job).sort_split(); }

// Counts the digits of all rows for the sort by digits that follows, and reports those that are constant.
NOINLINE void count_digits(const CooperativeSort* job) {
	const u64 SHARED = 1ull << 63; // beside the constant digits: a value has the code of null
	const DigitCounts& d = job->digits;
	const u64 thread = (u64)block_index() * COOPERATIVE_THREADS + thread_index(),
	          threads = (u64)grid_blocks() * COOPERATIVE_THREADS;
	const Counts counts((u32*)d.counts);
	GridBarrier barrier(&((CooperativeState*)job->state)->barrier);
	CooperativeSorter sorter(*job);
	Field* field = (Field*)(shared_memory() + HISTOGRAM_BYTES + 16);
	sync_block(); // shared memory has been read
	clear_words((u32*)shared_memory(), HISTOGRAM_BYTES / 4, thread_index(), COOPERATIVE_THREADS);
	clear_words((u32*)d.counts, d.countsWords, thread, threads);
	clear_words((u32*)d.status, d.statusWords, thread, threads);
	u64 null = *CooperativeSample::null_code(sorter);
	if (d.codesNull) sorter.report_beyond(null);
	barrier.arrive();
	if (d.codesNull) barrier.wait();
	if (!d.codesNull || load_relaxed(&sorter.state->steps) & STEP_BEYOND) null = d.field.null;
	if (thread_index() < sizeof(Field) / 8) {
		const u64* from = (const u64*)&d.field + thread_index();
		const u64 word = from == &d.field.null ? null : *from;
		((u64*)field)[thread_index()] = word;
		if (block_index() == 0) ((u64*)d.column)[thread_index()] = word;
	}
	sync_block();
	const bool shared = d.codesNull && sorter.count_nulls(null);
	if (d.field.width == 4)
		count_column<u32, COOPERATIVE_ITEMS, HALF_DIGITS, 2 * DIGIT_COPIES>(field, job->small.n, d.shifts, d.bits,
		                                                                   (u32)d.count);
	else
		count_column<u64, COOPERATIVE_ITEMS / 2, MAX_DIGITS, DIGIT_COPIES>(field, job->small.n, d.shifts, d.bits,
		                                                                  (u32)d.count);
	barrier.wait(); // the counts of all blocks are zero
	if (shared && thread_index() == 0) atomic_or(counts.constant, SHARED);
	if (d.field.width == 4) add_up<2 * DIGIT_COPIES>(counts, (u32)d.count);
	else add_up<DIGIT_COPIES>(counts, (u32)d.count);
	if (!is_last_block(counts.done, (u32*)(shared_memory() + HISTOGRAM_BYTES))) return;
	sum_counts(counts, (u32)d.count, job->small.n);
	sync_block();
	if (thread_index() != 0) return;
	const u64 constant = load_relaxed(counts.constant);
	store_system((u64*)d.report, STATUS_COUNTED | (constant & SHARED ? +STATUS_SHARES_NULL : 0) |
	                                 (constant & ~SHARED) * STATUS_CONSTANT);
}
