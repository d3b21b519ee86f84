// Several keys as a number and a rest (FORM_KEYS) on the emulated device: for any types, ranges, orders, nulls and NaNs
// pairs of rows compare by number, then rest, as they do key by key; and warps read the numbers that single rows have.
#include "arrowsort.cu"
#include "test/device.h"
#include "test/distributions.h"
#include <algorithm>
#include <numeric>
#include <string>

namespace {

struct Layout {
	Form form;
	u64 width, sign, infinity;
};
const Layout layouts[] = {
	{FORM_INTEGER, 1, 0, 0}, {FORM_INTEGER, 2, 1 << 15, 0}, {FORM_INTEGER, 4, 1u << 31, 0},
	{FORM_INTEGER, 8, 1ull << 63, 0}, {FORM_FLOAT, 2, 1 << 15, 0x7c00}, {FORM_FLOAT, 4, 1u << 31, 0x7f800000},
	{FORM_FLOAT, 8, 1ull << 63, 0x7ff0000000000000}, {FORM_RANK, 4, 0, 0}, {FORM_BIT, 1, 0, 0}
};

// A Key is a column and the order that is wanted.
struct Key {
	Layout l;
	u64 n;
	bool nullable, descending, atStart;
	std::vector<u8> values;
	std::vector<u32> validity;

	Key(const Layout& l, u64 n, u64 seed)
	    : l(l), n(n), nullable(l.form != FORM_RANK && seed % 3 == 0), descending(seed / 3 % 2), atStart(seed / 6 % 2),
	      values(8 * n + 64), validity(n / 32 + 3) {
		const u64 kept = mix(seed) % 4 ? ~0ull >> mix(seed + 1) % 64 : ~0ull; // bits of a value that vary
		for (u64 i = 0; i < n; i++) {
			u64 x = mix(i + seed * 77);
			if (l.form == FORM_FLOAT && l.width == 8 && mix(seed) % 3) x = pattern_of((double)(int64_t)x * 0x1p-63);
			else if (l.form == FORM_FLOAT && l.width == 4 && mix(seed) % 3)
				x = pattern_of((float)(int32_t)x * 0x1p-20f);
			else x &= kept;
			if (l.form == FORM_FLOAT && mix(x) % 20 == 0) x = l.infinity + mix(i) % 2;
			if (l.form == FORM_FLOAT && mix(x) % 20 == 1) x = mix(i) % 2 ? l.sign : 0;
			if (l.form == FORM_BIT) values[i / 8] |= (x & 1) << i % 8;
			else memcpy(&values[i * l.width], &x, l.width);
			validity[i / 32] |= (u32)(mix(i + seed) % 6 > 0) << i % 32;
		}
	}
	// The Field as the host passes it: of the whole type.
	Field field() const {
		Field f = {};
		const u64 most = l.form == FORM_BIT ? 1 : l.form == FORM_RANK ? ~0u - 1 : ~0ull >> (64 - 8 * l.width);
		f.values = (u64)values.data(), f.validity = nullable ? (u64)validity.data() : 0;
		f.form = l.form, f.width = l.width, f.stride = l.form == FORM_BIT ? 0 : l.width, f.sign = l.sign,
		f.infinity = l.infinity;
		f.base[0] = l.sign, f.last[0] = most, f.descending = descending, f.nan = atStart, f.mask = ~0ull;
		return f;
	}
	// The place of a row, spelled out.
	std::pair<int, u64> place(u64 i) const {
		u64 x = 0;
		bool null = nullable && !(validity[i / 32] >> i % 32 & 1);
		memcpy(&x, &values[i * l.width], l.width);
		if (l.form == FORM_BIT) x = values[i / 8] >> i % 8 & 1;
		bool nan = l.form == FORM_FLOAT && (x & ~l.sign) > l.infinity;
		if (l.form == FORM_RANK) null = x-- == 0;
		if (l.form == FORM_FLOAT) x = x & l.sign ? 0 - (x & ~l.sign) : x; // both zeros are one
		if (l.form == FORM_FLOAT) x ^= 1ull << 63;
		else x ^= l.sign;
		int cls = null ? 2 : nan ? 1 : 0;
		return {atStart ? -cls : cls, cls ? 0 : descending ? ~x : x};
	}
};

int inexact = 0, byValue = 0;

void check_keys(u64 n, u64 seed) {
	std::vector<Key> keys;
	std::vector<Field> fields;
	const u64 count = 2 + mix(seed) % 4;
	for (u64 k = 0; k < count; k++) {
		const u64 any = mix(seed * 9 + k) % (k ? 9 : 8);
		keys.emplace_back(layouts[k + 1 == count && seed % 3 == 0 ? 6 : any], n, mix(seed * 5 + k)); // 6: doubles
		fields.push_back(keys.back().field());
	}
	fields.resize(2 * count);
	Field f = {};
	f.form = FORM_KEYS, f.width = 8, f.values = (u64)fields.data(), f.stride = count;
	emulation::launch(1, SAMPLE_THREADS, SAMPLE_BYTES,
	                  [&] { fit_keys(&f, n, (KeyFit*)shared_memory()); }, seed, 1);
	if (!keys_fit(&f)) return;
	inexact += has_rests(&f);
	for (const Field& key : fields) byValue += key.form == FORM_FLOAT_VALUE;

	std::vector<u64> numbers(n), rests(n), loaded(n);
	for (u64 i = 0; i < n; i++) numbers[i] = number_of_keys(&f, i), rests[i] = has_rests(&f) ? rest_of_keys(&f, i) : 0;
	bool outside = false;
	emulation::launch(1, 32, 1024, [&] {
		for (u64 first = 0; first < n; first += 256) {
			KeysReader reader(&f);
			u64 x[8];
			reader.load<8>(x, first, n, first + 256 <= n);
			outside |= reader.outside;
			for (int i = 0; i < 8; i++) {
				u64 row = first + place_of_item<2>(i);
				if (row < n) loaded[row] = x[i];
			}
		}
	}, seed, 1);
	if (outside) return; // the key scan declines
	auto compare = [&](u64 a, u64 b) {
		for (const Key& k : keys) {
			auto x = k.place(a), y = k.place(b);
			if (x != y) return x < y ? -1 : 1;
		}
		return 0;
	};
	std::vector<u64> order(n);
	std::iota(order.begin(), order.end(), 0);
	std::sort(order.begin(), order.end(), [&](u64 a, u64 b) { return compare(a, b) < 0; });
	for (u64 i = 0; i < n; i++) {
		check(loaded[i] == numbers[i], "a warp reads another number", seed, i);
		if (i == 0) continue;
		u64 a = order[i - 1], b = order[i];
		int want = compare(a, b), is = numbers[a] != numbers[b] ? (numbers[a] < numbers[b] ? -1 : 1)
		                               : rests[a] != rests[b]   ? (rests[a] < rests[b] ? -1 : 1)
		                                                        : 0;
		check(want == is, "rows compare otherwise", seed, i);
	}
}

} // namespace

int main() {
	u64 seed = 1;
	for (u64 n : {1, 2, 33, 300, 5000})
		for (int k = 0; k < (n < 1000 ? 100 : 60); k++) check_keys(n, seed++);
	check(inexact > 50 && byValue > 20, "too few keys have rests, or places", inexact, byValue);
	printf("%d checks hold; %d numbers have rests, %d places of floats\n", checks, inexact, byValue);
}
