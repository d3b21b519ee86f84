// Sorts on the emulated device, compared with a stable sort of the standard library.
#include "../arrowsort.cu"
#include "../test/argsort.h"
#include "../test/distributions.h"
#include <numeric>

namespace {

struct Case {
	u64 n;
	u32 bits;
	int distribution;
	u64 strip, seed;
	u32 resident;
	bool fromRecords;

	void describe() const {
		fprintf(stderr, "n %llu, %u bits, %s, strips of %llu, seed %llu, %u blocks at a time%s\n", (unsigned long long)n, bits,
		        distributionNames[distribution], (unsigned long long)strip, (unsigned long long)seed, resident,
		        fromRecords ? ", from records" : "");
	}
};

std::vector<u32> reference(const std::vector<u64>& codes, std::vector<u32> rows) {
	std::stable_sort(rows.begin(), rows.end(), [&](u32 a, u32 b) { return codes[a] < codes[b]; });
	return rows;
}

void check(const Case& c) {
	Device d;
	d.seed = c.seed;
	d.resident = c.resident;
	std::vector<u64> codes(c.n);
	for (u64 i = 0; i < c.n; i++) codes[i] = draw(c.distribution, i, c.n, c.seed) >> (64 - c.bits);
	std::vector<u32> order(c.n), rows(c.n, 0xeeeeeeee);
	std::iota(order.begin(), order.end(), 0);
	Temp t(d, c.n, c.strip);
	for (int i = 0; i < 2; i++) d.fill(t.codes[i], 0xee, c.n * 8), d.fill(t.rows[i], 0xee, c.n * 4);
	Field f = codes_field(codes.data());
	if (c.fromRecords) {
		std::reverse(order.begin(), order.end());
		for (u64 i = 0; i < c.n; i++) t.codes[0][i] = codes[order[i]], t.rows[0][i] = order[i];
	}
	Sorter{d, t, c.n, c.strip, std::max(bits_of(c.n - 1), 1u)}.sort(&f, c.fromRecords, c.bits, rows.data());
	std::vector<u32> want = reference(codes, order);
	for (u64 i = 0; i < c.n; i++) {
		if (rows[i] == want[i]) continue;
		fprintf(stderr, "FAILED: place %llu holds row %u, not %u: ", (unsigned long long)i, rows[i], want[i]);
		c.describe();
		exit(1);
	}
	t.release(d);
}

} // namespace

int main() {
	int cases = 0;
	auto run = [&](u64 n, u32 bits, int distribution, u64 strip, bool fromRecords) {
		check({n, bits, distribution, strip, (u64)cases + 1, (u32)(1 + cases % 4), fromRecords});
		cases++;
	};
	for (u64 n : {1, 2, 31, 33, 1000}) {
		for (u32 bits : {1, 8, 20, 64}) run(n, bits, 0, STRIP_ROWS, false);
	}
	for (u64 n : {DIGIT_TILE_WIDE - 1, DIGIT_TILE_WIDE + 1, DIGIT_TILE - 1, DIGIT_TILE, DIGIT_TILE + 1}) {
		run(n, 12, 0, STRIP_ROWS, false);
		run(n, 56, 0, STRIP_ROWS, true);
	}
	for (int distribution = 0; distribution < distributions; distribution++) {
		run(DIGIT_TILE + 77, distribution % 2 ? 64 : 24, distribution, STRIP_ROWS, distribution % 3 == 2);
	}
	run(4 * DIGIT_TILE + 1, 64, 0, STRIP_ROWS, false); // tiles that wait for others
	run(5 * DIGIT_TILE + 5, 16, 0, 2 * DIGIT_TILE, false); // strips
	run(5 * DIGIT_TILE + 5, 64, 2, 3 * DIGIT_TILE_WIDE, false);
	run(5 * DIGIT_TILE + 5, 16, 2, 2 * DIGIT_TILE - 7 * 32, true);
	printf("%d sorts are right\n", cases);
}
