// Spread maps numbers to bins monotonically: the least to the first bin, the greatest to the last. Numbers that are
// less or greater get the same bins. Floats are spread by their values, which are even more often than their bits are.
#pragma once
#include "common/value_map.h"
#include "incore/small_sort.h"

struct Spread {
	u64 least, span, flip, sign;
	u32 last, lead, scale; // the last bin; the distance from least is shifted left by lead and scaled down
	bool wide, floating = false;
	double factor, offset; // of doubles: their products and sums have the bins in their last bits
	float shortFactor, shortOffset; // of floats of four bytes

	// The range is widened by a part in 2^margin at either end, or not at all for 0.
	DEVICE Spread(const SmallSort& job, const Extent64& e, u32 bins, u32 margin = 0)
	    : least(0), span(e.span()), flip(WholeWords(job.field).flip), sign(job.field.sign), last(bins - 1),
	      wide(job.field.width == 8) {
		bool some = e.greatest >= e.least();
		u64 more = margin ? span >> margin : 0, greatest = some ? e.greatest : 0;
		least = !some ? 0 : e.least() > more ? e.least() - more : 0;
		greatest = greatest + more < more ? ~0ull : greatest + more;
		span = greatest - least;
		lead = span ? Extent64::leading_zeros(span) : 0;
		u32 top = span ? (u32)(span << lead >> 32) : ~0u;
		// Slightly less, so that rounding never exceeds the last bin.
		scale = (u32)((float)bins * 0x1p32f / (float)top * (1 - 0x1p-21f));
		if (some && whole_floats(job))
			spread_values(value(e.least()), value(e.greatest), margin ? 1.0 / (1u << margin) : 0);
	}
	// A copy of another thread's. Members that the field determines are not loaded.
	DEVICE Spread(const SmallSort& job, const Spread& s) : Spread(s) {
		flip = WholeWords(job.field).flip, sign = job.field.sign, wide = job.field.width == 8;
	}

	// Does not spread by values if, compared with the range, these are far from zero: in single precision they are no
	// finer than their bits.
	DEVICE void spread_values(double low, double high, double margin) {
		double more = (high - low) * margin;
		low -= more, high += more;
		double range = high - low;
		if (!(absolute(range) <= 0x1p1000) || !(absolute(low) <= absolute(range) * 1024)) return;
		factor = (last + 1.0) / range, offset = (wide ? 0x1p52 : 0x1p23) - low * factor;
		double least = wide ? 0x1p-900 : 0x1p-90, most = wide ? 0x1p900 : 0x1p90;
		floating = absolute(factor) >= least && absolute(factor) <= most;
		if (floating && !wide) shortFactor = (float)factor, shortOffset = (float)offset;
	}
	DEVICE static bool whole_floats(const SmallSort& job) {
		return job.classes != NO_CLASSES && job.field.form == FORM_FLOAT && WholeWords(job.field).are;
	}
	DEVICE static bool is_finite(const SmallSort& job, u64 number) {
		u64 flip = WholeWords(job.field).flip, sign = job.field.sign,
		    x = job.field.width == 8 ? pattern_of_number<u64>(number, flip, sign)
			                         : pattern_of_number<u32>((u32)number, (u32)flip, (u32)sign);
		return (x & ~sign) != job.field.infinity;
	}
	// The value that a number was made from.
	DEVICE double value(u64 number) const {
		return wide ? value_of<u64>(number, flip, sign) : value_of<u32>((u32)number, (u32)flip, (u32)sign);
	}

	DEVICE u32 bin(u64 number) const {
		if (floating) return wide ? bin_of_double(number) : bin_of_single((u32)number);
		u64 x = number - least;
		if (x > span) return number < least ? 0 : last;
		return multiply_high((u32)(x << lead >> 32), scale);
	}

private:
	DEVICE u32 bin_of_double(u64 number) const {
		const int base = 0x43300000; // the high word of 2^52
		u64 place = pattern_of(multiply_add(as_double(pattern_of_number<u64>(number, flip, sign)), factor, offset));
		int high = (int)(place >> 32);
		u32 low = (u32)place < last ? (u32)place : last;
		return high < base ? 0 : high > base ? last : low;
	}
	DEVICE u32 bin_of_single(u32 number) const {
		const int base = 0x4b000000; // 2^23
		int place = (int)pattern_of(
		    multiply_add(as_float(pattern_of_number<u32>(number, (u32)flip, (u32)sign)), shortFactor, shortOffset));
		u32 at = (u32)((place > base ? place : base) - base);
		return at < last ? at : last;
	}
};
