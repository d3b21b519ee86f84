// What the sample decides for columns of many rows, of which only those are drawn that it reads: whether partition and
// bucket sort suits.
#include "arrowsort.cu"
#include "test/device.h"
#include "test/distributions.h"
#include <algorithm>
#include <sys/mman.h>

namespace {

// A Lazy is a column of which only the rows of a sample are there.
struct Lazy {
	u64 bytes;
	u8* values;

	Lazy(u64 n, u64 width)
	    : bytes(n * width + 4096),
	      values((u8*)mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
		if (values == MAP_FAILED) perror("memory"), exit(1);
	}
	~Lazy() { munmap(values, bytes); }
};

template <u32 rows, class Draw> void draw_places(const Buckets& b, const Draw& draw) {
	emulation::launch(1, SAMPLE_THREADS, SAMPLE_BYTES, [&] {
		typedef Sampler<u64, rows> S;
		S s(&b, shared_memory());
		for (int i = 0; i < S::items; i++) draw(s.place(i, b.n));
		u32 octave;
		for (int i = 0; i < S::items; i += 2) draw(std::min(s.near_place(i, b.n, &octave), b.n - 1));
	}, 1, 1);
}

// The buckets of a column of 2^20 rows or more, as package gpu has them (shapeBuckets).
Buckets shape(const Column& c, u64 n) {
	const u32 log2 = 63 - (u32)__builtin_clzll(n);
	Buckets b = {};
	b.column = c, b.n = n, b.codeBits = 8 * c.width, b.rowBits = log2, b.minimumBits = 2 * RADIX_BITS;
	b.bits = log2 - 12, b.firstBits = b.bits <= ONLY_PASS_BITS ? b.bits : (b.bits + 1) / 2,
	b.second = b.bits - b.firstBits;
	b.readsMore = n > 1 << 22;
	b.maxOversized = std::max(128, (1 << b.bits) / (c.width == 8 ? 4 : 10));
	Field& f = b.field;
	f.values = c.values, f.form = c.form, f.width = f.stride = c.width, f.sign = c.sign, f.infinity = c.infinity;
	f.base[0] = c.signBit, f.mul = 1, f.mask = ~0ull;
	return b;
}

// The decision of a sample of a column with the given values.
struct Sampled {
	Decision decision = {};
	Map map = {};

	// readsMore: the larger sample, which sees zeroes here, where no row is drawn.
	template <class Draw> Sampled(u64 n, u64 width, bool floats, const Draw& value, bool readsMore = true) {
		Device d;
		Lazy column(n, width);
		Column c = {};
		c.values = (u64)column.values, c.form = floats ? FORM_FLOAT : FORM_INTEGER, c.width = c.stride = width;
		c.sign = c.signBit = 1ull << (8 * width - 1), c.infinity = width == 4 ? 0x7f800000 : 0x7ff0000000000000ull;
		if (!floats) c.signBit = 0;
		Buckets b = shape(c, n);
		b.readsMore &= readsMore;
		std::vector<Range> ranges(n / BUCKET_RANGE_ROWS + 2);
		PartialStatistics partial = {};
		Report report = {};
		b.ranges = (u64)ranges.data(), b.partial = (u64)&partial, b.report = (u64)&report;
		b.decision = (u64)&decision, b.numberMap = (u64)&map;
		auto draw = [&](u64 row) {
			u64 x = value(row);
			if (floats) {
				double v = (double)(int64_t)x * 0x1p-63;
				x = width == 8 ? pattern_of(v) : (u64)pattern_of((float)v) << 32;
			}
			x >>= 64 - 8 * width;
			memcpy(column.values + row * width, &x, width);
		};
		if (n > MIDDLE_SAMPLE_OF) draw_places<SAMPLE_ROWS>(b, draw);
		else if (n > SMALL_SAMPLE_OF) draw_places<MIDDLE_SAMPLE_ROWS>(b, draw);
		else draw_places<SMALL_SAMPLE_ROWS>(b, draw);
		d.run(sample, 1, 1024, SAMPLE_BYTES, b);
	}
};

int columns = 0;

void expect(bool holds, const char* what, u64 n, u64 width, const Sampled& s) {
	const Decision& v = s.decision;
	columns++;
	if (!holds)
		fail(what, n, "rows of", width, "bytes: reason", v.reason, "sampled", v.sampled, "ties", v.ties, "neighbours",
		     v.neighbours, "heavy values", s.map.heavies);
}

void expect_drawn(bool taken, int distribution, u32 log2, u64 width, bool floats = false) {
	Sampled s(1ull << log2, width, floats, [&](u64 row) { return draw(distribution, row, 1ull << log2, 42); });
	expect((s.decision.reason == REASON_NONE) == taken, distributionNames[distribution], 1ull << log2, width, s);
}

// Groups of neighbours that share 40 bits: large ones take longer than digits do.
void expect_groups(bool taken, u64 group, u64 n, bool floats) {
	Sampled s(n, 8, floats, [&](u64 row) { return (mix(row / group) & ~0xffffffull) | mix(row + n) >> 40; });
	expect((s.decision.reason == REASON_NONE) == taken, "groups of neighbours", n, 8, s);
}

bool is_heavy(const Sampled& s, u64 number) {
	for (u32 k = 0; k < s.map.heavies; k++) {
		if (s.map.heavy[k].number == number) return true;
	}
	return false;
}

} // namespace

int main() {
	for (u32 log2 : {20, 24, 28})
		for (u64 width : {4, 8}) {
			for (int distribution : {UNIFORM, TIES, HOT_VALUE, ZEROS, HALF_ONES})
				expect_drawn(true, distribution, log2, width);
			for (int distribution : {AND2, AND4, RUNS, VALUES17, ZIPF, PREFIXES, HOT_BUCKET, JITTER, CLOSE_JITTER})
				expect_drawn(false, distribution, log2, width);
			expect_drawn(width == 8, SHARED40, log2, width);
			expect_drawn(log2 < 28, VALUES22, log2, width);
		}
	for (int distribution : {UNIFORM, TIES, SHARED40})
		for (u32 log2 : {20, 24, 28}) expect_drawn(true, distribution, log2, 8, true);
	for (u64 n : {1ull << 24, 1ull << 28})
		for (bool floats : {false, true}) {
			for (u64 group : {2, 3, 8, 16}) expect_groups(true, group, n, floats);
			for (u64 group : {64, 100, 300, 5000}) expect_groups(false, group, n, floats);
		}
	// Buckets that are too large for most rows, as those of a normal distribution are, and of an even one are not.
	for (bool even : {false, true}) {
		auto bell = [&](u64 row) {
			u64 sum = 0;
			for (u64 i = 0; i < 8; i++) sum += mix(8 * row + i) >> 4;
			return even ? mix(row) : sum - (1ull << 62); // a mean of zero
		};
		Sampled s(1ull << 28, 4, true, bell, false);
		expect(s.decision.reason == (even ? REASON_NONE : REASON_LARGE), "large buckets", 1ull << 28, 4, s);
	}
	// Heavy values with the prefix of other rows, one of them in a few rows more than there are of others, two of them
	// with one prefix.
	for (u64 n : {1ull << 20, 1ull << 24, 1ull << 28}) {
		Sampled zero(n, 8, false, [&](u64 row) {
			return mix(row) % 10 ? 0 : mix(row) % 3 ? mix(row + 1) : mix(row + 1) >> 40;
		});
		expect(is_heavy(zero, 0), "zero is not found", n, 8, zero);
		u64 one = 0x1234567887654321ull;
		Sampled two(n, 8, false, [&](u64 row) {
			return mix(row) % 10 < 4 ? one : mix(row) % 10 < 8 ? one + 5 : mix(row + 1);
		});
		expect(is_heavy(two, one) && is_heavy(two, one + 5), "two values with the same prefix are not found", n, 8,
		       two);
	}
	printf("%d samples are right\n", columns);
}
