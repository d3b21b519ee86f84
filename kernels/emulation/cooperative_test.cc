// Sorts by a grid on the emulated device, compared with a stable sort of the standard library.
#include "small_sort_columns.h"

namespace {

const u32 cooperativeBytes =
    std::max(COOPERATIVE_ITEMS * COOPERATIVE_THREADS, COOPERATIVE_CAPACITY + COOPERATIVE_BUCKETS / 2 + 4) * 12 +
    (4 << COOPERATIVE_BIN_BITS) + COOPERATIVE_THREADS / 32 * 16;

struct Case {
	Kind kind;
	u64 n;
	int distribution;
	u64 blocks;
	u64 seed = 1;
	bool nulls = false, mapped = false;
	Classes classes = NO_CLASSES;
};

void fail(const Case& k, const char* what, u64 at, u32 is, u32 want) {
	fprintf(stderr, "FAILED %s: %llu is %u, not %u: n %llu, blocks %llu, %s, %s, seed %llu, nulls %d, classes %d\n",
	        what, (unsigned long long)at, is, want, (unsigned long long)k.n, (unsigned long long)k.blocks,
	        kindNames[k.kind], distributionNames[k.distribution], (unsigned long long)k.seed, k.nulls, (int)k.classes);
	exit(1);
}

// The expected status, 0 if it depends on the sample or on the values.
u64 expected(const Case& k) {
	const u64 yes = STATUS_ACCEPTED, no = STATUS_DECLINED;
	bool integers = k.kind == U32 || k.kind == I64_DOWN;
	switch (k.distribution) {
	case CONSTANT: case SORTED: case REVERSED: return k.nulls ? 0 : yes;
	case UNIFORM: return integers || k.kind == RANKS ? yes : 0;
	case LIVE20: case LIVE32: case LIVE40: case OUTLIERS: return k.kind == I64_DOWN ? yes : 0;
	case TWO_VALUES: case AND16: return integers && k.n > 32000 ? no : 0;
	default: return 0;
	}
}

int declined = 0;

// Sorts twice now and then: the second sort finds what the first one has left. A grid that declines has written nothing
// of the result.
void check(const Case& k) {
	Device d;
	d.seed = k.seed, d.multiprocessors = k.blocks;
	u64 n = k.n;
	TestColumn c(k.kind, n, k.distribution, k.seed, k.nulls, k.classes);
	std::vector<u64> numbers(n, 0xeeeeeeee);
	std::vector<u32> want = c.order(), rows(n), in(n), tags(n, 0xeeeeeeee);
	for (u64 i = 0; i < n; i++) in[i] = (u32)(10000000 - i);
	CooperativeState state = {};
	std::vector<u32> totals(d.multiprocessors);
	for (u64 round = 0; round < 1 + k.seed % 2; round++) {
		std::fill(rows.begin(), rows.end(), 0xeeeeeeee);
		u64 status = 0;
		CooperativeSort job = {{c.field, k.classes, n, k.mapped ? (u64)in.data() : 0, (u64)rows.data()},
		                       (u64)&state, (u64)numbers.data(), (u64)tags.data(), (u64)totals.data(), (u64)&status};
		d.run_cooperatively(cooperative, d.multiprocessors, COOPERATIVE_THREADS, cooperativeBytes, job);
		const bool sorted = status == STATUS_ACCEPTED;
		declined += !sorted;
		u64 expects = expected(k);
		if (status != STATUS_ACCEPTED && status != STATUS_DECLINED)
			fail(k, "what is reported", round, (u32)status, (u32)expects);
		if (expects != 0 && status != expects) fail(k, "verdict", round, (u32)status, (u32)expects);
		for (u64 i = 0; i < n; i++) {
			u32 is = !sorted ? rows[i] : k.mapped ? 10000000 - rows[i] : rows[i], right = sorted ? want[i] : 0xeeeeeeee;
			if (is != right) fail(k, "row at a place", i, is, right);
		}
		const u32* words = (const u32*)&state;
		for (u64 i = 0; i < sizeof(CooperativeState) / 4; i++) {
			u32 is = i == 0 ? words[0] & ~(1u << 31) : words[i]; // the top bit of the gate stays
			if (is != 0) fail(k, "word of the meeting", i, is, 0);
		}
	}
}

} // namespace

int main(int count, char** arguments) {
	int cases = 0;
	auto run = [&](Kind kind, u64 n, int distribution, u64 blocks) {
		bool nulls = cases % 2, classes = nulls || kind == F32 || kind == F64;
		check({kind, n, distribution, blocks, (u64)cases + 1, nulls, cases % 5 == 0,
		       !classes    ? NO_CLASSES
		       : cases % 3 ? CLASSES_AT_END
		                   : CLASSES_AT_START});
		cases++;
	};
	const u64 block = COOPERATIVE_THREADS, full = COOPERATIVE_ITEMS * block;
	if (count > 1) { // the largest sort of a device with that many multiprocessors: more than a minute
		u64 blocks = (u64)atoi(arguments[1]);
		run(I64_DOWN, blocks * full, UNIFORM, blocks), run(F32, blocks * full - 1, UNIFORM, blocks),
		    run(U32, blocks * full - 77, AND4, blocks);
	}
	for (u64 n : {(u64)1, (u64)2, (u64)31, (u64)33, block - 1, block + 1, 3 * block, 3 * block + 1})
		run((Kind)(n % KINDS), n, UNIFORM, 3);
	for (u64 n : {3 * full - 1, 3 * full}) run(n % 2 ? F64 : U32, n, UNIFORM, 3);
	for (u64 n : {5 * block, 5 * block + 1, 5 * full - 3}) run(I64_DOWN, n, UNIFORM, 5);
	for (int seed = 0; seed < 2; seed++)
		run(F32, 20000, UNIFORM, 3), run(F64, 21000, UNIFORM, 3); // floats that their values do not spread, and others
	for (int kind = 0; kind < KINDS; kind++) run((Kind)kind, kind % 2 ? 7000 : 24000, UNIFORM, 3);
	for (int distribution = 0; distribution < distributions; distribution++) {
		run((Kind)(distribution % KINDS), 6000 + distribution, distribution, 2);
		run(distribution % 2 ? U32 : I64_DOWN, 32500 + distribution, distribution, 4);
		run(I64_DOWN, 32200 + distribution, distribution, 6); // the capacity of buckets is less
		if (distribution % 4 == 0) run(distribution % 8 ? F64 : F32, 26000 + distribution, distribution, 4);
	}
	printf("%d sorts by grids are right, %d were declined\n", cases, declined);
	return !declined || declined == cases;
}
