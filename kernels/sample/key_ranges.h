// Fields of several keys for the ranges that a sample finds (FORM_KEYS). Their numbers have at most 64 bits: if all
// keys fit, the number is exact. Otherwise it has the leading keys and the high bits of the first that does not fit,
// and what it lacks is the rest.
#pragma once
#include "common/numbers.h"
#include "sample/mapper.h"

const u32 KEY_RANGE_ROWS = 4096; // of the sample
const u32 KEY_MARGIN = 3; // the range of the sample is widened by 1 / 2^3 on both sides; that of the bits of floats
                          // by three times as much: a normal distribution has rows far outside
const u32 VALUE_MARGIN = 6; // the same for floats by their values, of which any may be out of range
const u32 VALUE_BITS = 52;  // the most bits of a place

// Reports whether the numbers and rests of several keys fit; if not, the first Field is marked.
DEVICE bool keys_fit(const Field* f) { return f->form != FORM_KEYS || ((const Field*)f->values)->limb == 0; }

// The range of the sampled values, as distances from the base of the type.
struct KeyExtent : Extent<u64> {
	// Adds those of a warp.
	DEVICE void join(const KeyExtent& lane) {
		u64 low = warp_max(lane.notLeast), top = warp_max(lane.greatest);
		if (lane_index() != 0) return;
		atomic_max(&notLeast, low);
		atomic_max(&greatest, top);
	}
};

// Short values, and ranks, keep the range of their type.
DEVICE bool keeps_range(const Field* f) { return f->width < 4 || f->form == FORM_RANK; }

// Calls visit(x) for each sampled value of a key that is neither null nor NaN, a float in two's complement, by all
// threads of a block. All loads are in flight before the first is used.
template <u32 threads, class Visit> DEVICE void for_sampled(const Field* f, u64 n, const Visit& visit) {
	const u32 items = KEY_RANGE_ROWS / threads;
	u64 mask = ~0ull >> (64 - 8 * f->width), rows = n < KEY_RANGE_ROWS ? n : KEY_RANGE_ROWS, apart = n / rows, x[items];
	auto row = [&](u32 k) {
		u64 i = thread_index() + k * threads;
		return i < rows ? i * apart + (u32)i * 2654435761u % apart : 0;
	};
	if (f->width == 4) {
		UNROLL for (u32 k = 0; k < items; k++) x[k] = load((const u32*)(f->values + row(k) * f->stride));
	} else {
		UNROLL for (u32 k = 0; k < items; k++) x[k] = load((const u64*)(f->values + row(k) * f->stride));
	}
	UNROLL for (u32 k = 0; k < items; k++) {
		bool value = f->validity == 0 || bit_at((const u32*)f->validity, f->bit + row(k));
		if (f->form == FORM_FLOAT) {
			if (x[k] & f->sign) x[k] = (f->sign - x[k]) & mask;
			value &= ((x[k] + f->infinity) & mask) <= 2 * f->infinity;
		}
		if (value) visit(x[k]);
	}
}
// finite: of the floats that are not infinite.
template <u32 threads> DEVICE void measure_key(const Field* f, u64 n, KeyExtent* all, KeyExtent* finite) {
	u64 base = f->base[0], mask = ~0ull >> (64 - 8 * f->width);
	KeyExtent ofAll, ofFinite;
	for_sampled<threads>(f, n, [&](u64 x) {
		ofAll.add((x - base) & mask);
		if (x != f->infinity && x != ((0 - f->infinity) & mask)) ofFinite.add((x - base) & mask);
	});
	all->join(ofAll);
	finite->join(ofFinite);
}

// The values of a key are numbered 0 to last >> shift from low on; NaN and null, where they can be, at one end.
struct KeyRange {
	u64 low, last; // low: the distance from the base of the type
	u32 shift = 0;
	u32 classes;

	DEVICE KeyRange(const Field* f, u64 low, u64 last) : low(low), last(last), classes(nan(f) + null(f)) {}
	DEVICE static u32 nan(const Field* f) { return f->form == FORM_FLOAT; }
	DEVICE static u32 null(const Field* f) { return f->validity != 0 || f->form == FORM_RANK; }
	// Floats from -Inf to +Inf: NaN is among the numbers of their type.
	DEVICE static KeyRange of_type(const Field* f) {
		if (f->form != FORM_FLOAT) return KeyRange(f, 0, f->last[0]);
		return KeyRange(f, (0 - f->infinity - f->base[0]) & ~0ull >> (64 - 8 * f->width), 2 * f->infinity);
	}
	DEVICE static KeyRange of_sample(const Field* f, const KeyExtent& extent) {
		u64 least = extent.least(), top = extent.greatest, most = f->last[0];
		if (keeps_range(f)) return of_type(f);
		if (least > top) least = top = 0; // no values
		u64 margin = ((top - least) >> KEY_MARGIN) * (f->form == FORM_FLOAT ? 3 : 1) + 1,
		    low = least > margin ? least - margin : 0;
		return KeyRange(f, low, (most - top > margin ? top + margin : most) - low);
	}

	DEVICE bool fits(u64 most) const { return most >= classes && last >> shift <= most - classes; }
	DEVICE u64 greatest() const { return (last >> shift) + classes; } // if it fits
	// Drops as few low bits as possible. Returns false if no two values would differ.
	DEVICE bool shorten(u64 most) {
		if (most <= classes) return false;
		while (!fits(most)) shift++;
		return true;
	}
	// Completes a Field: before, base is that of the type, and nan is 1 for classes at the start. Its numbers are
	// multiples of the weight.
	DEVICE void number(Field* f, u64 weight) const {
		const bool atStart = f->nan != 0;
		const u64 first = atStart ? classes : 0, top = last >> shift;
		f->base[0] += low, f->last[0] = last, f->shift = shift;
		f->mul = f->descending ? 0 - weight : weight, f->bias = (f->descending ? first + top : first) * weight;
		f->null = (atStart ? 0 : top + classes) * weight, f->nan = (atStart ? null(f) : top + 1) * weight;
	}
};

// Places of floats by their values, from the least to the greatest sampled value, slightly widened.
DEVICE bool make_places(ValuePlaces* places, const Field* f, const KeyExtent& extent, u64 most) {
	const u64 mask = ~0ull >> (64 - 8 * f->width);
	auto value = [&](u64 above) {
		u64 x = (f->base[0] + above) & mask;
		if (x & f->sign) x = (f->sign - x) & mask;
		return f->width == 4 ? as_double((u32)x) : as_double(x);
	};
	double least = value(extent.least()), greatest = value(extent.greatest),
	       margin = (greatest - least) / (1 << VALUE_MARGIN), range = greatest - least + 2 * margin;
	places->last = most >> VALUE_BITS ? (1ull << VALUE_BITS) - 1 : most;
	places->factor = ((double)places->last + 1) / range;
	places->offset = as_double(ValuePlaces::zero) - (least - margin) * places->factor;
	// Sums of products and the offset are not finer than places if the values are far from zero.
	return least < greatest && places->last > 0 && absolute(least) <= absolute(range) * 1024 &&
	       places->factor >= 0x1p-900 && places->factor <= 0x1p900;
}

// A KeyFitter assigns numbers to keys, and makes the Fields of the rest, by one thread.
struct KeyFitter {
	Field* fields;
	const KeyExtent *extents, *finite;
	u32 keys;
	u32 whole = 0, shift = 0; // keys that the number has in full; bits that the next lacks, 64 if it has none
	u64 room = ~0ull;         // the greatest number of the next key, or of the last one

	DEVICE KeyFitter(const Field* f, const KeyExtent* extents, const KeyExtent* finite)
	    : fields((Field*)f->values), extents(extents), finite(finite), keys((u32)f->stride) {
		u64 greatest = 0; // number of the keys so far
		for (;;) {
			KeyRange r = range(whole);
			if (!r.fits(room)) {
				shift = r.shorten(room) ? r.shift : 64;
				return;
			}
			greatest += r.greatest() * (greatest + 1);
			if (++whole == keys) return;
			room = greatest == ~0ull ? 0 : (~0ull - greatest) / (greatest + 1);
		}
	}
	DEVICE KeyRange range(u32 k) const { return KeyRange::of_sample(fields + k, extents[k]); }
	DEVICE u32 last() const { return whole < keys ? whole : keys - 1; } // key of which the number may have a part
	DEVICE u32 numbered() const { return whole + (shift % 64 != 0); }

	// Makes places of the last key. Returns false if it has none.
	DEVICE bool places(ValuePlaces* p) const {
		const Field* f = fields + last();
		return f->form == FORM_FLOAT && !keeps_range(f) && room > range(last()).classes &&
		       make_places(p, f, finite[last()], room - range(last()).classes);
	}
	// Makes the Fields of the rest. Returns false if it has more than 64 bits.
	DEVICE bool make_rest(bool byValue) const {
		u32 bits = 0;
		for (u32 k = keys; k-- > (byValue ? last() : whole);) {
			Field* rest = fields + keys + k;
			*rest = fields[k];
			if (!byValue && k < numbered()) { // the low bits
				rest->base[0] += range(k).low, rest->mask = (1ull << shift) - 1;
				rest->mul = rest->descending ? ~0ull : 1, rest->bias = rest->descending ? ~0ull : 0;
				rest->null = rest->nan = 0;
			} else {
				KeyRange r = KeyRange::of_type(rest);
				if (!r.fits(~0ull)) return false;
				r.number(rest, 1);
				rest->mask = ~0ull >> (64 - bit_length(r.greatest()));
			}
			rest->up = bits;
			bits += bit_length(rest->mask);
			if (bits > 64) return false;
		}
		return true;
	}
	// Makes the Fields of the number, of the last key by its values if it has places. The rest is made before.
	DEVICE void make_number(const ValuePlaces* p) const {
		u64 weight = 1;
		for (u32 k = p ? last() + 1 : numbered(); k-- > 0;) {
			Field* f = fields + k;
			KeyRange r = p && k == last() ? KeyRange(f, 0, p->last) : range(k);
			if (!p && k == whole) r.shift = shift;
			r.number(f, weight);
			weight *= r.greatest() + 1;
			if (!p || k < last()) continue;
			f->form = FORM_FLOAT_VALUE;
			f->base[1] = pattern_of(p->factor), f->base[2] = pattern_of(p->offset), f->last[1] = p->last;
		}
	}
};

// Rows by parts of equal size of a range.
struct PartCounts {
	static const u32 parts = 32;
	u32 rows[parts];

	DEVICE void add(u64 number, u64 last) {
		u32 part = (u32)((float)number * (parts / ((float)last + 1)));
		atomic_add(rows + (part < parts ? part : parts - 1), 1u);
	}
	DEVICE u32 most() const { return warp_max(rows[lane_index()]); }
};

// What the threads of a block share while Fields are made.
struct KeyFit {
	KeyExtent extents[MOST_KEYS], finite[MOST_KEYS];
	KeyFitter fitter;
	ValuePlaces places; // of the last key
	bool hasPlaces;
	PartCounts byBits, byValues;

	// Counts the sampled values of the last key, by all threads of a block.
	template <u32 threads> DEVICE void count_values(u64 n) {
		const Field* f = fitter.fields + fitter.last();
		const u64 mask = ~0ull >> (64 - 8 * f->width);
		const KeyRange r = fitter.range(fitter.last());
		for_sampled<threads>(f, n, [&](u64 x) {
			byBits.add((x - f->base[0] - r.low) & mask, r.last);
			if (x & f->sign) x = (f->sign - x) & mask;
			byValues.add(places.of(f->width == 4 ? as_double((u32)x) : as_double(x)), places.last);
		});
	}
	// By one warp.
	DEVICE void make_fields() const {
		bool byValue = hasPlaces && byValues.most() < byBits.most();
		if (lane_index() != 0) return;
		byValue = byValue && fitter.make_rest(true);
		const bool fits = byValue || fitter.make_rest(false);
		fitter.make_number(byValue ? &places : nullptr);
		fitter.fields[0].limb = !fits;
	}
};

// Completes Fields whose ranges are not set, by all threads of a block. Separate code, which takes registers.
template <u32 threads> NOINLINE void fit_keys(const Field* f, u64 n, KeyFit* fit) {
	Field* fields = (Field*)f->values;
	if (f->form != FORM_KEYS || fields[0].mul != 0) return;
	if (thread_index() < MOST_KEYS) fit->extents[thread_index()] = fit->finite[thread_index()] = {};
	if (thread_index() < PartCounts::parts) fit->byBits.rows[thread_index()] = fit->byValues.rows[thread_index()] = 0;
	sync_block();
	for (u32 k = 0; k < f->stride; k++) {
		if (!keeps_range(fields + k)) measure_key<threads>(fields + k, n, fit->extents + k, fit->finite + k);
	}
	sync_block();
	if (thread_index() == 0) {
		fit->fitter = KeyFitter(f, fit->extents, fit->finite);
		fit->hasPlaces = fit->fitter.places(&fit->places);
	}
	sync_block();
	if (fit->hasPlaces) fit->count_values<threads>(n);
	sync_block();
	if (warp_index() == 0) fit->make_fields();
	fence();
	sync_block();
}
