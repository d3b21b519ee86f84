// The sample of a cooperative launch. All blocks read the same sample, one row per thread, and come to the same
// decision, so that none waits for another.
#pragma once
#include "incore/cooperative_block.h"
#include "incore/spread.h"

const u32 COOPERATIVE_CROWD = 24; // other rows of a row's bin: with more on average, four digits take less time, for
                                  // keys of 4 bytes with half as many; with half as many three digits do, and so on
// Rows of the sample that tie, and values that fill buckets, with which all digits take less time than buckets that are
// split: see split_is_slow.
const u32 COOPERATIVE_FEW_TIES = 12, COOPERATIVE_SOME_TIES = 256, COOPERATIVE_MOST_TIE = 832, COOPERATIVE_SOME_FULL = 3;
const float COOPERATIVE_SUSPECT = 1.5f; // times the capacity is too much in a sample
const u32 NULL_CODE = 6; // words of control
const u32 COOPERATIVE_MARGIN = 7; // the range of the sample is widened by a part in 2^7 at either end

struct CooperativeSample {
	// The counters of a block, which are zero when a sample is judged: those of the scatter, those of the sample by the
	// values of floats and by their bits or numbers, a table of bits, and the hits of values.
	static const u32 BITS_BITS = 17, BITS_AT = 3 * COOPERATIVE_BUCKETS, HITS_BITS = 10,
	                 HITS_AT = BITS_AT + (1 << BITS_BITS) / 32, COUNTERS = HITS_AT + (1 << HITS_BITS);
	static const u32 COARSE_BITS = 3; // a block orders about eight buckets at a time, whose bins are as much wider
	static_assert(COUNTERS <= COOPERATIVE_BINS, "they fit");
	SmallSortRows<1> row;

	// The loads of a row are in flight when it returns.
	DEVICE explicit CooperativeSample(const CooperativeBlock& b) : row(b.job.small, row_of(b.n, thread_index()), 0) {
		row.load(1);
	}
	// Ascending, but not evenly spaced, as the rows of one kind may be.
	DEVICE static u32 row_of(u32 n, u32 t) {
		return t * n / COOPERATIVE_THREADS + multiply_high(t * 2654435769u, n / COOPERATIVE_THREADS);
	}
	static_assert((u64)COOPERATIVE_ROWS * COOPERATIVE_THREADS <= 1ull << 32, "such products are words");

	// The first warp makes the map of all rows of the sample; it is valid after a barrier.
	DEVICE void measure(const CooperativeBlock& b) {
		Extent64 mine = row.settle(1);
		const u64 number = row.number[0], before = shuffle_up(number, 1);
		const u32 place = row.place(0), placeBefore = shuffle_up(place, 1);
		if (Spread::whole_floats(b.job.small) && !Spread::is_finite(b.job.small, number))
			mine = Extent64(); // the range is that of finite floats
		Steps steps;
		if (lane_index() > 0) steps.add(step_between(placeBefore, before, place, number));
		const bool isValue = place == row.value_place();
		u64* warps = b.numbers;
		// The codes of others differ from values in most digits, unless null gets the code of a value.
		const u64 other = b.job.digits.codesNull ? 0 : ~0ull, any = warp_or(isValue ? number : other),
		          notAll = warp_or(isValue ? ~number : other);
		mine.join_warp();
		u32 seen = (steps.rises ? STEP_RISES : 0) | (steps.ties ? STEP_TIES : 0) | (steps.falls ? STEP_FALLS : 0);
		seen = warp_or(seen);
		if (lane_index() == 0)
			warps[warp_index()] = mine.notLeast, warps[32 + warp_index()] = mine.greatest, b.sums[warp_index()] = seen,
			warps[64 + warp_index()] = any, warps[96 + warp_index()] = notAll;
		sync_block();
		if (warp_index() != 0) return;
		mine.notLeast = warp_max(warps[lane_index()]), mine.greatest = warp_max(warps[32 + lane_index()]);
		seen = warp_or(b.sums[lane_index()]);
		const u64 ones = warp_or(warps[64 + lane_index()]), zeros = warp_or(warps[96 + lane_index()]),
		          varying = ones | zeros ? ones & zeros : ~0ull; // without a value all may vary
		const u32 byte = 8 * lane_index() % 64, bits = (u32)(b.job.digits.bits >> byte) & 255;
		const u64 digit = ((1ull << bits) - 1) << (b.job.digits.shifts >> byte & 255);
		const bool varies = lane_index() < (u32)b.job.digits.count && (varying & digit) != 0;
		const u32 vary = vote(varies);
		const u64 mask = warp_or(varies ? digit : 0);
		Spread spread(b.job.small, mine, COOPERATIVE_BUCKETS * COOPERATIVE_BINS, COOPERATIVE_MARGIN);
		if (lane_index() != 0) return;
		*map(b) = spread, b.control[0] = seen, b.control[1] = vary;
		*null_code(b) = row.value_place() == 0 ? ones | mask : ones & ~mask;
	}
	DEVICE static Spread* map(const CooperativeBlock& b) { return (Spread*)(b.numbers + 128); }

	// The digits that vary in the sample: a bit for each; none if the host does not ask for digits.
	DEVICE static u32 digits(const CooperativeBlock& b) { return b.control[1]; }
	// The code that null gets unless a value sorts beyond it: the greatest, or with nulls at the start the least, of
	// those that have the digits that do not vary in the sample.
	DEVICE static u64* null_code(const CooperativeBlock& b) { return (u64*)(b.control + NULL_CODE); }
	// Reports whether the rows may be in order, or reversed.
	DEVICE static bool ordered(const CooperativeBlock& b) {
		u32 steps = *b.control;
		return !(steps & STEP_FALLS) || !(steps & (STEP_RISES | STEP_TIES));
	}
	// Reports whether some bucket has many more rows than its capacity. Floats whose values are not spread well are
	// spread by their bits. The counters after those of buckets are zero.
	DEVICE bool oversized(const CooperativeBlock& b, Spread& spread) const {
		const u32 most =
		    (u32)(COOPERATIVE_SUSPECT * (float)b.capacity() * COOPERATIVE_THREADS / b.n) + 1; // rows of the sample
		bool counts = row.place(0) == row.value_place();
		auto exceeds = [&](u32* hits) {
			u32* bucket = hits + (spread.bin(row.number[0]) >> COOPERATIVE_BIN_BITS);
			return sync_block_or(counts && atomic_add(bucket, 1u) > most);
		};
		if (spread.floating) spread.floating = !exceeds(b.counters + 2 * COOPERATIVE_BUCKETS);
		return !spread.floating && exceeds(b.counters + COOPERATIVE_BUCKETS);
	}
	// Reports whether rows share bins with enough others, on average, that their few digits take less time: of the
	// pairs of n rows, as many share a bin as of those of the sample. A row that finds the bit of its bin set is such a
	// pair, or one of a few by chance.
	DEVICE bool crowded(const CooperativeBlock& b, const Spread& spread) const {
		const u32 chance = COOPERATIVE_THREADS * (COOPERATIVE_THREADS / 2) >> BITS_BITS;
		const u32 crowd = COOPERATIVE_CROWD >> (b.job.small.field.width == 4) >> (HALF_DIGITS - count_ones(digits(b)));
		const u32 pairs = count_sharing(b, spread.bin(row.number[0]) >> COARSE_BITS),
		          most = COOPERATIVE_THREADS * (COOPERATIVE_THREADS / 2);
		return pairs > chance && (u64)(pairs - chance) * b.n > (u64)crowd * most;
	}
	// Reports whether all digits take less time than buckets that are split: where some values fill buckets, but most
	// rows are not of a few values, and where none does but some rows tie. In place of crowded.
	DEVICE bool split_is_slow(const CooperativeBlock& b) const {
		const u32 word = (u32)(row.number[0] ^ row.number[0] >> 32), ties = count_sharing(b, word),
		          full = b.capacity() * COOPERATIVE_THREADS / b.n;
		u32* hits = b.counters + HITS_AT + (word * HASH >> (32 - HITS_BITS));
		const u32 fulls = sync_block_count(is_value() && atomic_add(hits, 1u) == full);
		if (fulls >= COOPERATIVE_SOME_FULL) return ties < COOPERATIVE_MOST_TIE;
		return fulls == 0 && ties >= COOPERATIVE_FEW_TIES && ties < COOPERATIVE_SOME_TIES;
	}

private:
	static const u32 HASH = 2654435769u;
	DEVICE bool is_value() const { return row.place(0) == row.value_place(); }
	// How many values of the sample find the bit of a word set by another one. Once for a sample.
	DEVICE u32 count_sharing(const CooperativeBlock& b, u32 word) const {
		const u32 bit = word * HASH >> (32 - BITS_BITS), mask = 1u << bit % 32;
		return sync_block_count(is_value() && (atomic_or(b.counters + BITS_AT + bit / 32, mask) & mask));
	}
};
