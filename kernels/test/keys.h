// Several keys as one number: the twin of gpu/keys.go.
#pragma once
#include "partition.h"

// The Fields of keys, the most significant first.
struct KeysWord {
	std::vector<Field> fields;
	u32 bits = 64;
	bool known = true; // no range has to be found
};

inline KeysWord word_of_keys(const std::vector<Column>& keys) {
	KeysWord w;
	w.fields.resize(keys.size());
	u64 weight = 1, greatest = 0;
	for (size_t k = keys.size(); k-- > 0;) {
		const Column& c = keys[k];
		Field& f = w.fields[k];
		f = whole_field(c);
		f.valueBit = c.valueBit, f.descending = c.descending, f.bias = 0;
		bool floating = c.form == FORM_FLOAT, rank = c.form == FORM_RANK,
		     nullable = (c.validity != 0 || rank) && !floating;
		f.last[0] = c.form == FORM_BIT ? 1 : rank ? ~0u - 1 : ~0ull >> (64 - 8 * c.width);
		u64 end = f.last[0] + nullable, first = nullable && c.nullsAtStart;
		if (end < f.last[0] || weight == 0 || end > (~0ull - greatest) / weight) w.known = false;
		f.mul = c.descending ? 0 - weight : weight, f.bias = (c.descending ? first + f.last[0] : first) * weight;
		f.null = (c.nullsAtStart ? 0 : end) * weight, f.nan = (c.nullsAtStart ? 1 : end - 1) * weight;
		greatest += end * weight, weight = greatest + 1;
	}
	if (w.known) w.bits = bits_of(greatest);
	for (size_t k = 0; k < keys.size() && !w.known; k++) w.fields[k].mul = 0, w.fields[k].nan = keys[k].nullsAtStart;
	return w;
}

// The column of numbers of keys whose Fields are there.
inline Column keys_column(const Field* fields, u64 count) {
	Column c = {};
	c.values = (u64)fields, c.form = FORM_KEYS, c.width = 8, c.stride = count;
	return c;
}
