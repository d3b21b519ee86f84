// Partition and finish of numbers of few live bits on the emulated device: ranges of every width, anywhere in their
// type, whose numbers are next to one another or a stride apart, and columns in which some row is not as the sample has
// seen them.
#include "../arrowsort.cu"
#include "../test/distributions.h"
#include "../test/partition.h"
#include <numeric>

namespace {

struct Range64 {
	u64 n, width; // bytes
	int live, stride;
	u64 smallRows, bits;  // which shape
	int nulls = 0;        // percent
	u64 outliers = 0;       // rows of any other number, evenly spread
	bool offStride = false; // they are numbers of the range, but for the stride
	u32 rowBits = 1;        // at least
	bool apart = false;     // half of the numbers are at the other end of the range
};

int sorted = 0, refused = 0, narrow = 0;

u64 number_of_row(const Range64& k, u64 i, u64 seed, u64 low) {
	u64 all = ~0ull >> (64 - 8 * k.width), r = mix(i * 31 + seed);
	if (k.apart) r = i % 2 ? r >> 6 : ~(r >> 6);
	u64 x = low + (r >> (64 - k.live) << k.stride);
	if (k.outliers && i % (k.n / k.outliers + 1) == k.n / k.outliers / 2)
		x = k.offStride ? x + (1 + mix(r) % ((1ull << k.stride) - 1)) : mix(r);
	return x & all;
}

void check(const Range64& k, u64 seed) {
	Device d;
	d.seed = seed;
	bool descending = seed % 2, nullsAtStart = seed % 3 == 0, isSigned = seed % 5 < 3;
	u64 n = k.n, all = ~0ull >> (64 - 8 * k.width), sign = isSigned ? 1ull << (8 * k.width - 1) : 0,
	    range = (k.live < 64 ? (1ull << k.live) - 1 : ~0ull) << k.stride;
	u64 low = seed % 7 == 0                   ? 0
	          : seed % 7 == 1 || range == all ? all - range
	                                          : mix(seed) % (all - range + 1); // in the order of the type
	std::vector<u64> storage(n + 4), a(n, 0xeeeeeeee), b(n, 0xeeeeeeee), numbers(n);
	std::vector<u32> validity(n / 32 + 2), order(n), rows(n, 0xeeeeeeee);
	std::vector<int> classes(n);
	u8* values = (u8*)(((u64)storage.data() + 15) / 16 * 16);
	for (u64 i = 0; i < n; i++) {
		u64 number = number_of_row(k, i, seed, low), x = number ^ sign;
		memcpy(values + i * k.width, &x, k.width);
		bool null = (int)(mix(i * 7 + seed) % 100) < k.nulls;
		validity[(i + 3) / 32] |= (u32)!null << (i + 3) % 32;
		numbers[i] = null ? 0 : descending ? all - number : number;
		classes[i] = null ? nullsAtStart ? -1 : 1 : 0;
	}
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](u32 x, u32 y) {
		return classes[x] != classes[y] ? classes[x] < classes[y] : numbers[x] < numbers[y];
	});
	Column c = {};
	c.values = (u64)values, c.validity = k.nulls ? (u64)validity.data() : 0, c.bit = 3, c.form = FORM_INTEGER,
	c.width = c.stride = k.width;
	c.sign = c.signBit = sign, c.descending = descending, c.nullsAtStart = nullsAtStart;
	PartitionTemp t(d, n, a.data(), b.data());
	Partitioner p{d, t};
	p.rowBits = k.rowBits;
	p.launch(c, 8 * (u32)k.width, n, rows.data(), k.smallRows, k.bits);
	const Decision v = p.report().decision;
	auto holds = [&](bool ok, const char* what) {
		if (ok) return;
		fprintf(
		    stderr,
		    "FAILED: %s: n %llu, width %llu, %d live bits, stride %d, %d %% null, %llu outliers, seed %llu, why %u\n",
		    what, (unsigned long long)n, (unsigned long long)k.width, k.live, k.stride, k.nulls,
		    (unsigned long long)k.outliers, (unsigned long long)seed, v.reason);
		exit(1);
	};
	for (u64 i = 0; i < n && v.accepted; i++) holds(rows[i] == order[i], "a place holds another row");
	bool inOrder = std::is_sorted(order.begin(), order.end()) || std::is_sorted(order.rbegin(), order.rend());
	bool spread = k.live > (int)p.b.minimumBits && !k.outliers && n > 1000; // so that the partition suits them
	holds(v.accepted || inOrder || !spread, "evenly spread numbers are refused");
	holds(!spread || inOrder || k.width == 4 || p.small || k.live > 32 || p.narrow, "codes of 32 bits would do");
	if (k.live > 33 && k.stride == 0) holds(!p.narrow, "codes of 32 bits do not do");
	(v.accepted ? sorted : refused)++, narrow += p.narrow;
	for (u32 i = 0; i < 1u << BUCKET_BITS; i++) holds(t.counts[i] == 0, "counts are not clear");
	holds(t.decision->ticket == 0, "the ticket is not clear");
	t.release(d);
}

} // namespace

int main() {
	u64 seed = 1;
	auto run = [&](const Range64& k) {
		if (k.live + k.stride <= (int)(8 * k.width)) check(k, seed++);
	};
	for (int live = 1; live <= 64; live++)
		for (u64 width : {4, 8}) {
			run({5001, width, live, 0, SMALL_ROWS, 1});
			run({9000, width, live, (int)(seed % 32), 0, 12, (int)(seed % 2 * 10)});
			run({7000, width, live, 64 - live, 0, 1});
		}
	// All bits of row numbers.
	for (u64 bits = 1; bits <= 16; bits++)
		for (u64 n : {(1ull << bits) - 1, 1ull << bits, (1ull << bits) + 1}) {
			run({n, 8, 20, (int)(seed % 40), 0, 1});
			run({n, 8, 17 + (int)(seed % 15), 0, SMALL_ROWS, 1, (int)(seed % 3 * 10)});
			run({n, 4, 17 + (int)(seed % 15), 0, 0, 1});
		}
	// Records with as few bits of the code as those of many rows; few rows in very many buckets, or at both ends of
	// them.
	for (int live : {20, 32, 33, 40, 45, 64})
		for (u64 n : {9000, 30001}) {
			run({n, 8, live, 0, 0, 12, live == 45 ? 10 : 0, 0, false, 24});
			run({n, 8, live, 0, 0, 16, 0, (u64)(live == 40 ? 3 : 0), false, 28});
			run({n, 8, live, 0, 0, 16, 0, 0, false, 28, true});
			run({n, 8, live, 0, 0, 13, 0, 7, false, 20, true});
		}
	// Rows that the sample does not see.
	for (u64 outliers : {1, 5, 300})
		for (int stride : {0, 5, 13, 40})
			for (int live : {17, 20, 24}) {
				run({20000, 8, live, stride, 0, 1, 0, outliers});
				run({9000, 8, live, stride, SMALL_ROWS, 1, 0, outliers});
				run({10000, 4, live, stride, 0, 12, 5, outliers});
				if (stride) run({20000, 8, live, stride, 0, 12, 0, outliers, true});
			}
	printf("%d sorts by few live bits are right, %d of them by codes of 32 bits, %d are refused\n", sorted, narrow,
	       refused);
	return !sorted || !narrow || !refused;
}
