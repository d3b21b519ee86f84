// How numbers are spread over bins: a monotone map that takes the least to the first bin and the greatest to the last. Floats are spread
// by their values, which are even more often than their bits are.
#pragma once
#include "few_rows.h"

struct Spread {
	u64 least, mask, sign;
	u32 last, lead, scale; // the last bin; the distance from least is shifted up by lead and scaled down
	bool wide, descending, floating = false;
	double offset, factor;

	DEVICE Spread(const Few& few, const Extent64& e, u32 bins)
	    : least(e.least()), mask(~0ull >> (64 - 8 * (few.field.width ? few.field.width : 8))), sign(few.field.sign), last(bins - 1),
	      lead(e.span() ? Extent64::leading_zeros(e.span()) : 0), wide(few.field.width == 8), descending(few.field.mul != 1) {
		u32 top = e.span() ? (u32)(e.span() << lead >> 32) : ~0u;
		scale = (u32)((float)bins * 0x1p32f / (float)top * (1 - 0x1p-21f)); // so little less that no rounding brings the greatest to a bin too many
		if (!whole_floats(few)) return;
		offset = value(least);
		double range = value(e.greatest) - offset;
		factor = (double)bins / range;
		floating = range <= 0x1p1022 && factor <= 0x1p1022 && factor > 0; // neither of them infinite, nor not a number
	}
	// Whether numbers are those of the type, so that the values come back from them.
	DEVICE static bool whole_floats(const Few& few) {
		const Field& f = few.field;
		bool whole = (f.mul == 1 && f.bias == 0) || (f.mul == ~0ull && f.bias == ~0ull);
		return f.form == FORM_FLOAT && few.classes != NO_CLASSES && f.width >= 4 && whole && f.base[0] == f.sign && f.shift == 0;
	}

	// The value that a number was made from, so that it grows with the number.
	DEVICE double value(u64 number) const {
		u64 x = ((descending ? ~number : number) & mask) ^ sign;
		if (x & sign) x = (sign - x) & mask;
		double v = wide ? as_double(x) : as_double((u32)x);
		return descending ? -v : v;
	}
	DEVICE u32 bin(u64 number) const {
		if (!floating) return multiply_high((u32)((number - least) << lead >> 32), scale);
		u32 at = (u32)((value(number) - offset) * factor);
		return at < last ? at : last;
	}
};
