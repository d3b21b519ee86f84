// The twins of kernels/*.cu: what they compute by the contract of kernels/abi.h, in the plainest way, one row after
// another. What a single row has is read by the kernels' own functions. The twins check the arguments of package gpu;
// emulated.cc runs the kernels themselves.
#include "standin.h"
#include "common/fixed_point.h"
#include "sample/buckets.h"
#include "statistics/code.h"
#include "text/strings.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

template <class T> T* at(u64 address) { return (T*)address; }

void expect(bool ok, const char* what) {
	if (ok) return;
	fprintf(stderr, "stand-in: %s\n", what);
	abort();
}

bool bit(u64 bitmap, u64 i) { return at<u8>(bitmap)[i / 8] >> (i % 8) & 1; }

u64 little(u64 address, u64 width) {
	u64 x = 0;
	memcpy(&x, at<u8>(address), width);
	return x;
}

u64 low(u64 bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

enum Class { VALUE, NAN_, NULL_ };

// The class of a row, and the number of a value before the sign bit is flipped; not of a decimal.
Class read(const Values& c, u64 row, u64* number) {
	if (c.form == FORM_NONE || (c.validity != 0 && !bit(c.validity, c.bit + row))) return NULL_;
	if (c.form == FORM_CLASS || c.form == FORM_DECIMAL) return VALUE;
	u64 x = raw_value(&c, row);
	if (c.form == FORM_RANK && x-- == 0) return NULL_;
	if (c.form == FORM_FLOAT) {
		const u64 width = low(8 * c.width);
		if (x & c.sign) x = (c.sign - x) & width;
		if (((x + c.infinity) & width) > 2 * c.infinity) return NAN_;
	}
	*number = x;
	return VALUE;
}
Class class_of(const Values& c, u64 row) {
	u64 number;
	return read(c, row, &number);
}

void statistics(const u64* a) {
	const Column& c = *at<Column>(a[0]);
	Statistics& s = *at<Statistics>(a[2]);
	Limbs last = {}, &notMin = *at<Limbs>((u64)s.notMin), &max = *at<Limbs>((u64)s.max);
	Class lastClass = VALUE;
	for (u64 row = 0; row < a[1]; row++) {
		Limbs v = {};
		Class k = read(c, row, v.limb);
		if (k == VALUE) {
			v.limb[0] ^= c.signBit;
			if (c.form == FORM_DECIMAL) v = decimal_at(c.values, c.width, row);
			const Limbs complement = {{~v.limb[0], ~v.limb[1], ~v.limb[2], ~v.limb[3]}};
			if (compare(complement, notMin) > 0) notMin = complement;
			if (compare(v, max) > 0) max = v;
			s.any |= v.limb[0];
			s.notAll |= ~v.limb[0];
		}
		s.nulls += k == NULL_;
		s.nans += k == NAN_;
		if (row > 0) {
			int step = (int)k - (int)lastClass;
			if (c.nullsAtStart) step = -step;
			if (step == 0 && k == VALUE) step = c.descending ? compare(last, v) : compare(v, last);
			(step > 0 ? s.rises : step < 0 ? s.falls : s.ties) = 1;
		}
		last = v, lastClass = k;
	}
}

u64 word(const Field& f, u64 row) { return code_word(&f, 1, row); }

void encode(const u64* a) {
	for (u64 i = 0; i < a[2]; i++) at<u64>(a[4])[i] = code_word(at<Field>(a[0]), a[1], a[3] ? at<u32>(a[3])[i] : i);
}

// The integer of a row's float; false if it has none.
bool fixed_integer(const Values& c, u64 row, const FixedPoint& map, u64* integer) {
	const u64 pattern = raw_value(&c, row);
	return c.width == 4 ? map.make((u32)pattern, integer) : map.make(pattern, integer);
}

void encode_fixed_point(const u64* a) {
	const Field& f = *at<Field>(a[0]);
	FixedPointState& state = *at<FixedPointState>(a[3]);
	const FixedPoint map(as_double(f.base[1]));
	u32 any = 0, notAll = 0;
	expect(f.form == FORM_FLOAT && f.stride == f.width && (f.width == 4 || f.width == 8), "a column of no floats");
	expect(f.nan < 1ull << 32 && f.null < 1ull << 32 && f.last[1] < 1ull << 32, "codes of more than 32 bits");
	expect(state.any == 0 && state.notAll == 0 && state.misfit == 0 && state.ticket == 0 && *at<u64>(a[4]) == 0,
	       "words that are not zero");
	for (u64 row = 0; row < a[1]; row++) {
		u64 integer = 0;
		u32 code = 0;
		if (const Class cls = class_of(f, row)) {
			code = (u32)(cls == NAN_ ? f.nan : f.null);
		} else if (fixed_integer(f, row, map, &integer) && integer - f.base[2] <= f.last[1]) {
			u64 whole = f.bias + (integer - f.base[2]) * f.mul;
			code = (u32)whole;
			expect(whole >> 32 == 0 && code != f.nan && code != f.null, "a code that is cut, or that of a class");
		} else {
			state.misfit = 1;
		}
		any |= code, notAll |= ~code;
		at<u32>(a[2])[row] = code;
	}
	*at<u64>(a[4]) = state.misfit ? +STATUS_DECLINED : STATUS_ACCEPTED | (u64)(any & notAll) * STATUS_CONSTANT;
}

// A field that histogram and digit binning read by themselves.
void expect_column(const Field& f) {
	bool form = f.form == FORM_INTEGER || f.form == FORM_FLOAT || f.form == FORM_RANK;
	expect(form && f.down == 0 && f.up == 0 && f.stride == f.width && (f.width == 4 || f.width == 8),
	       "a field that has to be encoded first");
}

void expect_keys(const Field& keys) {
	bool bits = true;
	for (u64 k = 0; k < keys.stride; k++) {
		const Field &f = at<Field>(keys.values)[k], &rest = at<Field>(keys.values)[keys.stride + k];
		expect(rest.mask == 0 && rest.values == 0, "a rest that the sample has not made");
		bool integer = f.form == FORM_INTEGER || f.form == FORM_FLOAT || f.form == FORM_RANK;
		expect(f.form == FORM_BIT || (integer && f.stride == f.width), "a key of another form");
		expect(f.shift == 0 && f.down == 0 && f.up == 0 && f.mask == ~0ull && f.last[0] > 0, "a key of another number");
		bits &= f.form == FORM_BIT;
	}
	expect(!bits && keys.stride <= MOST_KEYS && keys.width == 8, "keys that are not read as one");
}

u64 byte_of(u64 word, u64 i) { return word >> 8 * i & 255; }

// The counts, then which digits are constant, which it returns, then the tickets of blocks; and words that are cleared.
u64 count_digits(const Field& f, u64 n, u64 shifts, u64 bits, u64 digits, u64 memory, u64 status, u64 statusWords) {
	expect_column(f);
	expect(digits >= 1 && digits <= MAX_DIGITS, "a wrong number of digits");
	expect(statusWords % 4 == 0, "status words that are not in fours");
	u32* counts = at<u32>(memory);
	u64& constant = *at<u64>(memory + MAX_DIGITS * RADIX_BINS * 4);
	for (u64 i = 0; i < MAX_DIGITS * RADIX_BINS; i++)
		expect(counts[i] == 0 && constant == 0, "counts that are not zero");
	for (u64 row = 0; row < n; row++) {
		u64 code = word(f, row);
		for (u64 d = 0; d < digits; d++)
			counts[d * RADIX_BINS + (code >> byte_of(shifts, d) & low(byte_of(bits, d)))]++;
	}
	for (u64 d = 0; d < digits; d++) {
		u32 *bins = counts + d * RADIX_BINS, sum = 0;
		for (int i = 0; i < RADIX_BINS; i++) {
			u32 rows = bins[i];
			if (rows == n) constant |= 1ull << d;
			bins[i] = sum;
			sum += rows;
		}
	}
	memset(at<u32>(status), 0, statusWords * 4);
	return constant;
}

void histogram(const u64* a) { count_digits(*at<Field>(a[0]), a[1], a[2], a[3], a[4], a[5], a[6], a[7]); }

// A sort of few rows: by class, unless null and NaN are numbers, then by number.
void small_sort(const u64* a, u64 most) {
	const SmallSort& job = *(const SmallSort*)a;
	const Field& f = job.field;
	u64 n = job.n, classes = job.classes;
	expect(n <= most, "too many rows for one launch");
	expect(f.form != FORM_DECIMAL && f.form != FORM_CLASS && f.down == 0 && f.up == 0,
	       "a field that has to be encoded first");
	std::vector<std::pair<int, u64>> keys;
	std::vector<u32> rows;
	for (u64 i = 0; i < n; i++) {
		int place = classes ? (int)class_of(f, i) : 0;
		keys.push_back({classes == 2 ? -place : place, place ? 0 : any_number(&f, i)});
		rows.push_back((u32)i);
	}
	std::stable_sort(rows.begin(), rows.end(), [&](u32 x, u32 y) { return keys[x] < keys[y]; });
	for (u64 i = 0; i < n; i++) at<u32>(job.out)[i] = job.in ? at<u32>(job.in)[rows[i]] : rows[i];
}

void cluster(const u64* a, u64 blocks) {
	expect(blocks == CLUSTER_BLOCKS, "a grid that is not the cluster");
	small_sort(a, CLUSTER_ROWS);
}

// Whether more than one row in eight of few has the same number, and rows are in no order: what the twin of a grid
// declines.
bool oversized(const SmallSort& job) {
	std::map<u64, u64> rows;
	u64 most = 0, last = 0;
	bool rises = false, falls = false;
	for (u64 i = 0; i < job.n; i++) {
		u64 x = job.classes && class_of(job.field, i) != VALUE ? 0 : any_number(&job.field, i);
		most = std::max(most, ++rows[x]);
		rises |= i > 0 && x > last, falls |= i > 0 && x < last;
		last = x;
	}
	return most > job.n / 8 && rises && falls;
}

// The column with the code of null: the greatest, or with nulls at the start the least, that has the digits which the
// values of some rows have in common, unless a value sorts beyond it; these digits.
Field code_null(const CooperativeSort& job, u64 every, u64* constant) {
	const DigitCounts& d = job.digits;
	Field f = d.field;
	u64 any = 0, notAll = 0, varying = 0;
	for (u64 i = 0; i < job.small.n; i += every) {
		if (d.codesNull && class_of(f, i) != VALUE) continue;
		any |= word(f, i), notAll |= ~word(f, i);
	}
	if (any == 0 && notAll == 0) any = notAll = ~0ull;
	for (u64 digit = 0; digit < d.count; digit++) {
		u64 mask = low(byte_of(d.bits, digit)) << byte_of(d.shifts, digit);
		if (any & notAll & mask) varying |= mask;
		else *constant |= 1ull << digit;
	}
	const bool atEnd = job.small.classes == 1;
	const u64 code = atEnd ? any | varying : any & ~varying;
	bool beyond = !d.codesNull;
	for (u64 i = 0; i < job.small.n; i++)
		beyond |= class_of(f, i) == VALUE && (atEnd ? word(f, i) > code : word(f, i) < code);
	if (!beyond) f.null = code;
	return f;
}

// Whether a value has the code of null.
bool null_shares(const Field& f, u64 n) {
	for (u64 i = 0; i < n; i++) {
		if (class_of(f, i) == VALUE && word(f, i) == f.null) return true;
	}
	return false;
}

u64 n_of_nulls(const SmallSort& job) {
	u64 nulls = 0;
	for (u64 i = 0; i < job.n; i++) nulls += class_of(job.field, i) != VALUE;
	return nulls;
}

// The same for cooperative sorts, with memory for records and shared state.
void cooperative(const u64* a, u64 blocks) {
	const CooperativeSort& job = *(const CooperativeSort*)a;
	const CooperativeState& state = *at<CooperativeState>(job.state);
	expect(state.steps == 0, "state that is not zero");
	for (u32 count : state.counts) expect(count == 0, "state that is not zero");
	expect(*at<u64>(job.status) == 0, "a word that is not zero");
	u64 most = std::min<u64>(COOPERATIVE_ROWS, COOPERATIVE_ITEMS * COOPERATIVE_THREADS * blocks);
	expect(job.small.n <= most, "too many rows for one launch");
	memset(at<u8>(job.numbers), 0xA5, job.small.n * 8), memset(at<u8>(job.tags), 0xA5, job.small.n * 4),
	    memset(at<u8>(job.totals), 0xA5, blocks * 4 * (1 + COOPERATIVE_FULL));
	bool declines = oversized(job.small);
	u64 status = declines ? STATUS_DECLINED : STATUS_ACCEPTED;
	const DigitCounts& d = job.digits;
	if (!declines) small_sort(a, most);
	else if (d.counts) {
		expect(d.countsWords % 4 == 0 && (d.field.width == 8 || d.count <= HALF_DIGITS),
		       "digits that a grid does not count");
		memset(at<u32>(d.counts), 0, d.countsWords * 4);
		expect(!d.codesNull || job.small.classes, "nulls that are numbers");
		u64 seem = 0; // constant, for every other sort in a sample
		const Field f = code_null(job, job.small.n % 2 ? 50 : 1, &seem);
		*at<Field>(d.column) = f;
		u64 constant = count_digits(f, job.small.n, d.shifts, d.bits, d.count, d.counts, d.status, d.statusWords);
		bool shared = d.codesNull && null_shares(f, job.small.n);
		expect(*at<u64>(d.report) == 0, "a word that is not zero");
		*at<u64>(d.report) =
		    STATUS_COUNTED | (shared ? +STATUS_SHARES_NULL : 0) | constant * STATUS_CONSTANT;
		if (shared) *at<u64>(job.totals) = n_of_nulls(job.small); // what place_nulls expects
		status |= STATUS_COUNTED | seem * STATUS_CONSTANT;
	}
	*at<u64>(job.status) = status;
}

// Parts nulls from values with their code, which are adjacent.
void place_nulls(const u64* a) {
	const CooperativeSort& job = *(const CooperativeSort*)a;
	const Field& f = *at<Field>(job.digits.column);
	const u64 n = job.small.n;
	expect(*at<u64>(job.totals) == n_of_nulls(job.small), "nulls that are not counted");
	u32* out = at<u32>(job.small.out);
	std::vector<u32> nulls, values;
	u64 first = n;
	for (u64 i = 0; i < n; i++) {
		if (word(f, out[i]) != f.null) continue;
		if (nulls.empty() && values.empty()) first = i;
		expect(i == first + nulls.size() + values.size(), "nulls that are not adjacent");
		(class_of(f, out[i]) == VALUE ? values : nulls).push_back(out[i]);
	}
	if (job.small.classes != 1) std::swap(nulls, values);
	values.insert(values.end(), nulls.begin(), nulls.end());
	expect(first == (job.small.classes == 1 ? n - values.size() : 0), "nulls within the result");
	std::copy(values.begin(), values.end(), out + first);
}

// Dictionary encoding. The twin's hash is the complement, and its slots are filled one after another, from the last on.
const u64 NO_PREFIX = ~0ull; // whose hash is that of a free slot

void sample_codes(const u64* a) {
	const Field& f = *at<Field>(a[0]);
	expect_column(f);
	expect(a[2] >= 1 && a[2] <= a[1], "a sample of more rows than there are");
	for (u64 i = 0; i < a[2]; i++) at<u64>(a[3])[i] = word(f, i * a[1] / a[2]);
	memset(at<u8>(a[4]), 0, sizeof(PrefixCounts));
}

void count_prefixes(const u64* a, u64 blocks) {
	expect(blocks % 64 == 0 && blocks > 0, "a grid without a block for each shift");
	std::vector<u64> codes;
	for (u64 i = 0; i < a[2]; i++) codes.push_back(at<u64>(a[0])[at<u32>(a[1])[i]]);
	expect(std::is_sorted(codes.begin(), codes.end()), "codes that are not sorted");
	PrefixCounts& all = *at<PrefixCounts>(a[3]);
	expect(all.varying == 0, "counts that are not zero");
	for (u64 code : codes) all.varying |= code ^ codes[0];
	for (u64 shift = 0; shift < 64; shift++) {
		std::map<u64, u64> rows;
		for (u64 code : codes) rows[code >> shift]++;
		u64* counts = all.prefixes[shift];
		for (int k = 0; k < 3; k++) expect(counts[k] == 0, "counts that are not zero");
		counts[0] = rows.size();
		for (auto& [prefix, n] : rows) {
			if (n <= 2) counts[n]++;
		}
	}
}

void dictionary_insert(const u64* a) {
	const Field& f = *at<Field>(a[0]);
	u64 n = a[1], shift = a[2], *slots = at<u64>(a[3]), slotBits = a[4], most = a[5];
	expect_column(f);
	u32* state = at<u32>(a[6]);
	expect(shift < 64 && slotBits < 32 && most < 1ull << slotBits, "a dictionary of another kind");
	for (u64 i = 0; i < 1ull << slotBits; i++) expect(slots[i] == 0, "slots that are not zero");
	for (int i = 0; i < 4; i++) expect(state[i] == 0, "state that is not zero");
	memset(at<u8>(a[7]), 0xA5, n * 4);
	std::map<u64, u32> found;
	for (u64 row = 0; row < n; row++) {
		u64 prefix = word(f, row) >> shift;
		auto [entry, isNew] = found.insert({prefix, (u32)found.size()});
		if (found.size() > most + row % 2 || prefix == NO_PREFIX) { // soon after there are more than most
			state[1] = 1;
			return;
		}
		u32 slot = ((1u << slotBits) - 1) - entry->second;
		slots[slot] = ~prefix, at<u32>(a[7])[row] = slot;
	}
}

void dictionary_list(const u64* a) {
	u64 slotBits = a[1], most = a[4];
	u32& count = *at<u32>(a[5]);
	expect(count == 0 && most < 1ull << slotBits, "a dictionary of another kind");
	for (u64 slot = 0; slot < 1ull << slotBits; slot++) {
		if (at<u64>(a[0])[slot] == 0) continue;
		if (count < most) at<u64>(a[2])[count] = ~at<u64>(a[0])[slot], at<u32>(a[3])[count] = (u32)slot;
		count++;
	}
}

void dictionary_ranks(const u64* a) {
	for (u64 i = 0; i < a[1]; i++) at<u32>(a[3])[at<u32>(a[2])[at<u32>(a[0])[i]]] = (u32)i;
}

void dictionary_encode(const u64* a) {
	u64 shift = a[2], width = a[6];
	expect(shift > 0 && shift < 64 && (width == 4 || width == 8), "codes of another kind");
	const Field& f = *at<Field>(a[0]);
	expect(a[5] + a[1] * width <= f.values || a[5] >= f.values + a[1] * f.width, "codes in the memory of the column");
	for (u64 row = 0; row < a[1]; row++) {
		u64 rank = at<u32>(a[4])[at<u32>(a[3])[row]];
		u64 code = rank << shift | (word(f, row) & low(shift));
		expect(width == 8 || code >> 32 == 0, "a code that is cut");
		memcpy(at<u8>(a[5]) + row * width, &code, width);
	}
}

enum Records { FIELD, WIDE, PACKED, ROWS, VALUES };

// The value that a column of integers has for a number of its field, which is over the whole range of the type.
u64 value_of(const Field& f, u64 number) { return (f.base[0] + (number - f.bias) * f.mul) & low(8 * f.width); }

void binning(const u64* a, Records in, Records out, u64 blocks) {
	const Field* f = at<Field>(a[0]);
	u64 rowBits = a[5], restIn = a[6] & 255, lift = a[6] >> 8 & 255, to = a[6] >> 16 & 255, restOut = a[6] >> 24,
	    first = a[7], strip = a[8], shift = a[9], bits = a[10], status = a[13], phase = a[15];
	u64 tile = in == VALUES && f->width == 4                                  ? BINNING_VALUE_TILE
	           : in == WIDE || out == WIDE || (in == FIELD && out == ROWS) ? BINNING_WIDE_TILE
	                                                                       : BINNING_TILE,
	    tiles = (strip + tile - 1) / tile;
	expect(blocks == tiles, "a grid that is not for the tiles of the strip");
	expect(bits >= 1 && bits <= RADIX_BITS && shift + bits <= 64, "a digit out of the code");
	expect(*at<u32>(a[14]) == 0, "a ticket that is not zero");
	*at<u32>(a[14]) = 1;
	for (u64 t = 0; t < tiles; t++) {
		u64 words = status + t * RADIX_BINS * 4;
		if (phase == 0) {
			for (int i = 0; i < RADIX_BINS; i++) expect(at<u32>(words)[i] == 0, "status words that are not zero");
		} else {
			for (int i = 0; i < RADIX_BINS; i++) expect(at<u32>(words)[i] == phase, "status words of another pass");
		}
		for (int i = 0; i < RADIX_BINS; i++) at<u32>(words)[i] = (u32)phase + 1;
	}
	u64 below = in == FIELD ? 0 : rowBits;
	if (out == WIDE) expect(below + lift <= to && to < 64 && restOut <= 4, "parts that are none");
	if (in == FIELD || in == VALUES) expect_column(*f);
	if (in == VALUES) expect(f->form == FORM_INTEGER && f->validity == 0, "values that are not alone");
	u32 places[RADIX_BINS];
	memcpy(places, at<u32>(a[11]), sizeof places);
	for (u64 i = first; i < first + strip; i++) {
		u64 code, row;
		switch (in) {
		case FIELD: code = word(*f, i), row = i; break;
		case VALUES: {
			Field here = *f;
			here.values = a[1], code = word(here, i) & low(8 * f->width), row = 0;
			break;
		}
		case WIDE:
			code = at<u64>(a[1])[i] >> rowBits,
			row = little(a[2] + i * restIn, restIn) << rowBits | (at<u64>(a[1])[i] & low(rowBits));
			break;
		default: code = at<u64>(a[1])[i] >> rowBits, row = at<u64>(a[1])[i] & low(rowBits);
		}
		u64 place = places[code >> shift & low(bits)]++;
		if (out == PACKED) at<u64>(a[3])[place] = code << rowBits | row;
		if (out == WIDE) {
			u64 rest = row >> to;
			at<u64>(a[3])[place] = code >> (to - lift - below) << to | (row & low(to));
			expect(rest >> 8 * restOut == 0, "a row that is cut");
			memcpy(at<u8>(a[4]) + place * restOut, &rest, restOut);
		}
		if (out == ROWS) at<u32>(a[4])[place] = (u32)row;
		if (out == VALUES) {
			u64 value = value_of(*f, code);
			memcpy(at<u8>(a[3]) + place * f->width, &value, f->width);
		}
	}
	if (a[12]) memcpy(at<u32>(a[12]), places, sizeof places);
}

// Partition and bucket sort. The twins need no bucket ranges, samples and heavy values. They write all of the memory
// that they are passed, so that too little shows. The numbers of a field over the whole range of its type order as its
// rows do, but for classes.
struct Numbered {
	Class cls;
	u64 number;
	std::vector<Numbered> others = {}; // the keys after the first, where they have no number together
	bool operator==(const Numbered& r) const { return cls == r.cls && number == r.number && others == r.others; }
	bool operator<(const Numbered& r) const {
		return cls != r.cls ? cls < r.cls : number != r.number ? number < r.number : others < r.others;
	}
};

// Whether the sample has to find ranges of keys. The twins need none: they compare key by key.
bool has_ranges(const Field& f) { return f.form == FORM_KEYS && at<Field>(f.values)->mul == 0; }
Numbered key_of(const Field& f, u64 row) {
	u64 number;
	Class cls = read(f, row, &number);
	if (cls != VALUE) return {f.nan ? (Class)(NULL_ - cls) : cls, 0};
	u64 above = (number - f.base[0]) & low(8 * f.width);
	return {f.nan ? NULL_ : VALUE, f.descending ? ~above : above};
}

Numbered numbered(const Buckets& b, u64 row) {
	const Field& f = b.field;
	if (has_ranges(f)) {
		Numbered all = {VALUE, 0};
		for (u64 k = 0; k < f.stride; k++) all.others.push_back(key_of(at<Field>(f.values)[k], row));
		return all;
	}
	if (f.form == FORM_KEYS) return {VALUE, code_word(at<Field>(f.values), f.stride, row)};
	Class cls = class_of(f, row);
	if (cls != VALUE) return {b.column.nullsAtStart ? (Class)(NULL_ - cls) : cls, 0};
	return {b.column.nullsAtStart ? NULL_ : VALUE, word(f, row) & low(b.codeBits)};
}
bool is_value(const Buckets& b, const Numbered& r) { return r.cls == (b.column.nullsAtStart ? NULL_ : VALUE); }
u32 prefix_of(const Buckets& b, u64 number) {
	return b.codeBits > 32 ? (u32)(number >> (b.codeBits - 32)) : (u32)(number << (32 - b.codeBits));
}
u32 bucket_of(const Buckets& b, u64 record) { return (u32)(record >> 32 >> (32 - b.bits)); }
u64 record_of(const Buckets& b, u64 row) { return (u64)prefix_of(b, numbered(b, row).number) << 32 | row; }
u64 ranges_of(const Buckets& b) { return (b.n + BUCKET_RANGE_ROWS - 1) / BUCKET_RANGE_ROWS; }
u64 tiles_of(const Buckets& b) { return (b.n + first_tile(&b) - 1) / first_tile(&b); }

Statistics statistics_of(const Buckets& b) {
	Statistics s = {};
	for (u64 row = 1; row < b.n && b.field.form == FORM_KEYS; row++) {
		Numbered last = numbered(b, row - 1), number = numbered(b, row);
		(last < number ? s.rises : number < last ? s.falls : s.ties) = 1;
	}
	if (b.field.form == FORM_KEYS) return s;
	const u64 arguments[] = {(u64)&b.column, b.n, (u64)&s};
	statistics(arguments);
	return s;
}
bool in_order(const Statistics& s) { return !s.falls || (!s.rises && !s.ties); }

// Reports whether the leading rows are fixed-point floats; others may be none, or out of their range.
bool finds_fixed_point(const Buckets& b) {
	u64 least = ~0ull, greatest = 0, digits = b.n % 3, integer;
	const FixedPoint map(pow(10, (double)digits));
	for (u64 row = 0; row < b.n && row < 200; row++) {
		if (class_of(b.field, row) != VALUE) continue;
		if (!fixed_integer(b.field, row, map, &integer)) return false;
		least = std::min(least, integer), greatest = std::max(greatest, integer);
	}
	if (least > greatest || (greatest - least) >> 27) return false;
	Report& report = *at<Report>(b.report);
	at<Decision>(b.decision)->order = ORDER_FIXED_POINT;
	report.statistics.notMin[0] = ~least, report.statistics.max[0] = greatest;
	report.sample = STATUS_FIXED_POINT | digits * STATUS_CONSTANT;
	return true;
}

// It declines some sorts for no reason, so that all ways are tested.
void sample(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	const Field& f = b.field;
	Decision& v = *at<Decision>(b.decision);
	expect(blocks == 1, "a grid that is not that of the sample");
	if (f.form == FORM_KEYS) expect_keys(f);
	else expect_column(f);
	expect(b.codeBits > 0 && b.codeBits <= 64 && b.bits <= BUCKET_BITS && b.firstBits + b.second == b.bits,
	       "buckets of another shape");
	expect(v.ticket == 0, "a ticket that is not zero");
	v = Decision();
	at<Report>(b.report)->sample = STATUS_ACCEPTED;
	*at<Map>(b.numberMap) = Map();
	memset(at<u8>(b.partial), 0, sizeof(PartialStatistics));
	if (has_ranges(f) && b.n % 2 == 0) { // it finds none
		v.early = 1, v.reason = REASON_OUT_OF_RANGE;
		at<Report>(b.report)->decision = v, at<Report>(b.report)->sample = STATUS_DECLINED;
		at<Report>(b.report)->statistics.any = 0;
		return;
	}
	Statistics s = statistics_of(b);
	if (b.checksOrder && (b.n % 7 == 1 || in_order(s))) {
		v.order = s.falls ? ORDER_FALLING : ORDER_RISING;
		at<Report>(b.report)->sample = STATUS_IN_ORDER;
		return;
	}
	if (b.valuesOnly)
		expect(f.form == FORM_INTEGER && !b.checksOrder, "values that are not alone");
	if (b.fixesPoint) {
		expect(!b.valuesOnly && f.form != FORM_KEYS, "floats that are not a column");
		if (f.form == FORM_FLOAT && finds_fixed_point(b)) return;
	}
	if (b.n % 7 == 5 && f.form != FORM_KEYS) {
		v.split = 1, v.reason = REASON_EQUAL;
		at<Report>(b.report)->sample = STATUS_PLAN_ONLY;
		return;
	}
	if (b.n % 7 == 4) {
		v.split = b.valuesOnly && f.validity; // nulls always are
		v.reason = REASON_EQUAL, at<Report>(b.report)->sample = STATUS_PLAN_ONLY;
		return;
	}
	if (b.n % 7 == 6 && f.width == 8 && !b.valuesOnly && f.form != FORM_KEYS && b.readsMore) {
		v.order = ORDER_UNEVEN, at<Report>(b.report)->sample = STATUS_UNEVEN;
		return;
	}
	if (b.n % 5 == 4 && b.moreBits) {
		v.order = ORDER_CROWDED, at<Report>(b.report)->sample = STATUS_CROWDED;
		return;
	}
	if (b.evenPage && b.n % 3 == 1 && !f.validity && f.form != FORM_FLOAT && f.form != FORM_RANK && !in_order(s)) {
		v.order = ORDER_EVEN, v.accepted = 1, v.records = (u32)b.n;
		at<Report>(b.report)->sample = STATUS_ACCEPTED | STATUS_EVEN;
		return;
	}
	// Nor does it decline where null has no number, since a word has no bits for it.
	if (b.n % 7 != 3 || in_order(s) || (b.valuesOnly && f.validity)) return;
	v.early = 1, v.reason = REASON_EQUAL;
	at<Report>(b.report)->decision = v, at<Report>(b.report)->sample = STATUS_DECLINED;
	at<Report>(b.report)->statistics.any = s.any & s.notAll, at<Report>(b.report)->statistics.notAll = ~0ull;
}

// It makes a map, or leaves that of the sample, or declines.
void equalize(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	Decision& v = *at<Decision>(b.decision);
	expect(blocks == 1 && v.order == ORDER_UNEVEN, "a map that is not to be equalized");
	memset(at<u8>(b.pieces), 0xEE, EQUALIZER_BYTES);
	v.order = ORDER_NONE;
	Statistics s = statistics_of(b);
	at<Map>(b.numberMap)->equalized = b.n % 3 == 0;
	at<Report>(b.report)->sample = b.n % 3 == 0 ? STATUS_ACCEPTED | STATUS_EQUALIZED : (u64)STATUS_ACCEPTED;
	if (b.n % 3 != 2 || in_order(s)) return;
	v.early = 1, v.reason = REASON_EQUAL;
	Report& report = *at<Report>(b.report);
	report.decision = v, report.sample = report.plan = STATUS_DECLINED;
	report.statistics.any = s.any & s.notAll, report.statistics.notAll = ~0ull;
}

// Whether the key scan counts rows, and does not only measure them.
bool counts_rows(const Decision& v) { return v.reason == REASON_NONE || v.split; }

// With pages some rows have no place in them.
void plan_pages(const Buckets& b) {
	Decision& v = *at<Decision>(b.decision);
	v.accepted = b.n % 5 != 0, v.reason = v.accepted ? REASON_NONE : REASON_NO_PAGE;
	at<Report>(b.report)->plan = v.accepted ? STATUS_ACCEPTED : STATUS_DECLINED;
	at<u32>(b.counts)[0] = !v.accepted; // some bucket has an extension
	memset(at<u8>(b.filled), 0xEE, 4 * b.extensions);
}
u64 records_of(const Buckets& b) { return b.page ? b.page << b.bits : b.n; }

void plan_of(const Buckets& b) {
	if (b.page) return plan_pages(b);
	Decision& v = *at<Decision>(b.decision);
	Report& report = *at<Report>(b.report);
	report.statistics = statistics_of(b);
	v.records = 0;
	for (u64 row = 0; row < b.n; row++) v.records += is_value(b, numbered(b, row));
	if (b.n % 15 == 0 && b.field.form != FORM_KEYS && counts_rows(v)) v.split = 1;
	if (b.n % 5 == 0 && b.valuesOnly && v.records != b.n) v.split = 1;
	v.reason = in_order(report.statistics)           ? REASON_ORDERED
	           : b.n % 5 == 0 || v.reason || v.split ? REASON_EQUAL
	                                                 : REASON_NONE;
	if (v.reason == REASON_ORDERED) v.split = 0;
	v.accepted = v.reason == REASON_NONE;
	report.decision = v, report.plan = v.accepted ? STATUS_ACCEPTED
	                                   : v.split  ? STATUS_DECLINED | STATUS_SPLIT
	                                              : STATUS_DECLINED;
	memset(at<u8>(b.ranges), 0xEE, (ranges_of(b) + 1) * sizeof(Range));
	memset(at<u8>(b.list), 0xEE, ((1ull << b.bits) + ranges_of(b)) * sizeof(Range));
	memset(at<u8>(b.starts), 0xEE, 4 * ((1ull << b.bits) + 1));
	memset(at<u8>(b.cursors), 0xEE, 4ull << b.bits);
	if (b.second)
		memset(at<u8>(b.firstStarts), 0xEE, 4 * ((1ull << b.firstBits) + 1)),
		    memset(at<u8>(b.firstCursors), 0xEE, 4ull << b.firstBits);
}

void sort_rows(const Buckets& b, const std::vector<u32>& order) {
	std::vector<std::pair<Numbered, u32>> rows;
	for (u32 row : order) rows.push_back({numbered(b, row), row});
	std::stable_sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
	for (u64 i = 0; i < b.n; i++) at<u32>(b.rows)[i] = rows[i].second;
}

void check_order(const u64* a) {
	const Buckets& b = *(const Buckets*)a;
	Statistics s = statistics_of(b);
	for (u64 i = 0; i < b.n; i++) at<u32>(b.rows)[i] = (u32)(s.falls ? b.n - 1 - i : i);
	at<Report>(b.report)->plan = in_order(s) ? STATUS_ACCEPTED : STATUS_DECLINED;
}

void key_scan(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	expect(blocks > 0, "no blocks");
	if (at<Decision>(b.decision)->order) return;
	for (u64 i = 0; i < 1ull << b.bits; i++) expect(at<u32>(b.counts)[i] == 0, "counts that are not zero");
	for (u64 i = 0; i < CLASSES * tiles_of(b); i++)
		expect(at<u32>(b.classCounts)[i] == 0, "counts of classes that are not zero");
	if (at<Decision>(b.decision)->early) {
		at<Report>(b.report)->plan = STATUS_DECLINED;
		return;
	}
	for (u64 row = 0; row < b.n && counts_rows(*at<Decision>(b.decision)); row++) {
		if (is_value(b, numbered(b, row)) && at<Decision>(b.decision)->split) continue;
		if (is_value(b, numbered(b, row))) at<u32>(b.counts)[bucket_of(b, record_of(b, row))]++;
		else at<u32>(b.classCounts)[CLASS_OF_NULL * tiles_of(b) + row / first_tile(&b)]++;
	}
	if (b.bits <= SMALL_BUCKET_BITS) plan_of(b);
}

void key_scan_equalized(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	expect(at<Map>(b.numberMap)->equalized, "a map that is not equalized");
	key_scan(a, blocks);
}

void bucket_plan(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	expect(blocks == ((1ull << b.bits) + PLAN_THREADS * PLAN_ITEMS - 1) / (PLAN_THREADS * PLAN_ITEMS) + CLASSES,
	       "a grid that is not that of bucket_plan");
	expect(b.bits > SMALL_BUCKET_BITS || b.page, "a plan that the key scan has made");
	if (!at<Decision>(b.decision)->early) plan_of(b);
}

// Keys only: records are the numbers of all rows but nulls, in any order; the stand-in has no heavy values.
void write_numbers(const Buckets& b) {
	u64 to = b.records[0], width = b.field.width;
	for (u64 row = b.n; row-- > 0;) {
		Numbered r = numbered(b, row);
		if (is_value(b, r)) memcpy(at<u8>(to), &r.number, width), to += width;
	}
}
// Writes the values of sorted numbers, and zeros for nulls.
void write_values(const Buckets& b, const std::vector<u64>& numbers) {
	const u64 width = b.field.width, records = numbers.size();
	memset(at<u8>(b.rows), 0, b.n * width);
	for (u64 i = 0, first = b.column.nullsAtStart ? b.n - records : 0; i < records; i++) {
		u64 value = value_of(b.field, numbers[i]);
		memcpy(at<u8>(b.rows) + (first + i) * width, &value, width);
	}
}
std::vector<u64> numbers_at(u64 address, const Buckets& b) {
	std::vector<u64> numbers(at<Decision>(b.decision)->records);
	for (u64 i = 0; i < numbers.size(); i++) numbers[i] = little(address + i * b.field.width, b.field.width);
	return numbers;
}

void partition_first(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	expect(blocks == tiles_of(b), "a grid that is not that of the first pass");
	memset(at<u8>(b.counts), 0, 4ull << b.bits);
	if (!at<Decision>(b.decision)->split) memset(at<u8>(b.classCounts), 0, 4 * CLASSES * tiles_of(b));
	if (!at<Decision>(b.decision)->accepted) return;
	expect((b.page != 0) == (at<Decision>(b.decision)->order == ORDER_EVEN), "pages that the sample has not chosen");
	if (b.page)
		memset(at<u8>(b.records[0]), 0xEE,
		       (records_of(b) + b.extensions * EXTENSION_RECORDS) * (b.valuesOnly ? b.field.width : 8));
	if (b.valuesOnly) return write_numbers(b);
	for (u64 row = 0; row < b.n; row++) at<u64>(b.records[0])[row] = record_of(b, row);
}

void partition_first_equalized(const u64* a, u64 blocks) {
	expect(at<Map>(((const Buckets*)a)->numberMap)->equalized, "a map that is not equalized");
	partition_first(a, blocks);
}

void partition_second(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	expect(blocks == records_of(b) / PARTITION_SECOND_TILE + (1ull << b.firstBits) + 1,
	       "a grid that is not that of the second pass");
	if (!at<Decision>(b.decision)->accepted) return;
	memcpy(at<u8>(b.records[1]), at<u8>(b.records[0]), (b.valuesOnly ? b.field.width : 8) * b.n);
}

void bucket_sort(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	expect(blocks == ranges_of(b), "a grid that is not that of the bucket ranges");
	if (!at<Decision>(b.decision)->accepted) return;
	const u64 records = b.records[b.second ? 1 : 0];
	if (b.valuesOnly) {
		std::vector<u64> numbers = numbers_at(records, b);
		std::sort(numbers.begin(), numbers.end());
		return write_values(b, numbers);
	}
	std::vector<u32> order;
	for (u64 i = 0; i < b.n; i++) order.push_back((u32)at<u64>(records)[i]);
	sort_rows(b, order);
}

void bucket_sort_large(const u64*, u64) {}

void compact_values(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	const Decision& v = *at<Decision>(b.decision);
	expect(blocks == tiles_of(b), "a grid that is not that of compact_values");
	expect(v.split && !v.accepted && v.listed == 0, "classes that are not split");
	write_numbers(b);
	memset(at<u8>(b.classCounts), 0, 4 * CLASSES * tiles_of(b));
}

void merge_values(const u64* a, u64) {
	const Buckets& b = *(const Buckets*)a;
	std::vector<u64> numbers = numbers_at(b.records[0], b);
	expect(std::is_sorted(numbers.begin(), numbers.end()), "numbers that are not sorted");
	write_values(b, numbers);
}

// The rows of classes to their places, the others to the records.
void split_heavy(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	const Decision& v = *at<Decision>(b.decision);
	expect(blocks == tiles_of(b), "a grid that is not that of split_heavy");
	expect(v.split && !v.accepted, "heavy values that are not split");
	std::vector<std::pair<Numbered, u32>> classes;
	u64 others = 0;
	for (u64 row = 0; row < b.n; row++) {
		Numbered r = numbered(b, row);
		if (!is_value(b, r)) {
			classes.push_back({r, (u32)row});
			at<u32>(b.classCounts)[CLASS_OF_NULL * tiles_of(b) + row / first_tile(&b)]--;
		} else {
			at<u32>(b.records[1])[others] = (u32)row;
			at<u64>(b.records[0])[others++] = r.number;
		}
	}
	expect(others == v.records, "records that nobody has counted");
	for (u64 i = 0; i < CLASSES * tiles_of(b); i++)
		expect(at<u32>(b.classCounts)[i] == 0, "rows of classes that nobody has counted");
	std::stable_sort(classes.begin(), classes.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
	u64 place = b.column.nullsAtStart ? 0 : others;
	for (const auto& row : classes) at<u32>(b.rows)[place++] = row.second;
}

void merge_heavy(const u64* a, u64 blocks) {
	const Buckets& b = *(const Buckets*)a;
	u64 others = at<Decision>(b.decision)->records, first = b.column.nullsAtStart ? b.n - others : 0;
	expect(blocks > 0, "no blocks");
	memcpy(at<u32>(b.rows) + first, at<u32>(b.records[0]), 4 * others);
}

// The first rows. The twin reads all rows; its border is usually after the rows that are wanted, sometimes before.
u64 tile_of(const Select& s) { return s.field.width == 4 && s.bits <= 32 ? SELECT_TILE : SELECT_WIDE_TILE; }
u64 tiles_of(const Select& s) { return (s.n + tile_of(s) - 1) / tile_of(s); }

void select_border(const u64* a, u64 blocks) {
	const Select& s = *(const Select*)a;
	Selection& selection = *at<Selection>(s.selection);
	u64 sampled = std::min<u64>(s.n, SELECT_SAMPLE);
	expect(blocks == (sampled + SELECT_BORDER_THREADS - 1) / SELECT_BORDER_THREADS,
	       "a grid that is not that of the sample");
	expect(s.k >= 1 && s.k <= s.n && s.hits >= 1 && s.hits <= sampled && s.capacity < 1ull << 31 && s.bits >= 1 &&
	           s.bits <= 64,
	       "a select of another shape");
	expect(selection.border == 0 && !selection.declined && !selection.sampled && !selection.ticket,
	       "a selection that is not zero");
	expect_column(s.field);
	std::vector<u64> codes(s.n);
	for (u64 i = 0; i < s.n; i++) codes[i] = word(s.field, i);
	for (u64 code : codes) expect(code <= low(s.bits), "a code of more bits");
	std::sort(codes.begin(), codes.end());
	selection.border = codes[s.n % 7 == 3 ? s.k / 2 : std::min(s.n - 1, s.k + s.k / 8)];
	u64 upTo = std::upper_bound(codes.begin(), codes.end(), selection.border) - codes.begin();
	if (s.separateTies || upTo <= s.capacity) return;
	selection.declined = 1;
	at<Selected>(s.selected)->candidates = ~0ull;
}

template <class Code> void select_rows(const u64* a, u64 blocks) {
	const Select& s = *(const Select*)a;
	Selection& selection = *at<Selection>(s.selection);
	expect(sizeof(Code) == (tile_of(s) == SELECT_TILE ? 4 : 8) && blocks == tiles_of(s),
	       "a grid that is not that of the tiles");
	for (u64 i = 0; i < tiles_of(s); i++) expect(at<u64>(s.status)[i] == 0, "status words that are not zero");
	memset(at<u8>(s.status), 0xEE, 8 * tiles_of(s));
	if (selection.declined) return;
	Selected found = {};
	for (u64 row = 0; row < s.n; row++) {
		u64 code = word(s.field, row);
		if (code < selection.border || (code == selection.border && !s.separateTies)) {
			if (found.candidates < s.capacity)
				at<Code>(s.codes)[found.candidates] = (Code)code, at<u32>(s.rows)[found.candidates] = (u32)row;
			found.candidates++;
		} else if (code == selection.border) {
			if (found.tied + found.candidates < s.k) at<u32>(s.tied)[found.tied] = (u32)row;
			found.tied++;
		}
	}
	found.border = selection.border;
	*at<Selected>(s.selected) = found;
}

void check_permutation(const u64* a) {
	u64* wrong = at<u64>(a[4]);
	for (u64 i = 0; i < a[1]; i++) {
		u32 row = at<u32>(a[0])[i];
		if (row < a[2] && !bit(a[3], row)) {
			at<u8>(a[3])[row / 8] |= 1 << row % 8;
			continue;
		}
		if (wrong[0]++ == 0) wrong[1] = ~i;
	}
}

void iota(const u64* a) {
	for (u64 i = 0; i < a[1]; i++) at<u32>(a[0])[i] = (u32)(a[2] ? a[1] - 1 - i : i);
}

void gather(u64 values, u64 width, const u32* rows, u64 n, u64 dst) {
	for (u64 i = 0; i < n; i++) memcpy(at<u8>(dst) + i * width, at<u8>(values) + rows[i] * width, width);
}

void scatter_rows(const u64* a) {
	const u32* rows = at<u32>(a[0]);
	u64 n = a[1], shift = a[2];
	u32* cursors = at<u32>(a[6]);
	for (u64 first = 0, tile = 0; first < n; first += SCATTER_TILE, tile++) {
		u64 count = std::min<u64>(SCATTER_TILE, n - first);
		std::vector<std::vector<u64>> windows(GATHER_WINDOWS);
		for (u64 i = count; i-- > 0;) windows.at(rows[first + i] >> shift).push_back(first + i); // any order will do
		u32* table = at<u32>(a[5]) + tile * 2 * GATHER_WINDOWS;
		u32 place = 0;
		for (u64 w = 0; w < GATHER_WINDOWS; w++) {
			u32 room = (u32)(w << shift) + cursors[w];
			cursors[w] += (u32)windows[w].size();
			table[w] = room - place, table[GATHER_WINDOWS + w] = place;
			for (u64 i : windows[w]) at<u32>(a[3])[room++] = rows[i], at<u16>(a[4])[i] = (u16)place++;
		}
	}
}

void collect(u64 gathered, u64 n, const u16* places, const u32* offsets, u64 dst, u64 width) {
	for (u64 i = 0; i < n; i++) {
		const u32* table = offsets + i / SCATTER_TILE * 2 * GATHER_WINDOWS;
		u64 w = std::upper_bound(table + GATHER_WINDOWS, table + 2 * GATHER_WINDOWS, places[i]) -
		        (table + GATHER_WINDOWS) - 1;
		memcpy(at<u8>(dst) + i * width, at<u8>(gathered) + (u32)(table[w] + places[i]) * width, width);
	}
}

void text_starts(const u64* a) {
	for (u64 i = 0; i <= a[2]; i++) at<u64>(a[4])[i] = a[3] + little(a[0] + i * a[1], a[1]) - little(a[0], a[1]);
}

void text_lengths(const u64* a) {
	for (u64 i = 0; i < a[4]; i++) {
		u64 row = at<u32>(a[3])[i], *starts = at<u64>(a[0]), *sum = at<u64>(a[6]) + i / TEXT_TILE;
		if (i % TEXT_TILE == 0) *sum = 0;
		*sum += at<u32>(a[5])[i] = a[1] && !bit(a[1], a[2] + row) ? 0 : (u32)(starts[row + 1] - starts[row]);
	}
}

void text_sums(const u64* a) {
	u64 before = 0;
	for (u64 i = 0; i <= a[1]; i++) {
		u64 sum = i < a[1] ? at<u64>(a[0])[i] : 0;
		at<u64>(a[0])[i] = before;
		before += sum;
	}
}

void text_offsets(const u64* a) {
	u64 end = 0;
	for (u64 i = 0; i <= a[1]; i++) {
		memcpy(at<u8>(a[4]) + i * a[3], &end, a[3]);
		if (i < a[1]) end += at<u32>(a[0])[i];
	}
}

void text_copy(const u64* a) {
	memset(at<u8>(a[6]), 0, (a[7] + 7) / 8 * 8);
	for (u64 i = 0; i < a[4]; i++) {
		u64 begin = little(a[2] + i * a[3], a[3]), end = little(a[2] + (i + 1) * a[3], a[3]);
		memcpy(at<u8>(a[6]) + begin, at<u8>(a[5]) + at<u64>(a[0])[at<u32>(a[1])[i]], end - begin);
	}
}

// The string of a row that is not null.
std::string text_of(const Text& t, u64 row) {
	const StringBytes s = string_of(&t, row);
	return std::string((const char*)s.at, s.length);
}

u64 row_of_list(u64 rows, u64 i) { return rows ? at<u32>(rows)[i] : i; }

// The strings of a group are compared with the first of it.
void text_common(const u64* a) {
	const Text& t = *at<Text>(a[0]);
	const u32* groups = at<u32>(a[2]);
	std::string first = groups ? "" : text_of(t, t.reference);
	for (u64 i = 0; i < a[3]; i++) {
		const u64 row = row_of_list(a[1], i);
		if (is_null(&t, row)) continue;
		const std::string s = text_of(t, row);
		if (groups && (i == 0 || groups[i] != groups[i - 1])) {
			first = s;
			continue;
		}
		u64 same = 0;
		while (same < s.size() && same < first.size() && s[same] == first[same]) same++;
		u64& word = at<u64>(a[4])[groups ? groups[i] : 0];
		const u64 known = known_bytes(word);
		expect(same >= known, "text_common: bytes that are known to be in common");
		word = std::max(word, known << TEXT_PIECE_BITS | (TEXT_PIECE - std::min<u64>(same - known, TEXT_PIECE)));
	}
}

void text_codes(const u64* a) {
	const Text& t = *at<Text>(a[0]);
	const u64 bytes = a[5], width = 8 * bytes + TEXT_LEFT_BITS;
	for (u64 i = 0; i < a[3]; i++) {
		const u64 row = row_of_list(a[1], i);
		u64& code = at<u64>(a[6])[i];
		if (is_null(&t, row)) {
			expect(a[2] == 0, "text_codes: a null in a group");
			code = t.nullsAtStart ? 0 : low(width);
			continue;
		}
		const std::string s = text_of(t, row);
		const u64 common = depth_of(at<u64>(a[4])[a[2] ? at<u32>(a[2])[i] : 0]);
		const std::string rest = common < s.size() ? s.substr(common) : "";
		code = 0;
		for (u64 k = 0; k < bytes; k++) code = code << 8 | (k < rest.size() ? (u8)rest[k] : 0);
		code = code << TEXT_LEFT_BITS | (std::min<u64>(rest.size(), bytes + 1) + 1);
		if (t.descending) code = low(width) - code;
		if (a[2]) code |= (u64)at<u32>(a[2])[i] << width;
	}
}

TextTies ties_of(const u64* a) {
	const u64* codes = at<u64>(a[0]);
	expect(std::is_sorted(codes, codes + a[1]), "text ties: codes in order");
	return TextTies(codes, a[1], a[2], a[3]);
}

void text_count_ties(const u64* a) {
	const TextTies ties = ties_of(a);
	for (u64 i = 0; i < a[1]; i++) {
		u64& sum = at<u64>(a[4])[i / TEXT_TILE];
		if (i % TEXT_TILE == 0) sum = 0;
		sum += ties.at(i);
	}
}

void text_list_ties(const u64* a) {
	const TextTies ties = ties_of(a);
	u64 sum = 0;
	for (u64 i = 0; i < a[1]; i++) {
		if (i % TEXT_TILE == 0) expect(at<u64>(a[4])[i / TEXT_TILE] == sum, "text_list_ties: sums");
		const u64 tie = ties.at(i), to = (u32)sum;
		if (tie == 0) continue;
		sum += tie;
		const u64 group = (sum >> 32) - 1, before = at<u64>(a[0])[i] >> (8 * a[2] + TEXT_LEFT_BITS);
		at<u32>(a[8])[to] = at<u32>(a[5])[i];
		at<u32>(a[9])[to] = (u32)row_of_list(a[6], i);
		at<u32>(a[10])[to] = (u32)group;
		at<u64>(a[11])[group] = (depth_of(at<u64>(a[7])[before]) + a[2]) << TEXT_PIECE_BITS;
	}
}

void text_place(const u64* a) {
	for (u64 i = 0; i < a[2]; i++) at<u32>(a[3])[at<u32>(a[1])[i]] = at<u32>(a[0])[i];
}

void gather_bits(const u64* a) {
	u32* dst = at<u32>(a[4]);
	memset(dst, 0, (a[3] + 31) / 32 * 4);
	for (u64 i = 0; i < a[3]; i++) {
		if (!bit(a[0], a[1] + at<u32>(a[2])[i])) continue;
		dst[i / 32] |= 1u << (i % 32);
		++*at<u64>(a[5]);
	}
}

void copy_bits(const u64* a) {
	for (u64 i = 0; i < a[2]; i++) {
		if (a[0] == 0 || bit(a[0], a[1] + i)) at<u32>(a[3])[(a[4] + i) / 32] |= 1u << ((a[4] + i) % 32);
	}
}

void look_up_ranks(const u64* a) {
	for (u64 i = 0; i < a[5]; i++) {
		at<u32>(a[6])[i] = a[2] && !bit(a[2], a[3] + i) ? 0 : at<u32>(a[4])[little(a[0] + i * a[1], a[1])];
	}
}

typedef std::function<void(const u64*, u64 blocks)> Twin;

// The twins by kernel, and the number of their arguments.
struct Twins : std::map<std::string, std::pair<int, Twin>> {
	void add(int arguments, const Twin& twin, const std::vector<std::string>& kernels) {
		for (const std::string& kernel : kernels) (*this)[kernel] = {arguments, twin};
	}
	void add(int arguments, void (*twin)(const u64*), const std::vector<std::string>& kernels) {
		add(arguments, [=](const u64* a, u64) { twin(a); }, kernels);
	}
};

// The kernels of digit binning.
void add_binnings(Twins& all) {
	struct Pass {
		const char* name;
		Records in, out;
	};
	const Pass passes[] = {{"first", FIELD, PACKED},     {"first_short", FIELD, PACKED},
	                       {"first_wide", FIELD, WIDE},  {"only", FIELD, ROWS},
	                       {"middle", PACKED, PACKED},   {"middle_short", PACKED, PACKED},
	                       {"middle_wide", WIDE, WIDE},  {"last", PACKED, ROWS},
	                       {"last_short", PACKED, ROWS}, {"last_wide", WIDE, ROWS},
	                       {"values", VALUES, VALUES},   {"values_wide", VALUES, VALUES}};
	for (const Pass& p : passes) {
		bool isShort = strstr(p.name, "short");
		auto twin = [=](const u64* a, u64 blocks) {
			expect(!isShort || a[5] == 32, "short records that are not");
			binning(a, p.in, p.out, blocks);
		};
		all.add(16, twin, {std::string("digit_binning_") + p.name});
	}
}

// The twin for sorts of rows, width 0, or for keys only of a width.
Twin of_values(u64 width, void (*twin)(const u64*, u64)) {
	return [=](const u64* a, u64 blocks) {
		const Buckets& b = *(const Buckets*)a;
		expect(b.valuesOnly == (width > 0) && (width == 0 || b.field.width == width), "values of another kind");
		twin(a, blocks);
	};
}

// The kernels of partition and bucket sort.
void add_buckets(Twins& all) {
	const int words = sizeof(Buckets) / 8;
	all.add(words, sample, {"sample"});
	all.add(words, key_scan, {"key_scan", "key_scan_keys"});
	all.add(words, key_scan_equalized, {"key_scan_equalized"});
	all.add(words, equalize, {"equalize"});
	all.add(words, bucket_plan, {"bucket_plan"});
	all.add(words, of_values(0, partition_first),
	        {"partition_first", "partition_first_floats", "partition_first_wide", "partition_first_keys",
	         "partition_only", "partition_only_wide"});
	all.add(words, of_values(0, partition_first_equalized), {"partition_first_equalized", "partition_only_equalized"});
	all.add(words, of_values(0, partition_second), {"partition_second"});
	all.add(words, of_values(0, bucket_sort), {"bucket_sort", "bucket_sort_wide"});
	all.add(words, of_values(0, bucket_sort_large), {"bucket_sort_large"});
	all.add(words, of_values(0, split_heavy), {"split_heavy", "split_heavy_wide"});
	all.add(words, of_values(0, merge_heavy), {"merge_heavy"});
	all.add(words, check_order, {"check_order"});
	for (u64 width : {4, 8}) {
		const std::string end = width == 8 ? "_values_wide" : "_values";
		all.add(words, of_values(width, partition_first), {"partition_first" + end, "partition_only" + end});
		all.add(words, of_values(width, partition_second), {"partition_second" + end});
		all.add(words, of_values(width, bucket_sort), {"bucket_sort" + end});
		all.add(words, of_values(width, bucket_sort_large), {"bucket_sort_large" + end});
		all.add(words, of_values(width, compact_values), {"compact" + end});
		all.add(words, of_values(width, merge_values), {"merge" + end});
	}
}

void add_text(Twins& all) {
	all.add(5, text_starts, {"text_starts"});
	all.add(7, text_lengths, {"text_lengths"});
	all.add(2, text_sums, {"text_sums"});
	all.add(5, text_offsets, {"text_offsets"});
	all.add(8, text_copy, {"text_copy"});
	all.add(5, text_common, {"text_common"});
	all.add(7, text_codes, {"text_codes"});
	all.add(5, text_count_ties, {"text_count_ties"});
	all.add(12, text_list_ties, {"text_list_ties"});
	all.add(4, text_place, {"text_place"});
}

void add_gathers(Twins& all) {
	for (u64 width : {1, 2, 4, 8, 16, 32}) {
		const std::string of = std::to_string(width);
		const Twin twin = [=](const u64* a, u64) { gather(a[0], width, at<u32>(a[1]), a[2], a[3]); };
		all.add(4, twin, {"gather_" + of});
		if (width != 4 && width != 8) continue; // not in windows
		all.add(4, twin, {"gather_window_" + of});
		all.add(5, [=](const u64* a, u64) { collect(a[0], a[1], at<u16>(a[2]), at<u32>(a[3]), a[4], width); },
		        {"collect_" + of});
	}
	all.add(5, [](const u64* a, u64) { gather(a[0], a[1], at<u32>(a[2]), a[3], a[4]); }, {"gather_bytes"});
	all.add(6, gather_bits, {"gather_bits"});
	all.add(7, scatter_rows, {"scatter_rows"});
	all.add(5, copy_bits, {"copy_bits"});
}

const Twins& twins() {
	static const Twins all = [] {
		Twins all;
		all.add(3, statistics, {"statistics", "statistics_decimal"});
		all.add(5, encode, {"encode"});
		all.add(5, encode_fixed_point, {"encode_fixed_point"});
		all.add(8, histogram, {"histogram"});
		all.add(sizeof(SmallSort) / 8, cluster, {"cluster"});
		all.add(sizeof(CooperativeSort) / 8, cooperative, {"cooperative"});
		all.add(sizeof(CooperativeSort) / 8, place_nulls, {"place_nulls"});
		all.add(sizeof(Select) / 8, select_border, {"select_border"});
		all.add(sizeof(Select) / 8, select_rows<u32>, {"select_rows"});
		all.add(sizeof(Select) / 8, select_rows<u64>, {"select_rows_wide"});
		all.add(5, check_permutation, {"check_permutation"});
		all.add(3, iota, {"iota"});
		all.add(7, look_up_ranks, {"look_up_ranks"});
		all.add(5, sample_codes, {"sample_codes"});
		all.add(4, count_prefixes, {"count_prefixes"});
		all.add(8, dictionary_insert, {"dictionary_insert"});
		all.add(6, dictionary_list, {"dictionary_list"});
		all.add(4, dictionary_ranks, {"dictionary_ranks"});
		all.add(7, dictionary_encode, {"dictionary_encode"});
		add_binnings(all);
		add_buckets(all);
		add_gathers(all);
		add_text(all);
		return all;
	}();
	return all;
}

} // namespace

int standin_arguments(const std::string& kernel) {
	auto found = twins().find(kernel);
	expect(found != twins().end(), ("no twin for the kernel " + kernel).c_str());
	return found->second.first;
}

void standin_run(const std::string& kernel, const u64* arguments, u64 blocks) {
	twins().at(kernel).second(arguments, blocks);
}
