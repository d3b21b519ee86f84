// Sorts of few rows, by a block or a cluster, on the emulated device, compared with a stable sort of the standard library.
#include "../arrowsort.cu"
#include "../test/argsort.h"
#include "../test/distributions.h"
#include <numeric>

namespace {

enum Kind { U8, BITS, U32, I64_DOWN, F32, F64, RANKS, KINDS };
const char* const kindNames[] = {"u8", "bits", "u32", "i64 descending", "f32", "f64", "ranks"};

// A column of a kind with what the sort must make of each row: its class and its number.
struct TestColumn {
	std::vector<u8> values;
	std::vector<u32> validity;
	Field field = codes_field(nullptr);
	std::vector<u64> number;
	std::vector<int> classOf;

	TestColumn(Kind kind, u64 n, int distribution, u64 seed, bool nulls, Classes classes) : values(n * 8 + 16), validity(n / 32 + 2) {
		const u64 widths[] = {1, 1, 4, 8, 4, 8, 4};
		u64 width = field.width = field.stride = widths[kind];
		field.bit = 3, field.values = (u64)values.data(), field.validity = nulls ? (u64)validity.data() : 0;
		u64 sign = kind == I64_DOWN || kind == F32 || kind == F64 ? 1ull << (8 * width - 1) : 0;
		field.base[0] = sign, field.sign = sign;
		if (kind == I64_DOWN) field.mul = field.bias = ~0ull;
		if (kind == F32 || kind == F64) field.form = FORM_FLOAT, field.infinity = kind == F32 ? 0x7f800000 : 0x7ff0000000000000;
		if (kind == RANKS) field.form = FORM_RANK;
		if (kind == BITS) field.form = FORM_BIT, field.valueBit = 5;
		if (kind == BITS) std::fill(values.begin(), values.end(), 0);
		for (u64 i = 0; i < n; i++) {
			u64 x = draw(distribution, i, n, seed) >> (64 - 8 * width);
			bool null = nulls && mix(i + seed) % 7 == 0;
			if (kind == RANKS) x = null ? 0 : x % 1000 + 1;
			if (kind == BITS) x &= 1, values[(i + 5) / 8] |= x << (i + 5) % 8;
			else memcpy(&values[i * width], &x, width);
			validity[(i + 3) / 32] |= (u32)!null << (i + 3) % 32;
			null |= kind == RANKS && x == 0;
			add(kind, x, sign, null, classes);
		}
		if (kind == RANKS) field.validity = 0;
	}
	void add(Kind kind, u64 x, u64 sign, bool null, Classes classes) {
		bool nan = false;
		if (kind == I64_DOWN) x = ~(x ^ sign);
		if (kind == RANKS) x--;
		if (kind == F32 || kind == F64) {
			nan = (x & ~sign) > field.infinity;
			x = x & sign ? sign - (x & ~sign) : x | sign;
		}
		int c = null ? 2 : nan ? 1 : 0;
		classOf.push_back(classes == CLASSES_AT_START ? -c : c);
		number.push_back(c ? 0 : x);
	}
};

enum Sort { FEW, TINY, CLUSTER };
const char* const sortNames[] = {"tiny_few", "tiny", "cluster"};

void check(Kind kind, u64 n, int distribution, u64 seed, bool nulls, Classes classes, Sort sort, bool mapped) {
	Device d;
	d.seed = seed;
	TestColumn c(kind, n, distribution, seed, nulls, classes);
	std::vector<u32> want(n), rows(n, 0xeeeeeeee), in(n);
	std::iota(want.begin(), want.end(), 0);
	for (u64 i = 0; i < n; i++) in[i] = (u32)(1000000 - i);
	std::stable_sort(want.begin(), want.end(), [&](u32 a, u32 b) {
		return c.classOf[a] != c.classOf[b] ? c.classOf[a] < c.classOf[b] : c.number[a] < c.number[b];
	});
	Few job = {c.field, classes, n, mapped ? (u64)in.data() : 0, (u64)rows.data()};
	switch (sort) {
	case FEW: d.run(tiny_few, 1, TINY_THREADS, tiny_bytes(TINY_FEW_ITEMS), job); break;
	case TINY: d.run(tiny, 1, TINY_THREADS, tiny_bytes(TINY_ITEMS), job); break;
	case CLUSTER: d.run_cluster(cluster, CLUSTER_BLOCKS, CLUSTER_THREADS, clusterBytes, job); break;
	}
	for (u64 i = 0; i < n; i++) {
		u32 is = mapped ? 1000000 - rows[i] : rows[i];
		if (is == want[i]) continue;
		fprintf(stderr, "FAILED %s: place %llu holds row %u, not %u: n %llu, %s, %s, seed %llu, nulls %d, classes %d\n", sortNames[sort], (unsigned long long)i, is, want[i],
		        (unsigned long long)n, kindNames[kind], distributionNames[distribution], (unsigned long long)seed, nulls, (int)classes);
		exit(1);
	}
}

} // namespace

int main() {
	int cases = 0;
	auto run = [&](Kind kind, u64 n, int distribution, Sort sort) {
		bool nulls = cases % 2, classes = nulls || kind == F32 || kind == F64;
		check(kind, n, distribution, cases + 1, nulls, !classes ? NO_CLASSES : cases % 3 ? CLASSES_AT_END : CLASSES_AT_START, sort, cases % 5 == 0);
		cases++;
	};
	for (u64 n : {1, 2, 31, 33, 1000, TINY_FEW_ROWS - 1, TINY_FEW_ROWS}) {
		for (int kind = 0; kind < KINDS; kind++) run((Kind)kind, n, 0, FEW);
	}
	for (int distribution = 0; distribution < distributions; distribution++) {
		run((Kind)(distribution % KINDS), 3000, distribution, FEW);
		run(I64_DOWN, 4000, distribution, FEW);
	}
	for (u64 n : {TINY_ROWS - 1, TINY_ROWS}) run(F64, n, 0, TINY), run(U32, n, 2, TINY), run(I64_DOWN, n, 5, TINY);
	const u64 quarter = CLUSTER_ROWS / 4;
	for (u64 n : {1, 31, 33, 1023, 1025}) run((Kind)(n % KINDS), n, 0, CLUSTER);
	for (u64 n : {quarter - 1, quarter, quarter + 1, 2 * quarter, 2 * quarter + 1}) run((Kind)(n % KINDS), n, 0, CLUSTER);
	for (int kind = 0; kind < KINDS; kind++) run((Kind)kind, 5000 + kind, 0, CLUSTER);
	for (int distribution = 0; distribution < distributions; distribution++) run((Kind)(distribution % KINDS), 3000 + distribution, distribution, CLUSTER);
	for (u64 n : {CLUSTER_ROWS - 1, CLUSTER_ROWS}) run(F64, n, 0, CLUSTER), run(U32, n, 2, CLUSTER), run(I64_DOWN, n, HOT_VALUE, CLUSTER);
	printf("%d sorts of few rows are right\n", cases);
}
