// Sorts by a grid on the emulated device, compared with a stable sort of the standard library.
#include "emulation/test_column.h"

namespace {

const u32 cooperativeBytes =
    std::max(COOPERATIVE_ITEMS * COOPERATIVE_THREADS, COOPERATIVE_CAPACITY + COOPERATIVE_BUCKETS / 2 + 4) * 12 +
    (4 << COOPERATIVE_BIN_BITS) + COOPERATIVE_THREADS / 32 * 16 + (COOPERATIVE_BUCKETS + COOPERATIVE_BUCKETS / 16) * 8;

struct Case {
	Kind kind;
	u64 n;
	int distribution;
	u64 blocks;
	u64 seed = 1;
	bool nulls = false, mapped = false;
	Classes classes = NO_CLASSES;
};

// Distributions of which the sample sees what is in few rows only: the others are equal; or, of equal sampled rows, the
// others differ and are greater.
const int UNSAMPLED = distributions, UNSAMPLED_GREATER = UNSAMPLED + 1;

void fail(const Case& k, const char* what, u64 at, u32 is, u32 want) {
	const char* name = k.distribution >= UNSAMPLED ? "unsampled" : distributionNames[k.distribution];
	::fail(what, at, "is", is, "not", want, "n", k.n, "blocks", k.blocks, kindNames[k.kind], name, "seed", k.seed,
	       "nulls", k.nulls, "classes", k.classes);
}

bool is_sampled(u64 n, u64 i) {
	for (u32 t = (u32)(i * COOPERATIVE_THREADS / n); t < COOPERATIVE_THREADS; t++) {
		u32 row = CooperativeSample::row_of((u32)n, t);
		if (row >= i) return row == i;
	}
	return false;
}

// The expected status, 0 if it depends on the sample or on the values.
u64 expected(const Case& k) {
	const u64 yes = STATUS_ACCEPTED, no = STATUS_DECLINED;
	bool integers = k.kind == U32 || k.kind == I64_DOWN;
	switch (k.distribution) {
	case CONSTANT: case SORTED: case REVERSED: return k.nulls ? 0 : yes;
	case UNIFORM: return integers || k.kind == RANKS ? yes : 0;
	case LIVE20: case LIVE32: case LIVE40: case OUTLIERS: return k.kind == I64_DOWN ? yes : 0;
	case TWO_VALUES: case AND16: return k.kind == I64_DOWN ? yes : k.kind == U32 && k.n > 32000 ? no : 0;
	case UNSAMPLED: case UNSAMPLED_GREATER: return no;
	default: return 0;
	}
}

int declined = 0, counts = 0, placed = 0;

// The digits that a grid counts where it declines, those of the integers that a column's values are, and the memory for
// them, which is not zero before. With codesNull they are those of a column of integers, whose nulls get a code.
struct Digits {
	static const u64 words = MAX_DIGITS * RADIX_BINS + 8, statusWords = 12;
	const TestColumn& c;
	std::vector<u32> memory = std::vector<u32>(words + statusWords, 0xeeeeeeee);
	Field column;
	u64 report = 0;
	DigitCounts job = {};

	Digits(const TestColumn& c, bool codesNull, bool atStart) : c(c) {
		job.field = codes_field((const u64*)c.values.data());
		job.field.width = job.field.stride = c.field.width;
		if (codesNull) job.field = c.field, job.field.null = atStart ? 0 : ~0ull >> (64 - 8 * c.field.width);
		for (u64 d = 0; d < c.field.width; d++) job.shifts |= 8 * d << 8 * d, job.bits |= 8ull << 8 * d;
		job.count = c.field.width, job.codesNull = codesNull;
		job.column = (u64)&column, job.counts = (u64)memory.data(), job.countsWords = words;
		job.status = (u64)(memory.data() + words), job.statusWords = statusWords, job.report = (u64)&report;
	}
	u64 code(u64 row) const {
		if (job.codesNull) return c.classOf[row] ? column.null : c.number[row];
		u64 x = 0;
		memcpy(&x, &c.values[row * c.field.width], c.field.width);
		return x;
	}
	// Reports a fault, or that there is none: an empty string.
	const char* check(bool atStart) const {
		const u64 n = c.number.size();
		u64 constant = 0, shared = 0;
		for (u64 d = 0; d < job.count; d++) {
			u32 rows[RADIX_BINS] = {}, start = 0;
			for (u64 i = 0; i < n; i++) rows[code(i) >> 8 * d & 255]++;
			for (u32 bin = 0; bin < RADIX_BINS; start += rows[bin++]) {
				if (memory[d * RADIX_BINS + bin] != start) return "the start of a bin";
				if (rows[bin] == n) constant |= 1ull << d;
			}
		}
		for (u64 i = 0; job.codesNull && i < n; i++) {
			if (c.classOf[i] != 0) continue;
			if (c.number[i] == column.null) shared = STATUS_SHARES_NULL;
			if (atStart ? c.number[i] < column.null : c.number[i] > column.null) return "a value beyond null";
		}
		if (report != (STATUS_COUNTED | shared | constant * STATUS_CONSTANT)) return "what is counted";
		for (u64 i = words; i < words + statusWords; i++)
			if (memory[i] != 0) return "a status word";
		Field same = column;
		if (job.codesNull) same.null = job.field.null;
		return memcmp(&same, &job.field, sizeof same) ? "the field" : "";
	}
	// The rows as a sort by the digits leaves them.
	std::vector<u32> order() const {
		std::vector<u32> rows(c.number.size());
		std::iota(rows.begin(), rows.end(), 0);
		std::stable_sort(rows.begin(), rows.end(), [&](u32 a, u32 b) { return code(a) < code(b); });
		return rows;
	}
};

// Sorts twice now and then: the second sort finds what the first one has left. A grid that declines has written nothing
// of the result.
void check(const Case& k) {
	Device d;
	d.seed = k.seed, d.multiprocessors = k.blocks;
	u64 n = k.n;
	if (n > d.multiprocessors * COOPERATIVE_ITEMS * COOPERATIVE_THREADS) fail(k, "too many rows", 0, (u32)n, 0);
	const bool unsampled = k.distribution >= UNSAMPLED, greater = k.distribution == UNSAMPLED_GREATER;
	TestColumn c(k.kind, n, unsampled ? UNIFORM : k.distribution, k.seed, k.nulls ? 15 : 0, k.classes);
	for (u64 i = 0; unsampled && i < n; i++) {
		u64 x = greater ? ~0ull >> 1 : 12345678; // the least of descending numbers, where others are greater
		if (is_sampled(n, i) == greater) memcpy(&c.values[8 * i], &x, 8), c.number[i] = ~(x ^ 1ull << 63);
	}
	std::vector<u64> numbers(n, 0xeeeeeeee);
	std::vector<u32> want = c.order(), rows(n), in(n), tags(n, 0xeeeeeeee);
	for (u64 i = 0; i < n; i++) in[i] = (u32)(10000000 - i);
	CooperativeState state = {};
	std::vector<u32> totals((1 + COOPERATIVE_FULL) * d.multiprocessors, 0xeeeeeeee);
	for (u64 round = 0; round < 1 + k.seed % 2; round++) {
		std::fill(rows.begin(), rows.end(), 0xeeeeeeee);
		u64 status = 0;
		CooperativeSort job = {{c.field, k.classes, n, k.mapped ? (u64)in.data() : 0, (u64)rows.data()},
		                       (u64)&state, (u64)numbers.data(), (u64)tags.data(), (u64)totals.data(), (u64)&status};
		const bool counted = c.field.width >= 4 && c.field.form != FORM_BIT && k.seed % 3 > 0;
		Digits digits(c, k.classes != NO_CLASSES && (k.kind == U32 || k.kind == I64_DOWN) && k.seed % 3 == 1,
		              k.classes == CLASSES_AT_START);
		if (counted) job.digits = digits.job;
		d.run_cooperatively(cooperative, d.multiprocessors, COOPERATIVE_THREADS, cooperativeBytes, job);
		const bool sorted = status == STATUS_ACCEPTED;
		declined += !sorted;
		u64 expects = counted ? 0 : expected(k), decision = status & (STATUS_ACCEPTED | STATUS_DECLINED);
		if ((decision != STATUS_ACCEPTED && decision != STATUS_DECLINED) ||
		    !(status & STATUS_COUNTED) != (sorted || !counted))
			fail(k, "what is reported", round, (u32)status, (u32)expects);
		if (expects != 0 && status != expects) fail(k, "decision", round, (u32)status, (u32)expects);
		if (status & STATUS_COUNTED) {
			const char* fault = digits.check(k.classes == CLASSES_AT_START);
			counts++;
			if (*fault) fail(k, fault, round, (u32)digits.report, 0);
			if (digits.report & STATUS_SHARES_NULL && !k.mapped) {
				std::vector<u32> result = digits.order();
				job.small.out = (u64)result.data();
				d.run(place_nulls, d.multiprocessors, COOPERATIVE_THREADS, cooperativeBytes, job);
				placed++;
				for (u64 i = 0; i < n; i++)
					if (result[i] != want[i]) fail(k, "row of placed nulls", i, result[i], want[i]);
			}
		}
		for (u64 i = 0; i < n; i++) {
			u32 is = !sorted ? rows[i] : k.mapped ? 10000000 - rows[i] : rows[i], right = sorted ? want[i] : 0xeeeeeeee;
			if (is != right) fail(k, "row at a place", i, is, right);
		}
		const u32* words = (const u32*)&state;
		for (u64 i = 0; i < sizeof(CooperativeState) / 4; i++) {
			u32 is = i == 0 ? words[0] & ~(1u << 31) : words[i]; // the top bit of the barrier stays
			if (is != 0) fail(k, "word of the state", i, is, 0);
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
		run(I64_DOWN, 32200 + distribution, distribution, 6);
		if (distribution % 4 == 0) run(distribution % 8 ? F64 : F32, 26000 + distribution, distribution, 4);
	}
	for (int distribution : {UNSAMPLED, UNSAMPLED_GREATER}) {
		for (u64 n : {(u64)32000, 4 * full - 5}) check({I64_DOWN, n, distribution, 4, 3}), cases++;
	}
	check({I64_DOWN, 16000, TWO_VALUES, 16, 3}), cases++; // the capacity of buckets is less
	for (int distribution : {CONSTANT, TWO_VALUES, AND16, AND4}) { // nulls that may share a code
		for (Kind kind : {U32, I64_DOWN}) {
			for (Classes classes : {CLASSES_AT_END, CLASSES_AT_START})
				check({kind, 32600u + distribution, distribution, 4, 4, true, false, classes}), cases++;
		}
	}
	printf("%d sorts by grids are right, %d were declined, digits of %d counted, nulls of %d placed\n", cases, declined,
	       counts, placed);
	return !declined || declined == cases || !counts || !placed;
}
