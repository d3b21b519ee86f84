// A plan for one key column of 4 or 8 bytes, from its statistics: what keyencode.NewPlan makes of such columns, for
// tests and benchmarks that run without Go.
#pragma once
#include "argsort.h"

struct WordPlan {
	Field field;
	u32 bits;  // of the code; 0: all rows tie
	bool fits; // in one word; otherwise a leading class bit would be needed
};

inline WordPlan plan_word(const Column& c, const Statistics& s, u64 n) {
	u64 values = n - s.nulls - s.nans, least = ~s.notMin[0], greatest = s.max[0];
	u64 varying = s.any & s.notAll, shift = varying ? __builtin_ctzll(varying) : 0;
	u64 span = values ? (greatest - least) >> shift : 0, extra = (s.nulls > 0) + (s.nans > 0);
	WordPlan p = {};
	Field& f = p.field;
	f.values = c.values, f.validity = s.nulls ? c.validity : 0, f.bit = c.bit;
	f.form = c.form, f.width = c.width, f.stride = c.stride, f.sign = c.sign, f.infinity = c.infinity;
	f.base[0] = values ? least ^ c.signBit : 0, f.shift = shift, f.mul = 1, f.mask = ~0ull;
	p.fits = !values || span <= ~0ull - extra;
	u64 first = 0, next = values ? span + 1 : 0;
	if (c.nullsAtStart) {
		f.null = 0, f.nan = s.nulls > 0, first = extra;
	} else {
		f.nan = next, f.null = next + (s.nans > 0);
	}
	f.bias = first;
	if (c.descending) f.mul = ~0ull, f.bias = first + span;
	u64 top = values ? extra + span : extra > 1 ? extra - 1 : 0;
	p.bits = bits_of(top);
	return p;
}

// The statistics of a column of which nothing is known but that it has values, in no order: for early decisions.
inline Statistics widest(const Column& c, u32 bits) {
	Statistics s = {};
	u64 all = ~0ull >> (64 - bits);
	bool floating = c.form == FORM_FLOAT;
	s.nulls = c.validity != 0, s.nans = floating;
	s.notMin[0] = floating ? ~((0 - c.infinity) & all ^ c.signBit) : ~0ull;
	s.max[0] = floating ? c.infinity ^ c.signBit : all;
	s.any = s.notAll = all;
	s.rises = s.ties = s.falls = 1;
	return s;
}
