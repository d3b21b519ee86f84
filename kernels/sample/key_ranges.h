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

// Short values, and ranks, keep the range of their type.
DEVICE bool keeps_range(const Field* f) { return f->width < 4 || f->form == FORM_RANK; }

DEVICE u64 type_mask(const Field* f) { return ~0ull >> (64 - 8 * f->width); }

// The words in memory that hold the value of a row of a key, and its bit of validity, for each thread of a block: they
// are copied to shared memory, so that many rows are in flight without registers.
struct KeyRows {
	u64 values[SAMPLE_THREADS];
	u32 validity[SAMPLE_THREADS];

	DEVICE static u64 first_bit(const Field* f, u64 row) {
		return f->values * 8 + (f->form == FORM_BIT ? f->valueBit + row : row * f->stride * 8);
	}
	// The words are there after wait_for_copies.
	DEVICE void fetch(const Field* f, u64 row) {
		copy_async(values + thread_index(), (const u64*)(first_bit(f, row) / 64 * 8));
		if (f->validity) copy_async(validity + thread_index(), (const u32*)f->validity + (f->bit + row) / 32);
	}
	DEVICE u64 value(const Field* f, u64 row) const {
		const u64 mask = f->form == FORM_BIT ? 1 : type_mask(f);
		return values[thread_index()] >> first_bit(f, row) % 64 & mask;
	}
	DEVICE bool is_valid(const Field* f, u64 row) const {
		return f->validity == 0 || validity[thread_index()] >> (f->bit + row) % 32 & 1;
	}
	DEVICE u64 number(const Field* f, u64 row) const {
		return is_valid(f, row) ? number_of_value(f, value(f, row)) : f->null;
	}
};

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
		return KeyRange(f, (0 - f->infinity - f->base[0]) & type_mask(f), 2 * f->infinity);
	}
	DEVICE static KeyRange of_sample(const Field* f, const Extent<u64>& extent) {
		u64 least = extent.least(), top = extent.greatest, most = f->last[0];
		if (keeps_range(f)) return of_type(f);
		if (least > top) least = top = 0; // no values
		u64 margin = ((top - least) >> KEY_MARGIN) * (f->form == FORM_FLOAT ? 3 : 1) + 1,
		    low = least > margin ? least - margin : 0;
		return KeyRange(f, low, (most - top > margin ? top + margin : most) - low);
	}

	DEVICE bool fits(u64 most) const { return most >= classes && last >> shift <= most - classes; }
	DEVICE u64 greatest() const { return (last >> shift) + classes; } // if it fits
	// Adds this key to some whose greatest number that is. Returns false if the numbers of all do not fit 64 bits.
	DEVICE bool extend(u64* greatest) const {
		const u64 mine = last + classes, low = mine * *greatest, sum = low + mine, all = sum + *greatest;
		if (mine < last || multiply_high(mine, *greatest) || sum < low || all < sum) return false;
		*greatest = all;
		return true;
	}
	// Drops as few low bits as possible. Returns false if no two values would differ.
	DEVICE bool shorten(u64 most) {
		if (most <= classes) return false;
		const u32 bits = bit_length(last), kept = bit_length(most - classes);
		shift = bits > kept ? bits - kept : 0;
		shift += !fits(most);
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
DEVICE bool make_places(ValuePlaces* places, const Field* f, const Extent<u64>& extent, u64 most) {
	const u64 mask = type_mask(f);
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

// What the threads of a block share while they make Fields, and read the rows of a sample. Numbers are assigned to keys
// by one thread; what can be done for each key on its own is, by a warp or a lane for each.
struct KeyFit {
	static const u32 items = KEY_RANGE_ROWS / SAMPLE_THREADS, atOnce = 2; // rows of a thread; keys in flight
	static_assert(SAMPLE_THREADS / 32 == MOST_KEYS, "a warp for each key");

	Field fields[2 * MOST_KEYS]; // as they are in memory: those of the keys, then those of the rest
	// The ranges of the sampled values, as distances from the base of the type, and of those that are not infinite.
	Extent<u64> all[MOST_KEYS][32], finite[MOST_KEYS][32]; // those of all warps; later finite of a key is the first
	u64 lows[MOST_KEYS], lasts[MOST_KEYS];                 // of ranges of keys
	u32 keys;
	u32 whole, shift;   // keys that the number has in full; bits that the next lacks, 64 if it has none
	u64 room;           // the greatest number of the next key, or of the last one
	ValuePlaces places; // of the last key
	bool hasPlaces;
	PartCounts byBits, byValues;
	KeyRows rows[items * atOnce];

	// Copies Fields. Reports whether their ranges are not set. By all threads of a block, as what follows.
	DEVICE bool load(const Field* f) {
		keys = (u32)f->stride;
		copy((u64*)fields, (const u64*)f->values);
		sync_block();
		return fields[0].mul == 0;
	}
	DEVICE void copy(u64* to, const u64* from) const {
		for (u32 i = thread_index(); i < 2 * keys * (sizeof(Field) / 8); i += SAMPLE_THREADS) to[i] = from[i];
	}

	// Rows of a sample. Those after the last row are the first one again.
	DEVICE static void draw(u32 n, u32* row) {
		const u32 apart = n < KEY_RANGE_ROWS ? 1 : n / KEY_RANGE_ROWS;
		UNROLL for (u32 k = 0; k < items; k++) {
			const u32 i = thread_index() + k * SAMPLE_THREADS;
			row[k] = i < n ? i * apart + i * 2654435761u % apart : 0;
		}
	}
	DEVICE void fetch(u32 first, const u32* row) {
		ROLLED for (u32 k = first; k < first + atOnce && k < keys; k++) {
			if (keeps_range(fields + k)) continue;
			UNROLL for (u32 i = 0; i < items; i++) rows[(k - first) * items + i].fetch(fields + k, row[i]);
		}
		wait_for_copies();
	}
	// Calls visit(x) for each sampled value of a key that is neither null nor NaN, a float in two's complement.
	template <class Visit> DEVICE void for_sampled(u32 k, u32 first, const u32* row, const Visit& visit) const {
		const Field* f = fields + k;
		const u64 mask = type_mask(f), sign = f->sign, infinity = f->infinity;
		const bool floating = f->form == FORM_FLOAT;
		UNROLL for (u32 i = 0; i < items; i++) {
			const KeyRows& mine = rows[(k - first) * items + i];
			u64 x = mine.value(f, row[i]);
			bool value = mine.is_valid(f, row[i]);
			if (floating) {
				if (x & sign) x = (sign - x) & mask;
				value &= ((x + infinity) & mask) <= 2 * infinity;
			}
			if (value) visit(x);
		}
	}
	DEVICE void measure(u32 k, u32 first, const u32* row) {
		const Field* f = fields + k;
		const u64 base = f->base[0], mask = type_mask(f), infinity = f->infinity;
		Extent<u64> ofAll, ofFinite;
		for_sampled(k, first, row, [&](u64 x) {
			ofAll.add((x - base) & mask);
			if (x != infinity && x != ((0 - infinity) & mask)) ofFinite.add((x - base) & mask);
		});
		ofAll.join_warp(), ofFinite.join_warp();
		if (lane_index() == 0) all[k][warp_index()] = ofAll, finite[k][warp_index()] = ofFinite;
	}
	DEVICE void measure_all(const u32* row) {
		ROLLED for (u32 first = 0; first < keys; first += atOnce) {
			fetch(first, row);
			ROLLED for (u32 k = first; k < first + atOnce && k < keys; k++) {
				if (!keeps_range(fields + k)) measure(k, first, row);
			}
		}
		sync_block();
		const u32 k = warp_index();
		if (k >= keys) return;
		const Field* f = fields + k;
		Extent<u64> ofAll = all[k][lane_index()], ofFinite = finite[k][lane_index()];
		ofAll.join_warp(), ofFinite.join_warp();
		if (lane_index() != 0) return;
		const KeyRange r = KeyRange::of_sample(f, ofAll);
		lows[k] = r.low, lasts[k] = r.last, finite[k][0] = ofFinite;
	}

	DEVICE KeyRange range(u32 k) const { return KeyRange(fields + k, lows[k], lasts[k]); }
	DEVICE u32 last() const { return whole < keys ? whole : keys - 1; } // key of which the number may have a part
	DEVICE u32 numbered() const { return whole + (shift % 64 != 0); }

	// Assigns numbers to keys, and makes places of the last one, by one thread.
	DEVICE void assign() {
		u64 greatest = 0, before = 0; // numbers of the keys so far, without the last one
		for (whole = 0; whole < keys; whole++) {
			before = greatest;
			if (!range(whole).extend(&greatest)) break;
		}
		room = before == ~0ull ? 0 : (~0ull - before) / (before + 1);
		KeyRange r = range(last());
		shift = whole == keys ? 0 : r.shorten(room) ? r.shift : 64;
		const Field* f = fields + last();
		hasPlaces = f->form == FORM_FLOAT && !keeps_range(f) && room > r.classes &&
		            make_places(&places, f, finite[last()][0], room - r.classes);
	}
	// Counts the sampled values of the last key.
	DEVICE void count_values(const u32* row) {
		const u32 k = last(), first = k / atOnce * atOnce;
		const Field* f = fields + k;
		const u64 mask = type_mask(f);
		const KeyRange r = range(k);
		if (first + atOnce < keys) fetch(first, row); // others have been fetched since
		for_sampled(k, first, row, [&](u64 x) {
			byBits.add((x - f->base[0] - r.low) & mask, r.last);
			if (x & f->sign) x = (f->sign - x) & mask;
			byValues.add(places.of(f->width == 4 ? as_double((u32)x) : as_double(x)), places.last);
		});
	}

	// By one warp, a lane for each key: makes the Fields of the rest. Returns false if it has more than 64 bits.
	DEVICE bool make_rest(bool byValue) {
		const u32 k = lane_index();
		Field* rest = fields + keys + k;
		bool fits = true;
		u32 bits = 0, all;
		if (k < keys && k >= (byValue ? last() : whole)) {
			*rest = fields[k];
			if (!byValue && k < numbered()) { // the low bits
				rest->base[0] += lows[k], rest->mask = (1ull << shift) - 1;
				rest->mul = rest->descending ? ~0ull : 1, rest->bias = rest->descending ? ~0ull : 0;
				rest->null = rest->nan = 0;
			} else {
				KeyRange r = KeyRange::of_type(rest);
				fits = r.fits(~0ull);
				r.number(rest, 1);
				rest->mask = ~0ull >> (64 - bit_length(r.greatest()));
			}
			bits = bit_length(rest->mask);
		}
		const u32 before = warp_exclusive_sum(bits, &all);
		if (bits) rest->up = all - before - bits;
		return vote(!fits) == 0 && all <= 64;
	}
	// The same for the Fields of the number, of the last key by its places if that is wanted. The rest is made before.
	DEVICE void make_number(bool byValue) {
		const u32 k = lane_index(), count = byValue ? last() + 1 : numbered();
		Field* f = fields + k;
		KeyRange r(f, 0, places.last);
		if (k < count && !(byValue && k == last())) r = range(k);
		if (k < count && !byValue && k == whole) r.shift = shift;
		u64 weight = 1;
		for (u32 next = count; next-- > 1;) {
			const u64 numbers = shuffle(r.greatest() + 1, next);
			if (k < next) weight *= numbers;
		}
		if (k >= count) return;
		r.number(f, weight);
		if (!byValue || k < last()) return;
		f->form = FORM_FLOAT_VALUE;
		f->base[1] = pattern_of(places.factor), f->base[2] = pattern_of(places.offset), f->last[1] = places.last;
	}
	DEVICE void make_fields() {
		bool byValue = hasPlaces && byValues.most() < byBits.most();
		byValue = byValue && make_rest(true);
		const bool fits = byValue || make_rest(false);
		make_number(byValue);
		if (lane_index() == 0) fields[0].limb = !fits;
	}

	// Completes the Fields.
	DEVICE void fit(u32 n) {
		u32 row[items];
		draw(n, row);
		if (thread_index() < PartCounts::parts) byBits.rows[thread_index()] = byValues.rows[thread_index()] = 0;
		measure_all(row);
		sync_block();
		if (thread_index() == 0) assign();
		sync_block();
		if (hasPlaces) count_values(row);
		sync_block();
		if (warp_index() == 0) make_fields();
		sync_block();
	}
};
static_assert(sizeof(KeyFit) <= SAMPLE_BYTES, "the shared memory of sample");

// Loads the Fields of several keys, and completes those whose ranges are not set, by all threads of a block. Separate
// code, which takes registers.
NOINLINE void fit_keys(const Field* f, u64 n, KeyFit* fit) {
	if (f->form != FORM_KEYS || !fit->load(f)) return;
	fit->fit((u32)n);
	fit->copy((u64*)f->values, (const u64*)fit->fields);
}

// The numbers of two rows, by a thread. The words of some keys are in flight at a time.
struct NumberPair {
	u64 number[2];
};
NOINLINE NumberPair numbers_of_pair(KeyFit* fit, u64 row, u64 next) {
	const u32 atOnce = sizeof fit->rows / sizeof *fit->rows / 2;
	NumberPair sum = {};
	ROLLED for (u32 first = 0; first < fit->keys; first += atOnce) {
		u32 end = first;
		ROLLED for (; end < first + atOnce && end < fit->keys && fit->fields[end].mul != 0; end++) {
			KeyRows* mine = fit->rows + 2 * (end - first);
			mine[0].fetch(fit->fields + end, row), mine[1].fetch(fit->fields + end, next);
		}
		wait_for_copies();
		ROLLED for (u32 k = first; k < end; k++) {
			const KeyRows* mine = fit->rows + 2 * (k - first);
			sum.number[0] += mine[0].number(fit->fields + k, row);
			sum.number[1] += mine[1].number(fit->fields + k, next);
		}
	}
	return sum;
}
