// Sorts of few rows, by a block or a cluster, on the emulated device, compared with a stable sort of the standard
// library.
#include "small_sort_columns.h"

namespace {

enum Sort { FEW, TINY, CLUSTER };
const char* const sortNames[] = {"single_block_small", "single_block", "cluster"};

void check(Kind kind, u64 n, int distribution, u64 seed, bool nulls, Classes classes, Sort sort, bool mapped) {
	Device d;
	d.seed = seed;
	TestColumn c(kind, n, distribution, seed, nulls, classes);
	std::vector<u32> want = c.order(), rows(n, 0xeeeeeeee), in(n);
	for (u64 i = 0; i < n; i++) in[i] = (u32)(1000000 - i);
	SmallSort job = {c.field, classes, n, mapped ? (u64)in.data() : 0, (u64)rows.data()};
	switch (sort) {
	case FEW:
		d.run(single_block_small, 1, SINGLE_BLOCK_THREADS, single_block_bytes(SINGLE_BLOCK_SMALL_ITEMS), job);
		break;
	case TINY: d.run(single_block, 1, SINGLE_BLOCK_THREADS, single_block_bytes(SINGLE_BLOCK_ITEMS), job); break;
	case CLUSTER: d.run_cluster(cluster, CLUSTER_BLOCKS, CLUSTER_THREADS, clusterBytes, job); break;
	}
	for (u64 i = 0; i < n; i++) {
		u32 is = mapped ? 1000000 - rows[i] : rows[i];
		if (is == want[i]) continue;
		fprintf(stderr, "FAILED %s: place %llu holds row %u, not %u: n %llu, %s, %s, seed %llu, nulls %d, classes %d\n",
		        sortNames[sort], (unsigned long long)i, is, want[i], (unsigned long long)n, kindNames[kind],
		        distributionNames[distribution], (unsigned long long)seed, nulls, (int)classes);
		exit(1);
	}
}

} // namespace

int main() {
	int cases = 0;
	auto run = [&](Kind kind, u64 n, int distribution, Sort sort) {
		bool nulls = cases % 2, classes = nulls || kind == F32 || kind == F64;
		check(kind, n, distribution, cases + 1, nulls,
		      !classes    ? NO_CLASSES
		      : cases % 3 ? CLASSES_AT_END
		                  : CLASSES_AT_START,
		      sort, cases % 5 == 0);
		cases++;
	};
	for (u64 n : {1, 2, 31, 33, 1000, SINGLE_BLOCK_SMALL_ROWS - 1, SINGLE_BLOCK_SMALL_ROWS}) {
		for (int kind = 0; kind < KINDS; kind++) run((Kind)kind, n, 0, FEW);
	}
	for (int distribution = 0; distribution < distributions; distribution++) {
		run((Kind)(distribution % KINDS), 3000, distribution, FEW);
		run(I64_DOWN, 4000, distribution, FEW);
	}
	for (u64 n : {SINGLE_BLOCK_ROWS - 1, SINGLE_BLOCK_ROWS})
		run(F64, n, 0, TINY), run(U32, n, 2, TINY), run(I64_DOWN, n, 5, TINY);
	const u64 quarter = CLUSTER_ROWS / 4;
	for (u64 n : {1, 31, 33, 1023, 1025}) run((Kind)(n % KINDS), n, 0, CLUSTER);
	for (u64 n : {quarter - 1, quarter, quarter + 1, 2 * quarter, 2 * quarter + 1})
		run((Kind)(n % KINDS), n, 0, CLUSTER);
	for (int kind = 0; kind < KINDS; kind++) run((Kind)kind, 5000 + kind, 0, CLUSTER);
	for (int distribution = 0; distribution < distributions; distribution++)
		run((Kind)(distribution % KINDS), 3000 + distribution, distribution, CLUSTER);
	for (u64 n : {CLUSTER_ROWS - 1, CLUSTER_ROWS})
		run(F64, n, 0, CLUSTER), run(U32, n, 2, CLUSTER), run(I64_DOWN, n, HOT_VALUE, CLUSTER);
	printf("%d sorts of few rows are right\n", cases);
}
