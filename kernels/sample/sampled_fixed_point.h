// Whether sampled floats are fixed-point numbers.
#pragma once
#include "common/fixed_point.h"
#include "common/numbers.h"

const u32 FIXED_DIGITS = 9; // the most after the point
const u32 FIXED_BITS = 27;  // the most bits of the range of the integers: codes of 32 bits have 18 times as many
const u32 FIXED_SHORT_BITS = 22; // the same for floats of 4 bytes: they have 24, and most are near to some integer

struct SampledFixedPoint {
	u32 digits = 0;        // after the point
	Extent<u64> integers; // plus 2^51

	// Finds the least digits with which all sampled values of a block's threads are fixed-point numbers. Returns false
	// if there are none, or the integers are too far apart. warps: unused shared memory.
	template <class Word, int items>
	DEVICE bool find(const Field* f, const Word (&number)[items], u32 values, u64* warps) {
		const Numbers<Word> numbers(f);
		double power = 1;
		ROLLED for (; digits <= FIXED_DIGITS; digits++, power *= 10) {
			const FixedPoint map(power);
			bool fits = true;
			integers = {};
			UNROLL for (int i = 0; i < items; i++) {
				u64 integer;
				if (!(values >> i & 1)) continue;
				fits &= map.make(pattern_of_number(number[i], numbers.flip, numbers.sign), &integer);
				integers.add(integer);
			}
			if (sync_block_or(!fits)) continue;
			block_range(warps, &integers.notLeast, &integers.greatest);
			const u64 least = integers.least();
			return integers.greatest >= least &&
			       (integers.greatest - least) >> (sizeof(Word) == 4 ? FIXED_SHORT_BITS : FIXED_BITS) == 0;
		}
		return false;
	}
};
