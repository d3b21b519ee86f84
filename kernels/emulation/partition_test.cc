// Partition and finish on the emulated device, compared with a sort of the standard library.
#include "../arrowsort.cu"
#include "../test/distributions.h"
#include "../test/partition.h"
#include <numeric>

namespace {

int refused = 0;

void check(u64 n, u32 bits, int distribution, u64 seed, u64 smallRows = SMALL_ROWS, u64 bucketBits = 1) {
	Device d;
	d.seed = seed;
	std::vector<u64> codes(n), a(n, 0xeeeeeeee), b(n, 0xeeeeeeee);
	for (u64 i = 0; i < n; i++) codes[i] = draw(distribution, i, n, seed) >> (64 - bits);
	std::vector<u32> want(n), rows(n, 0xeeeeeeee);
	std::iota(want.begin(), want.end(), 0);
	std::stable_sort(want.begin(), want.end(), [&](u32 x, u32 y) { return codes[x] < codes[y]; });
	Field f = codes_field(codes.data());
	PartitionTemp t(d, n, a.data(), b.data());
	Partitioner p{d, t};
	p.look(&f, n, bits, rows.data(), smallRows, bucketBits);
	if (!t.verdict->equal && !t.verdict->miscount && t.verdict->largest <= FINISH_REST_ROWS) { // whether it is worth it or not
		p.sort();
		for (u64 i = 0; i < n; i++) {
			if (rows[i] == want[i]) continue;
			fprintf(stderr, "FAILED: n %llu, %u bits, %s, seed %llu: place %llu holds row %u, not %u\n", (unsigned long long)n, bits,
			        distributionNames[distribution], (unsigned long long)seed, (unsigned long long)i, rows[i], want[i]);
			exit(1);
		}
	} else {
		refused++;
		p.refuse();
	}
	for (u32 i = 0; i < 1u << BUCKET_BITS; i++) {
		if (t.counts[i] == 0) continue;
		fprintf(stderr, "FAILED: counts are not clear, n %llu, %s\n", (unsigned long long)n, distributionNames[distribution]);
		exit(1);
	}
	t.release(d);
}

} // namespace

int main() {
	u64 seed = 1;
	int sorts = 0;
	for (u64 n : {1, 33, SMALL_FINISH_WINDOW - 1, SMALL_FINISH_WINDOW + 1, 5000})
		for (u32 bits : {17, 32, 33, 64}) check(n, bits, 0, seed++), sorts++;
	for (int distribution = 0; distribution < distributions; distribution++)
		for (u32 bits : {24, 64}) check(9000, bits, distribution, seed++), sorts++;
	for (u32 bits : {32, 40}) check(30000, bits, 0, seed++, 0, 12), sorts++; // two passes, large windows
	check(20000, 64, 22, seed++, 0, 13), sorts++;
	printf("%d sorts are right, %d of them refused\n", sorts, refused);
}
