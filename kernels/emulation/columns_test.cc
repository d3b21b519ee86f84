// Statistics, encoding, gathers and bitmaps on the emulated device, compared with loops.
#include "arrowsort.cu"
#include "test/device.h"
#include "test/distributions.h"
#include <algorithm>

namespace {

const u32 statisticsBytes = STREAM_THREADS / 32 * 48;

struct Layout {
	Form form;
	u64 width, sign, infinity;
};
const Layout layouts[] = {
	{FORM_INTEGER, 4, 0, 0}, {FORM_INTEGER, 8, 1ull << 63, 0}, {FORM_INTEGER, 2, 1 << 15, 0},
	{FORM_FLOAT, 4, 1u << 31, 0x7f800000}, {FORM_FLOAT, 8, 1ull << 63, 0x7ff0000000000000},
	{FORM_FLOAT, 2, 1 << 15, 0x7c00}, {FORM_RANK, 4, 0, 0}, {FORM_BIT, 1, 0, 0}, {FORM_BIG_ENDIAN, 5, 0, 0},
	{FORM_NONE, 0, 0, 0}
};

// What a row is, spelled out: 0 value, 1 NaN, 2 null.
struct Cell {
	u32 cls;
	u64 word;
};

Cell cell_of(const Layout& l, const std::vector<u8>& values, const std::vector<u32>& validity, u64 bit, u64 i) {
	if (l.form == FORM_NONE || !(validity[(bit + i) / 32] >> ((bit + i) % 32) & 1)) return {2, 0};
	u64 x = 0;
	if (l.form == FORM_BIT) return {0, (u64)(values[(3 + i) / 8] >> ((3 + i) % 8) & 1)};
	for (u64 k = 0; k < l.width; k++) {
		u64 byte = values[i * l.width + k];
		x = l.form == FORM_BIG_ENDIAN ? x << 8 | byte : x | byte << 8 * k;
	}
	if (l.form == FORM_RANK) return x == 0 ? Cell{2, 0} : Cell{0, x - 1};
	u64 mask = ~0ull >> (64 - 8 * l.width);
	if (l.form == FORM_FLOAT) {
		if ((x & ~l.sign) > l.infinity) return {1, 0};
		if (x & l.sign) x = (l.sign - x) & mask;
	}
	return {0, x ^ l.sign};
}

Column column_of(const Layout& l, const std::vector<u8>& values, const std::vector<u32>& validity, u64 bit, int mode) {
	Column c = {};
	c.values = (u64)values.data(), c.validity = (u64)validity.data(), c.bit = bit, c.valueBit = 3;
	c.form = l.form, c.width = c.stride = l.width, c.sign = l.sign, c.infinity = l.infinity, c.signBit = l.sign;
	c.descending = mode & 1, c.nullsAtStart = mode >> 1;
	return c;
}

void check_column(const Layout& l, u64 n, int distribution, u64 seed) {
	Device d;
	d.seed = seed;
	std::vector<u8> values(n * 8 + 16);
	for (u64 i = 0; i < n; i++) {
		u64 x = draw(distribution, i, n, seed);
		if (is_ordered(distribution))
			x = x >> (64 - std::max<u64>(l.width, 1) * 8); // in order as stored
		if (l.form == FORM_FLOAT && mix(x + seed) % 4 == 0) x = mix(i) % 2 ? l.infinity + mix(i) % 3 : l.sign;
		memcpy(&values[i * l.width], &x, l.width);
	}
	u64 bit = seed % 37;
	std::vector<u32> validity((bit + n) / 32 + 1);
	for (u64 i = 0; i < bit + n; i++) validity[i / 32] |= (u32)(seed % 3 == 0 || mix(i + seed) % 5 > 0) << i % 32;
	int mode = (int)(seed % 4);
	Column c = column_of(l, values, validity, bit, mode);
	Statistics s = {}, want = {};
	d.run(statistics, 2, STREAM_THREADS, statisticsBytes, &c, n, &s);
	Cell last = {};
	for (u64 i = 0; i < n; i++) {
		Cell x = cell_of(l, values, validity, bit, i);
		want.nulls += x.cls == 2, want.nans += x.cls == 1;
		if (x.cls == 0) {
			want.notMin[0] = std::max(want.notMin[0], ~x.word), want.max[0] = std::max(want.max[0], x.word);
			want.any |= x.word, want.notAll |= ~x.word;
		}
		int step = x.cls != last.cls                    ? (x.cls > last.cls) != (mode >> 1) ? 1 : -1
		           : x.word == last.word                ? 0
		           : (x.word > last.word) != (mode & 1) ? 1
		                                                : -1;
		if (i > 0) (step > 0 ? want.rises : step < 0 ? want.falls : want.ties) = 1;
		last = x;
	}
	// The order is followed only until rows are known to be in neither order.
	if (want.falls && (want.rises || want.ties)) {
		check(s.falls && (s.rises || s.ties), "order", n, l.form, seed);
		s.rises = want.rises, s.ties = want.ties;
	}
	check(!memcmp(&s, &want, sizeof s), "statistics", n, l.form * 100 + l.width, seed);

	Field f = {};
	f.values = c.values, f.validity = c.validity, f.bit = bit, f.valueBit = 3, f.form = l.form,
	f.width = f.stride = l.width;
	f.sign = l.sign, f.infinity = l.infinity, f.base[0] = mix(seed) >> (64 - std::max<u64>(l.width, 1) * 8),
	f.shift = seed % 5;
	f.mul = mix(seed + 1) | 1, f.bias = mix(seed + 2), f.nan = 111, f.null = 222, f.down = seed % 7, f.up = seed % 11,
	f.mask = 0xffffffff;
	Field both[2] = {f, f};
	both[1].form = FORM_CLASS, both[1].bias = 1, both[1].null = 0, both[1].down = 0, both[1].up = 63, both[1].mask = 1;
	std::vector<u32> rows(n);
	for (u64 i = 0; i < n; i++) rows[i] = (u32)(mix(i) % n);
	std::vector<u64> codes(n);
	d.run(encode, 2, STREAM_THREADS, 0, both, 2, n, rows.data(), codes.data());
	for (u64 i = 0; i < n; i++) {
		Cell x = cell_of(l, values, validity, bit, rows[i]);
		u64 mask = l.width ? ~0ull >> (64 - 8 * l.width) : 0;
		u64 number = x.cls == 2   ? 222
		             : x.cls == 1 ? 111
		                          : f.bias + ((((x.word ^ l.sign) - f.base[0]) & mask) >> f.shift) * f.mul;
		bool valid = validity[(bit + rows[i]) / 32] >> ((bit + rows[i]) % 32) & 1;
		u64 want = ((number >> f.down & f.mask) << f.up) + ((u64)valid << 63);
		check(codes[i] == want, "encode", i, l.form * 100 + l.width, seed);
	}
}

void check_decimal(u64 width, u64 n, u64 seed) {
	Device d;
	d.seed = seed;
	std::vector<u64> values(n * width / 8);
	for (auto& x : values) x = mix(seed + (&x - values.data())) & (seed % 2 ? ~0ull : 0xff);
	Layout l = {FORM_DECIMAL, width, 0, 0};
	std::vector<u32> validity(n / 32 + 1, seed % 3 ? ~0u : 0x77777777);
	std::vector<u8> none;
	Column c = column_of(l, none, validity, 0, (int)(seed % 4));
	c.values = (u64)values.data();
	Statistics s = {};
	d.run(statistics_decimal, 3, STREAM_THREADS, 0, &c, n, &s);
	std::vector<Limbs> all;
	u64 nulls = 0;
	for (u64 i = 0; i < n; i++) {
		if (validity[i / 32] >> (i % 32) & 1) all.push_back(decimal_at(c.values, width, i));
		else nulls++;
	}
	auto less = [](const Limbs& a, const Limbs& b) { return compare(a, b) < 0; };
	Limbs least = *std::min_element(all.begin(), all.end(), less),
	      greatest = *std::max_element(all.begin(), all.end(), less);
	check(s.nulls == nulls, "nulls of decimals", width, n, seed);
	for (int k = 0; k < 4; k++)
		check(~s.notMin[k] == least.limb[k] && s.max[k] == greatest.limb[k], "decimals", width, n, seed);

	Field f = {};
	f.values = c.values, f.form = FORM_DECIMAL, f.width = width, f.shift = seed % 9, f.limb = seed % (width / 8),
	f.descending = 1, f.mask = ~0ull;
	memcpy(f.base, least.limb, sizeof f.base);
	Limbs span = (greatest - least) >> (u32)f.shift;
	memcpy(f.last, span.limb, sizeof f.last);
	std::vector<u64> codes(n);
	d.run(encode, 2, STREAM_THREADS, 0, &f, 1, n, (u32*)nullptr, codes.data());
	for (u64 i = 0; i < n; i++) {
		Limbs v = span - ((decimal_at(c.values, width, i) - least) >> (u32)f.shift);
		check(codes[i] == v.limb[f.limb], "limbs", i, width, seed);
	}
}

void check_gathers(u64 n, u64 seed) {
	Device d;
	d.seed = seed;
	std::vector<u8> values(n * 32 + 16), dst(n * 32 + 16);
	for (auto& x : values) x = (u8)mix((u64)&x + seed);
	u64 out = n - n / 3;
	std::vector<u32> rows(out);
	for (u64 i = 0; i < out; i++) rows[i] = (u32)(mix(i + seed) % n);
	auto same = [&](u64 width) {
		for (u64 i = 0; i < out; i++)
			check(!memcmp(&dst[i * width], &values[rows[i] * width], width), "gather", i, width, n);
	};
	d.run(gather_1, 2, STREAM_THREADS, 0, values.data(), rows.data(), out, dst.data()), same(1);
	d.run(gather_2, 2, STREAM_THREADS, 0, (u16*)values.data(), rows.data(), out, (u16*)dst.data()), same(2);
	d.run(gather_4, 2, STREAM_THREADS, 0, (u32*)values.data(), rows.data(), out, (u32*)dst.data()), same(4);
	d.run(gather_8, 2, STREAM_THREADS, 0, (u64*)values.data(), rows.data(), out, (u64*)dst.data()), same(8);
	d.run(gather_16, 2, STREAM_THREADS, 0, (Bytes<16>*)values.data(), rows.data(), out, (Bytes<16>*)dst.data());
	same(16);
	d.run(gather_32, 2, STREAM_THREADS, 0, (Bytes<32>*)values.data(), rows.data(), out, (Bytes<32>*)dst.data());
	same(32);
	d.run(gather_bytes, 2, STREAM_THREADS, 0, values.data(), 7, rows.data(), out, dst.data()), same(7);
	std::vector<u32> bits(out / 32 + 1, 0xeeeeeeee), copy(n / 32 + 3);
	u64 set = 0, want = 0, bit = seed % 50;
	d.run(gather_bits, 2, STREAM_THREADS, 0, (u32*)values.data(), bit, rows.data(), out, bits.data(), &set);
	for (u64 i = 0; i < (out + 31) / 32 * 32; i++) {
		u64 at = i < out ? bit + rows[i] : 0;
		bool is = i < out && values[at / 8] >> (at % 8) & 1;
		want += is;
		check((bits[i / 32] >> (i % 32) & 1) == is, "gather_bits", i, n, seed);
	}
	check(set == want, "ones", set, want, n);
	u64 to = seed % 41, half = n / 2;
	d.run(copy_bits, 1, STREAM_THREADS, 0, (u32*)values.data(), bit, half, copy.data(), to);
	d.run(copy_bits, 1, STREAM_THREADS, 0, nullptr, 0, n - half, copy.data(), to + half);
	for (u64 i = 0; i < copy.size() * 32; i++) {
		bool in = i >= to && i < to + n,
		     is = in && (i - to >= half || values[(bit + i - to) / 8] >> ((bit + i - to) % 8) & 1);
		check((copy[i / 32] >> (i % 32) & 1) == is, "copy_bits", i, n, seed);
	}
}

// Leading rows of a permutation, then with a row that is there twice and one that there is not.
void check_permutations(u64 n, u64 out, u64 seed) {
	Device d;
	d.seed = seed;
	std::vector<u32> rows(n);
	for (u64 i = 0; i < n; i++) rows[i] = (u32)i;
	std::sort(rows.begin(), rows.end(), [&](u32 a, u32 b) { return mix(a + seed) < mix(b + seed); });
	auto run = [&](u64 wrong, u64 place, u64 other) {
		std::vector<u32> seen(n / 32 + 1);
		u64 found[2] = {};
		d.run(check_permutation, 2, STREAM_THREADS, 0, rows.data(), out, n, seen.data(), found);
		check(found[0] == wrong, "check_permutation", found[0], wrong, n);
		if (wrong) check(~found[1] == place || ~found[1] == other, "the place", ~found[1], place, n);
	};
	run(0, 0, 0);
	u32 last = rows[out - 1];
	rows[out - 1] = (u32)n;
	run(1, out - 1, out - 1);
	rows[out - 1] = last;
	if (out < 700) return;
	rows[0] = ~0u, rows[600] = rows[out - 1] = (u32)n + 5;
	run(3, 0, 0);
	rows[0] = last, rows[600] = rows[601];
	run(2, 600, 601); // whichever comes second
}

// Gathers in windows: rows are a permutation.
template <class Value> void check_windows(u64 n, u64 windowBits, u64 seed) {
	Device d;
	d.seed = seed;
	std::vector<Value> values(n), between(n), dst(n);
	std::vector<u32> rows(n);
	for (u64 i = 0; i < n; i++) rows[i] = (u32)i, values[i] = (Value)mix(i + seed);
	if (seed % 3) std::sort(rows.begin(), rows.end(), [&](u32 a, u32 b) { return mix(a + seed) < mix(b + seed); });
	const u64 bits = n > 1 ? 64 - __builtin_clzll(n - 1) : 0,
	          shift = std::max<u64>(bits > 8 ? bits - 8 : 0, std::min<u64>(windowBits, 31)),
	          tiles = ceil_div(n, SCATTER_TILE), table = 2 * (GATHER_WINDOWS + 32) * 4;
	std::vector<u32> scattered(n), offsets(tiles * 2 * GATHER_WINDOWS), cursors(GATHER_WINDOWS);
	std::vector<u16> places(n);
	d.run(scatter_rows, tiles, SCATTER_THREADS, SCATTER_TILE * 4 + table + SCATTER_THREADS / 32 * 4, rows.data(), n,
	      shift, scattered.data(), places.data(), offsets.data(), cursors.data());
	auto gather = [&](auto gatherWindow, auto collect) {
		d.run(gatherWindow, ceil_div(n, GATHER_TILE), STREAM_THREADS, 0, values.data(), scattered.data(), n,
		      between.data());
		d.run(collect, tiles, COLLECT_THREADS, SCATTER_TILE * sizeof(Value) + table, between.data(), n, places.data(),
		      offsets.data(), dst.data());
	};
	if constexpr (sizeof(Value) == 8) gather(gather_window_8, collect_8);
	else gather(gather_window_4, collect_4);
	for (u64 i = 0; i < n; i++) check(dst[i] == values[rows[i]], "gather in windows", i, n, seed);
}

// Strings in two chunks; lengths up to most, one of them long.
void check_texts(u64 n, u64 width, u64 most, u64 seed) {
	Device d;
	d.seed = seed;
	u64 half = n / 3;
	std::vector<u64> lengths(n), starts(n + 1), wantStarts(n + 1);
	for (u64 i = 0; i < n; i++)
		lengths[i] = i == n / 2 ? most * 50 : mix(i + seed) % (most + 1),
		wantStarts[i + 1] = wantStarts[i] + lengths[i];
	std::vector<u8> data(wantStarts[n] + 8), offsets((n + 2) * width);
	for (u64 i = 0; i < data.size(); i++) data[i] = (u8)mix(i * 3 + seed);
	auto chunk = [&](u64 from, u64 rows) {
		for (u64 i = 0; i <= rows; i++) {
			u64 x = 77 + wantStarts[from + i] - wantStarts[from];
			memcpy(&offsets[i * width], &x, width);
		}
		d.run(text_starts, 2, STREAM_THREADS, 0, offsets.data(), width, rows, wantStarts[from], starts.data() + from);
	};
	chunk(0, half), chunk(half, n - half);
	check(starts == wantStarts, "starts", n, width, seed);

	u64 out = n - n / 5, tiles = ceil_div(out, TEXT_TILE), bit = seed % 9, want = 0;
	std::vector<u32> rows(out), validity((n + bit) / 32 + 1), lengthsOut(out);
	for (u64 i = 0; i < n + bit; i++) validity[i / 32] |= (u32)(seed % 2 || mix(i ^ seed) % 7 > 0) << i % 32;
	for (u64 i = 0; i < out; i++) rows[i] = (u32)(mix(i * 5 + seed) % n);
	std::vector<u64> sums(tiles + 1);
	d.run(text_lengths, tiles, STREAM_THREADS, 256, starts.data(), seed % 4 == 3 ? nullptr : validity.data(), bit,
	      rows.data(), out, lengthsOut.data(), sums.data());
	d.run(text_sums, 1, 1024, 256, sums.data(), tiles);
	d.run(text_offsets, tiles, STREAM_THREADS, 256, lengthsOut.data(), out, sums.data(), width, offsets.data());
	std::vector<u64> dst(sums[tiles] / 8 + 1, ~0ull);
	d.run(text_copy, 2, STREAM_THREADS, 0, starts.data(), rows.data(), offsets.data(), width, out, data.data(),
	      dst.data(), sums[tiles]);
	for (u64 i = 0; i < out; i++) {
		u64 row = rows[i], is = 0, valid = validity[(bit + row) / 32] >> ((bit + row) % 32) & 1;
		u64 length = valid ? lengths[row] : 0;
		check(!memcmp((u8*)dst.data() + want, &data[starts[row]], length), "text", i, n, seed);
		want += length;
		memcpy(&is, &offsets[(i + 1) * width], width);
		check(is == want, "offset", i, n, seed);
	}
	check(sums[tiles] == want, "bytes", sums[tiles], want, n);
}

} // namespace

int main() {
	u64 seed = 1;
	for (const Layout& l : layouts) {
		for (u64 n : {1, 33, 700, 5000}) check_column(l, n, UNIFORM, seed++);
		for (int distribution : {CONSTANT, SORTED, REVERSED, TWO_VALUES}) check_column(l, 1500, distribution, seed++);
		check_column(l, 2000, SORTED, seed / 12 * 12); // no nulls, ascending
	}
	for (u64 width : {16, 32})
		for (u64 n : {1, 40, 1000}) check_decimal(width, n, seed++);
	for (u64 n : {1, 32, 100, 3000}) check_gathers(n, seed++);
	for (u64 n : {1, 32, 33, 700, 5000})
		for (u64 out : {n, n - n / 3}) check_permutations(n, out, seed++);
	for (u64 n : {1, 31, 5000, SCATTER_TILE - 1, SCATTER_TILE, SCATTER_TILE + 1, 3 * SCATTER_TILE + 100}) {
		for (u64 windowBits : {0, 10, 40}) {
			check_windows<u64>(n, windowBits, seed++);
			check_windows<u32>(n, windowBits, seed++);
		}
	}
	for (u64 n : {3, 100, 5000, 3 * TEXT_TILE})
		for (u64 width : {4, 8})
			for (u64 most : {1, 7, 40}) check_texts(n, width, most, seed++);
	printf("%d checks hold\n", checks);
}
