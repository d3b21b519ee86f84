// The buckets of a cooperative launch: equal parts of the range of the sample or, where some would have too many rows,
// what lies between its sorted rows, the splitters (sample sort: Frazer and McKellar 1970).
#pragma once
#include "incore/cooperative_block.h"
#include "incore/spread.h"

struct EvenBuckets {
	static const bool split = false;
	const Spread& spread;

	// The bins of a range of buckets.
	struct Bins {
		const Spread& spread;
		u32 low, shift;
		DEVICE u32 bin(u64 number, u32) const { return (spread.bin(number) - low) >> shift; }
	};

	DEVICE u32 bucket(u64 number) const { return spread.bin(number) >> COOPERATIVE_BIN_BITS; }
	template <int items> DEVICE Bins bins(const CooperativeBlock&, u32 first, u32 bits, u32, const u64 (&)[items],
	                                      const u32 (&)[items]) const {
		return {spread, first << COOPERATIVE_BIN_BITS, bits};
	}
};

// A number that is sampled more than once has a separate bucket, but for the greatest if it is sampled only twice.
struct SplitBuckets {
	static const bool split = true;
	const u64* splitters; // in order, one for each bucket, at spread_place

	DEVICE u64 splitter(u32 bucket) const { return splitters[spread_place(bucket)]; }

	// Numbers, or numbers above their rows where both fit 64 bits: so equal numbers are spread by their rows.
	struct Words {
		u64 least = 0;
		u32 rowBits = 0;
		DEVICE u64 of(u64 number, u32 row) const { return rowBits ? (number - least) << rowBits | row : number; }
	};
	// The bins of a range of buckets: equal parts of the range of its words.
	struct Bins {
		Words words;
		Spread spread;
		DEVICE u32 bin(u64 number, u32 row) const { return spread.bin(words.of(number, row)); }
	};

	DEVICE u32 bucket(u64 number) const {
		u32 less = 0; // how many splitters are less, the last one not counted
		UNROLL for (u32 step = COOPERATIVE_BUCKETS / 2; step > 0; step /= 2) {
			less += splitter(less + step - 1) < number ? step : 0;
		}
		return less + (splitter(less) == number && is_of_equals(less + 1));
	}
	// Whether all rows of a bucket are equal. The last one also has those that are greater than all splitters.
	DEVICE bool is_of_equals(u32 bucket) const {
		return bucket > 0 && bucket < COOPERATIVE_BUCKETS - 1 && splitter(bucket - 1) == splitter(bucket);
	}
	template <int items> DEVICE Bins bins(const CooperativeBlock& b, u32, u32, u32 size, const u64 (&number)[items],
	                                      const u32 (&row)[items]) const {
		Words words;
		auto extent = [&] {
			Extent64 mine;
			UNROLL for (int k = 0; k < items && k * COOPERATIVE_THREADS + thread_index() < size; k++) {
				mine.add(words.of(number[k], row[k]));
			}
			return b.of_block(mine);
		};
		Extent64 all = extent();
		if (all.span() >> (64 - CooperativeBlock::ROW_BITS) == 0) {
			words = {all.least(), CooperativeBlock::ROW_BITS};
			all = extent();
		}
		Bins bins = {words, Spread(b.job.small, all, COOPERATIVE_BINS)};
		bins.spread.floating = false; // words are not values
		return bins;
	}
};
