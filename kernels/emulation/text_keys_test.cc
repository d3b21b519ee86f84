// Sorts by keys of strings on the emulated device, round by round as package gpu does, compared with a stable sort of
// the standard library.
#include "arrowsort.cu"
#include "test/device.h"
#include "test/distributions.h"
#include <algorithm>
#include <numeric>
#include <string>

namespace {

struct Case {
	u64 n, seed;
	int kind; // of strings
	bool fixed, descending, nullsAtStart, nulls;
};

void fail(const Case& c, const char* what, u64 at) {
	::fail(what, "at", at, "n", c.n, "kind", c.kind, "seed", c.seed, "fixed", c.fixed, "descending", c.descending,
	       "nulls", c.nulls);
}

const int kinds = 8;
// The most rounds of strings with long common bytes, of whatever group, 0: of any number.
const u64 most_rounds[kinds] = {0, 0, 0, 3, 1, 0, 3, 5};

std::string string_of(const Case& c, u64 i) {
	const u64 x = mix(i * 7 + c.seed);
	std::string s;
	switch (c.kind) {
	case 0: // few letters, of any length: zeros at the end and in the middle
		for (u64 k = 0; k < x % 12; k++) s += (char)(mix(x + k) % 2);
		return s;
	case 1: return "https://example.org/" + std::to_string(x % 50) + "/articles/" + std::to_string(mix(x) % 300);
	case 2: return std::string(x % 40, 'a') + (x % 3 ? "" : "b"); // that begin others
	case 3: return std::string(3000, 'x') + (char)('a' + x % 3) + std::string(x % 9, 'y');
	case 4: return "the same";
	case 6:
		s = x % 8 ? "b123" : "a" + std::string(10000, 'x');
		return s + (char)('a' + mix(x) % 3) + std::string(x % 9, 'y');
	case 7: return (x % 2 ? "c" : std::string(2 * TEXT_PIECE + 1000, 'z')) + (char)('a' + x % 3);
	}
	for (u64 k = 0; k < 8 + x % 3; k++) s += (char)mix(x + k * k);
	return s;
}

struct Sorter {
	Device d;
	Text text;
	std::vector<u32> order;
	u64 rounds = 0;

	struct List {
		std::vector<u32> rows, places, groups;
		std::vector<u64> depths;
		u64 n, count = 1;
	};
	template <class T> static T* of(std::vector<T>& v) { return v.empty() ? nullptr : v.data(); }

	void sort(u64 n) {
		for (List list{{}, {}, {}, {0}, n}; list.n > 0; rounds++) list = next(list);
	}
	List next(List& l) {
		const u64 groupBits = l.count > 1 ? 64 - __builtin_clzll(l.count - 1) : 0,
		          bytes = std::min<u64>(TEXT_KEY_BYTES, (64 - TEXT_LEFT_BITS - groupBits) / 8),
		          tiles = (l.n + TEXT_TILE - 1) / TEXT_TILE;
		std::vector<u64> codes(l.n), sums(tiles + 1);
		u64* depths = l.depths.data();
		d.run(text_common, 2, STREAM_THREADS, 0, &text, of(l.rows), of(l.groups), l.n, depths);
		d.run(text_codes, 2, STREAM_THREADS, 0, &text, of(l.rows), of(l.groups), l.n, depths, bytes, codes.data());
		std::vector<u32> by(l.n), rows(l.n);
		std::iota(by.begin(), by.end(), 0);
		std::stable_sort(by.begin(), by.end(), [&](u32 a, u32 b) { return codes[a] < codes[b]; });
		std::vector<u64> sorted(l.n);
		for (u64 i = 0; i < l.n; i++) sorted[i] = codes[by[i]], rows[i] = l.rows.empty() ? by[i] : l.rows[by[i]];
		if (order.empty()) order = rows;
		else d.run(text_place, 2, STREAM_THREADS, 0, rows.data(), l.places.data(), l.n, order.data());
		d.run(text_count_ties, tiles, STREAM_THREADS, 256, sorted.data(), l.n, bytes, text.descending, sums.data());
		d.run(text_sums, 1, 1024, 256, sums.data(), tiles);
		List ties;
		ties.n = (u32)sums[tiles], ties.count = sums[tiles] >> 32;
		ties.rows.resize(ties.n), ties.places.resize(ties.n), ties.groups.resize(ties.n);
		ties.depths.resize(ties.count);
		d.run(text_list_ties, tiles, STREAM_THREADS, 256, sorted.data(), l.n, bytes, text.descending, sums.data(),
		      rows.data(), of(l.places), depths, of(ties.rows), of(ties.places), of(ties.groups), of(ties.depths));
		return ties;
	}
};

void check(const Case& c) {
	std::vector<std::string> strings(c.n);
	std::vector<u64> starts(c.n + 1);
	std::vector<bool> null(c.n);
	const u64 bit = c.seed % 40, width = 9;
	std::vector<u32> validity((c.n + bit) / 32 + 1, ~0u);
	u64 reference = 0;
	bool found = false;
	for (u64 i = 0; i < c.n; i++) {
		strings[i] = string_of(c, i);
		if (c.fixed) strings[i].resize(width, 'z');
		starts[i + 1] = starts[i] + strings[i].size();
		null[i] = c.nulls && mix(i ^ c.seed) % 4 == 0;
		if (null[i]) validity[(bit + i) / 32] &= ~(1u << (bit + i) % 32);
		else if (!found) reference = i, found = true;
	}
	std::vector<u64> data(starts[c.n] / 8 + 4); // words, as the device has them
	for (u64 i = 0; i < c.n; i++) memcpy((u8*)data.data() + starts[i], strings[i].data(), strings[i].size());

	Sorter s;
	s.d.seed = c.seed;
	s.text = {c.fixed ? 0 : (u64)starts.data(), c.fixed ? width : 0, (u64)data.data(),
	          c.nulls ? (u64)validity.data() : 0, bit, reference, c.descending, c.nullsAtStart};
	s.sort(c.n);
	std::vector<u32> want(c.n);
	std::iota(want.begin(), want.end(), 0);
	std::stable_sort(want.begin(), want.end(), [&](u32 a, u32 b) {
		if (null[a] || null[b]) return c.nullsAtStart ? null[a] && !null[b] : !null[a] && null[b];
		return c.descending ? strings[b] < strings[a] : strings[a] < strings[b];
	});
	for (u64 i = 0; i < c.n; i++) {
		if (s.order[i] != want[i]) fail(c, "order", i);
	}
	if (!c.fixed && most_rounds[c.kind] && s.rounds > most_rounds[c.kind])
		fail(c, "rounds: common bytes are skipped", s.rounds);
}

} // namespace

int main() {
	u64 seed = 1, sorts = 0;
	for (u64 n : {1, 2, 33, 500, (int)TEXT_TILE + 1, 5000})
		for (int kind = 0; kind < kinds; kind++)
			for (int mode = 0; mode < 16 && (kind < 7 || n < 100); mode++, sorts++)
				check({n, seed++, kind, (mode & 8) != 0, (mode & 1) != 0, (mode & 2) != 0, (mode & 4) != 0});
	std::cout << sorts << " sorts hold\n";
}
