// Fields of several keys for the ranges that a sample finds, so that their numbers fit 64 bits together (FORM_KEYS).
#pragma once
#include "number.h"

const u32 KEY_RANGE_ROWS = 4096; // of the sample
const u32 KEY_MARGIN = 3; // the range of the sample is widened by 1 / 2^3 on both sides

// Reports whether the numbers of several keys fit; if not, the first Field is marked.
DEVICE bool keys_fit(const Field* f) { return f->form != FORM_KEYS || ((const Field*)f->values)->limb == 0; }

// The range of the sampled values, as distances from the base of the type: the complement of the least, and the
// greatest.
struct KeyExtent {
	u64 notLeast, greatest;
};

// Short values, and ranks, keep the range of their type.
DEVICE bool keeps_range(const Field* f) { return f->width < 4 || f->form == FORM_RANK; }

// Adds some rows of a key, by all threads of a block. All loads are in flight before the first is used.
template <u32 threads> DEVICE void measure_key(const Field* f, u64 n, KeyExtent* extent) {
	const u32 items = KEY_RANGE_ROWS / threads;
	u64 mask = ~0ull >> (64 - 8 * f->width), notLeast = 0, greatest = 0, rows = n < KEY_RANGE_ROWS ? n : KEY_RANGE_ROWS,
	    apart = n / rows, x[items];
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
		u64 above = (x[k] - f->base[0]) & mask;
		if (!value) continue;
		notLeast = ~above > notLeast ? ~above : notLeast;
		greatest = above > greatest ? above : greatest;
	}
	notLeast = warp_max(notLeast), greatest = warp_max(greatest);
	if (lane_index() != 0) return;
	atomic_max(&extent->notLeast, notLeast);
	atomic_max(&extent->greatest, greatest);
}

// A KeyFitter assigns numbers to the keys, from the last to the first.
struct KeyFitter {
	u64 weight = 1, greatest = 0; // of the next key, 0 when the number is full; and the greatest number so far
	bool fits = true;

	DEVICE void fit(Field* f, const KeyExtent& extent) {
		u64 least = ~extent.notLeast, top = extent.greatest, most = f->last[0];
		if (keeps_range(f)) least = 0, top = most;
		if (least > top) least = top = 0; // no values
		u64 margin = ((top - least) >> KEY_MARGIN) + 1;
		u64 low = least > margin ? least - margin : 0, last = (most - top > margin ? top + margin : most) - low;
		bool nan = f->form == FORM_FLOAT, null = f->validity != 0 || f->form == FORM_RANK, atStart = f->nan != 0;
		u64 classes = (u64)nan + null, first = atStart ? classes : 0;
		if (last > ~0ull - classes) fits = false;
		u64 end = last + classes;
		if (weight == 0 || end > (~0ull - greatest) / weight) fits = false;
		f->base[0] += low, f->last[0] = last;
		f->mul = f->descending ? 0 - weight : weight, f->bias = (f->descending ? first + last : first) * weight;
		f->null = (atStart ? 0 : end) * weight, f->nan = (atStart ? (u64)null : last + 1) * weight;
		greatest += end * weight;
		weight = fits ? greatest + 1 : 0;
	}
};

// Completes Fields whose ranges are not set, by all threads of a block.
template <u32 threads> DEVICE void fit_keys(const Field* f, u64 n, KeyExtent* extents) {
	Field* fields = (Field*)f->values;
	if (f->form != FORM_KEYS || fields[0].mul != 0) return;
	if (thread_index() < MOST_KEYS) extents[thread_index()] = {0, 0};
	sync_block();
	for (u32 k = 0; k < f->stride; k++) {
		if (!keeps_range(fields + k)) measure_key<threads>(fields + k, n, extents + k);
	}
	sync_block();
	if (thread_index() == 0) {
		KeyFitter fitter;
		for (u32 k = (u32)f->stride; k-- > 0;) fitter.fit(fields + k, extents[k]);
		fields[0].limb = !fitter.fits;
	}
	fence();
	sync_block();
}
