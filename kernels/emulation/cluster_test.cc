// Sorts of few rows by a cluster on the emulated device, compared with a stable sort of the standard library.
#include "emulation/test_column.h"

namespace {

const u32 clusterBytes = 2 * CLUSTER_CAPACITY * 12 + (CLUSTER_THREADS / 32 + 2 * CLUSTER_BLOCKS + 1) * RADIX_BINS * 4 +
                         CLUSTER_BLOCKS * 24 + 2048;

void check(Kind kind, u64 n, int distribution, u64 seed, bool nulls, Classes classes, bool mapped) {
	Device d;
	d.seed = seed;
	TestColumn c(kind, n, distribution, seed, nulls ? 15 : 0, classes);
	std::vector<u32> want = c.order(), rows(n, 0xeeeeeeee), in(n);
	for (u64 i = 0; i < n; i++) in[i] = (u32)(1000000 - i);
	SmallSort job = {c.field, classes, n, mapped ? (u64)in.data() : 0, (u64)rows.data()};
	d.run_cluster(cluster, CLUSTER_BLOCKS, CLUSTER_THREADS, clusterBytes, job);
	for (u64 i = 0; i < n; i++) {
		u32 is = mapped ? 1000000 - rows[i] : rows[i];
		if (is != want[i])
			fail("place", i, "holds row", is, "not", want[i], "n", n, kindNames[kind], distributionNames[distribution],
			     "seed", seed, "nulls", nulls, "classes", classes);
	}
}

} // namespace

int main() {
	int cases = 0;
	auto run = [&](Kind kind, u64 n, int distribution) {
		bool nulls = cases % 2, classes = nulls || kind == F32 || kind == F64;
		check(kind, n, distribution, cases + 1, nulls,
		      !classes    ? NO_CLASSES
		      : cases % 3 ? CLASSES_AT_END
		                  : CLASSES_AT_START,
		      cases % 5 == 0);
		cases++;
	};
	const u64 quarter = CLUSTER_ROWS / 4;
	for (u64 n : {1, 2, 31, 33, 1000}) {
		for (int kind = 0; kind < KINDS; kind++) run((Kind)kind, n, 0);
	}
	for (u64 n : {(u64)1023, (u64)1025, quarter - 1, quarter, quarter + 1, 2 * quarter, 2 * quarter + 1})
		run((Kind)(n % KINDS), n, 0);
	for (int kind = 0; kind < KINDS; kind++) run((Kind)kind, 5000 + kind, 0);
	for (int distribution = 0; distribution < distributions; distribution++) {
		run((Kind)(distribution % KINDS), 3000 + distribution, distribution);
		run(I64_DOWN, 4000, distribution);
	}
	for (u64 n : {CLUSTER_ROWS - 1, CLUSTER_ROWS}) run(F64, n, 0), run(U32, n, 2), run(I64_DOWN, n, HOT_VALUE);
	printf("%d sorts of few rows are right\n", cases);
}
