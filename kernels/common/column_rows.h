// The rows of a column of 4 or 8 bytes that a warp reads, and their codes. Loading is a separate step, so that other
// work overlaps it.
#pragma once
#include "common/number.h"

// A Place is the rows of a warp.
struct Place {
	u64 first; // the warp's first row
	u32 left;  // its rows up to the end of the tile

	DEVICE Place(u64 first, u64 end, u32 most) : first(first) {
		u64 rows = end > first ? end - first : 0;
		left = rows < most ? (u32)rows : most;
	}
	template <int items> DEVICE bool whole() const { return left == 32 * items; }
	DEVICE bool has(u32 i) const { return 32 * i + lane_index() < left; }
};

// Loads the items of a lane by get, from its first row on, all in flight before the first is used. Those after the end
// are not read, and missing.
template <int items, class Word, class Get>
DEVICE void load_items(const Place& p, Word* x, Word missing, const Get& get) {
	if (p.template whole<items>()) {
		UNROLL for (int i = 0; i < items; i++) x[i] = get(32 * i);
	} else {
		UNROLL for (int i = 0; i < items; i++) {
			x[i] = missing;
			if (p.has(i)) x[i] = get(32 * i);
		}
	}
}

// Sets the items after the end to the greatest word.
template <int items, class Word> DEVICE void fill_missing(const Place& p, Word* x) {
	if (p.template whole<items>()) return;
	UNROLL for (int i = 0; i < items; i++) {
		if (!p.has(i)) x[i] = (Word)~0ull;
	}
}

template <class Word, int items> struct ColumnRows {
	Word x[items];
	u32 valid[2]; // lane k has the bits of item k, and of item 32 + k, of all lanes
	const Field* field;

	DEVICE explicit ColumnRows(const Field* f) : field(f) {}

	template <class Value> DEVICE void load_values(const Place& p) {
		const Value* values = (const Value*)field->values + p.first + lane_index();
		load_items<items>(p, x, (Word)0, [=](int i) { return ::load(values + i); });
	}
	DEVICE void load(const Place& p) {
		static_assert(items <= 64, "two words of validity");
		if (sizeof(Word) == 4 || field->width == 4) load_values<u32>(p);
		else load_values<u64>(p);
		if (field->validity == 0) return;
		UNROLL for (u32 k = 0; k < 2; k++) {
			u64 bit = field->bit + p.first + 32 * (lane_index() + 32 * k);
			valid[k] = bits_at((const u32*)field->validity, bit, field->bit + p.first + p.left);
		}
	}

	// Turns values into codes, and items after the end into the greatest word.
	DEVICE void encode(const Place& p) {
		LinearOf<Word> linear(field); // read again for each tile, so that it takes no registers in between
		if (linear.moves()) {
			Word by = linear.bias - linear.base;
			UNROLL for (int i = 0; i < items; i++) x[i] += by;
		} else if (linear.plain()) {
			UNROLL for (int i = 0; i < items; i++) x[i] = linear.plain_number(x[i]);
		} else if (linear.floating) {
			UNROLL for (int i = 0; i < items; i++) x[i] = linear.float_number(x[i]);
		} else {
			UNROLL for (int i = 0; i < items; i++) x[i] = linear.integer_number(x[i]);
		}
		if (field->validity != 0) {
			UNROLL for (int i = 0; i < items; i++) {
				if (!(shuffle(valid[i / 32], i % 32) >> lane_index() & 1)) x[i] = linear.null;
			}
		}
		fill_missing<items>(p, x);
	}
};
