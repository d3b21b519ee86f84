// Sorts on the emulated device, compared with a stable sort of the standard library. Built with STALLED_TILES, some
// tiles are slow to publish their counts.
#include "../arrowsort.cu"
#include "../test/argsort.h"
#include "../test/distributions.h"
#include <numeric>

namespace {

enum Source {
	CODES,
	RECORDS,
	SHORT,
	NULLABLE
}; // words of 64 bits, with their rows, or a column of 4 bytes without and with nulls
const char* const sourceNames[] = {"codes", "records", "short", "nullable"};
const char* const sizeNames[] = {"large", "medium", "small"};

struct Case {
	u64 n;
	u32 bits;
	int distribution;
	Size size;
	Source source;
	u64 strip, seed;
	u32 resident;

	void describe() const {
		fprintf(stderr, "n %llu, %u bits, %s, %s tiles, from %s, strips of %llu, seed %llu, %u blocks at a time\n",
		        (unsigned long long)n, bits, distributionNames[distribution], sizeNames[size], sourceNames[source],
		        (unsigned long long)strip, (unsigned long long)seed, resident);
	}
};

std::vector<u32> reference(const std::vector<u64>& codes, std::vector<u32> rows) {
	std::stable_sort(rows.begin(), rows.end(), [&](u32 a, u32 b) { return codes[a] < codes[b]; });
	return rows;
}

// A column of 4 bytes with the given codes, in descending order and after nulls if there are any.
struct Column4 {
	std::vector<u32> values, validity;
	Field field;

	Column4(const std::vector<u64>& codes, u32 bits, bool nulls)
	    : values(codes.size()), validity(codes.size() / 32 + 2), field(codes_field(nullptr)) {
		const u32 base = 77, bit = 5;
		u64 top = (1ull << bits) - 1;
		for (u64 i = 0; i < codes.size(); i++) {
			bool valid = !nulls || codes[i] != 0;
			values[i] = valid ? (u32)(top - codes[i]) + base : 0xdeadbeef;
			validity[(i + bit) / 32] |= (u32)valid << (i + bit) % 32;
		}
		field.values = (u64)values.data(), field.width = field.stride = 4;
		field.validity = nulls ? (u64)validity.data() : 0, field.bit = bit;
		field.base[0] = base, field.mul = ~0ull, field.bias = top, field.null = 0;
	}
};

void check(const Case& c) {
	Device d;
	d.seed = c.seed;
	d.resident = c.resident;
	if (c.size != LARGE) d.multiprocessors = 1; // with tiles enough for some to be halved
	std::vector<u64> codes(c.n);
	for (u64 i = 0; i < c.n; i++) codes[i] = draw(c.distribution, i, c.n, c.seed) >> (64 - c.bits);
	std::vector<u32> order(c.n), rows(c.n, 0xeeeeeeee);
	std::iota(order.begin(), order.end(), 0);
	Temp t(d, c.n, c.strip);
	for (int i = 0; i < 2; i++) d.fill(t.codes[i], 0xee, c.n * 8), d.fill(t.rows[i], 0xee, c.n * 4);
	d.fill(t.status, 0xee, t.statusWords * 4);
	if (c.source == RECORDS) {
		std::reverse(order.begin(), order.end());
		for (u64 i = 0; i < c.n; i++) t.codes[0][i] = codes[order[i]], t.rows[0][i] = order[i];
	}
	bool narrow = c.source == SHORT || c.source == NULLABLE;
	Column4 column(narrow ? codes : std::vector<u64>(), narrow ? c.bits : 1, c.source == NULLABLE);
	Field f = narrow ? column.field : codes_field(codes.data());
	Sorter s(d, t, c.n, c.strip, c.size);
	s.shortCodes = narrow;
	if (c.seed % 3 == 0) s.rowBits = 32; // as of some rows of a larger column
	s.sort(&f, c.source == RECORDS, c.bits, rows.data());
	std::vector<u32> want = reference(codes, order);
	for (u64 i = 0; i < c.n; i++) {
		if (rows[i] == want[i]) continue;
		fprintf(stderr, "FAILED: place %llu holds row %u, not %u: ", (unsigned long long)i, rows[i], want[i]);
		c.describe();
		exit(1);
	}
	t.release(d);
}

int cases = 0;

void run(u64 n, u32 bits, int distribution, Size size, Source source, u64 strip = STRIP_ROWS) {
	u32 least = size == LARGE ? 2 : 1; // the scanner, and a block that bins
	check({n, bits, distribution, size, source, strip, (u64)cases + 1, (u32)(least + cases % 3)});
	cases++;
}

void run_size(Size size) {
	u64 tile = shape_of(size, false).rows, wide = shape_of(size, true).rows;
	for (u64 n : {1, 2, 31, 33, 1000}) {
		for (u32 bits : {1, 8, 20, 64}) run(n, bits, 0, size, bits < 32 ? SHORT : CODES);
	}
	for (u64 n : {wide - 1, wide + 1, tile - 1, tile, tile + 1}) {
		run(n, 12, 0, size, NULLABLE);
		run(n, 56, 0, size, RECORDS);
	}
	run(4 * tile + 1, 64, 0, size, CODES); // tiles that wait for others
	run(3 * tile + 5, 16, 0, size, CODES, 2 * tile); // strips
	if (size == MEDIUM) { // halves, of which the last may have no row
		for (u64 n : {2 * tile, 4 * tile - tile / 2 - 1, 5 * tile - 1}) run(n, 24, 0, size, n % 2 ? SHORT : NULLABLE);
		for (u64 n : {4 * wide - 1, 4 * wide + wide / 3}) run(n, 56, 2, size, n % 2 ? CODES : RECORDS, 5 * wide);
		run(9 * tile + 7, 16, 4, size, CODES, 4 * tile);
	}
	run(3 * tile + 5, 64, 2, size, CODES, 2 * wide);
	run(3 * tile + 5, 13, 2, size, RECORDS, tile + 7 * 32); // of tiles that are not whole
	run(3 * tile + 5, 16, 4, size, SHORT, tile + 5 * 32);
}

} // namespace

int main() {
	for (Size size : {LARGE, MEDIUM, SMALL}) run_size(size);
	for (int distribution = 0; distribution < distributions; distribution++) {
		run(MEDIUM_TILE + 77, distribution % 2 ? 64 : 24, distribution, (Size)(distribution % 3),
		    (Source)(distribution % 2 ? distribution / 2 % 2 : 2 + distribution / 2 % 2));
	}
	printf("%d sorts are right\n", cases);
}
