// Selects of the first rows on the emulated device, compared with a stable sort of the standard library.
#include "arrowsort.cu"
#include "test/device.h"
#include "test/distributions.h"
#include <algorithm>
#include <numeric>

namespace {

const u64 UNSET = 0xeeeeeeeeeeeeeeee; // what kernels do not write

enum Kind { U32, U32_NULLS, I64_DOWN, F32, F64_NULLS_FIRST, RANKS, CODES20, KINDS };
const char* const kindNames[] = {"u32",   "u32 and nulls",   "i64 descending", "f32", "f64 and nulls at the start",
                                 "ranks", "codes of 20 bits"};

// A column of a kind, the field that makes its codes, and the codes as they should be.
struct TestColumn {
	std::vector<u8> values;
	std::vector<u32> validity;
	std::vector<u64> code;
	Field field = codes_field(nullptr);
	u32 bits;

	TestColumn(Kind kind, u64 n, int distribution, u64 seed, int nullsPercent)
	    : values(n * 8 + 32), validity(n / 32 + 2), code(n) {
		const u64 widths[] = {4, 4, 8, 4, 8, 4, 8};
		u64 width = field.width = field.stride = widths[kind], all = ~0ull >> (64 - 8 * width);
		bool floating = kind == F32 || kind == F64_NULLS_FIRST, nullable = kind == U32_NULLS || kind == F64_NULLS_FIRST;
		u64 sign = floating || kind == I64_DOWN ? 1ull << (8 * width - 1) : 0;
		bits = kind == U32_NULLS ? 33 : kind == CODES20 ? 20 : (u32)width * 8;
		field.values = ((u64)values.data() + 15) / 16 * 16, field.validity = nullable ? (u64)validity.data() : 0,
		field.bit = 3;
		field.sign = field.base[0] = sign;
		if (kind == U32_NULLS) field.null = 1ull << 32;
		if (kind == I64_DOWN) field.mul = field.bias = ~0ull;
		if (floating)
			field.form = FORM_FLOAT, field.infinity = kind == F32 ? 0x7f800000 : 0x7ff0000000000000,
			field.nan = kind == F32 ? all - 1 : 1, field.null = kind == F32 ? all : 0;
		if (kind == RANKS) field.form = FORM_RANK, field.null = all;
		for (u64 i = 0; i < n; i++) {
			u64 x = draw(distribution, i, n, seed) >> (64 - (kind == CODES20 ? 20 : 8 * width));
			if (floating && mix(i + seed) % 10 == 0) x = mix(i) % 2 ? sign : 0; // zeros of both signs
			if (floating && mix(i + seed) % 50 == 1) x = field.infinity | 1 | (mix(i) & sign);
			if (kind == RANKS) x = mix(i * 3 + seed) % 9 == 0 ? 0 : x % 5000 + 1;
			memcpy((u8*)field.values + i * width, &x, width);
			bool null = nullable && (int)(mix(i * 7 + seed) % 100) < nullsPercent;
			validity[(i + 3) / 32] |= (u32)!null << (i + 3) % 32;
			code[i] = null ? field.null : code_of(kind, x, all, sign, floating);
		}
	}
	u64 code_of(Kind kind, u64 x, u64 all, u64 sign, bool floating) const {
		if (kind == I64_DOWN) return ~(x ^ sign);
		if (kind == RANKS) return x == 0 ? all : x - 1;
		if (!floating) return x;
		if ((x & ~sign) > field.infinity) return field.nan;
		return x & sign ? sign - (x & ~sign) : x | sign;
	}
};

struct Case {
	Kind kind;
	u64 n, k;
	int distribution, nullsPercent = 20;
	bool separateTies = true;
	u64 hits = 0, capacity = 0; // 0: as for n and k
	u64 seed = 0;
	u32 resident = 3;
};

void fail(const Case& c, const char* what) {
	fprintf(stderr, "FAILED: %s: %s, n %llu, k %llu, %s, %d %% null, %s, hits %llu, room %llu, seed %llu\n", what,
	        kindNames[c.kind], (unsigned long long)c.n, (unsigned long long)c.k, distributionNames[c.distribution],
	        c.nullsPercent, c.separateTies ? "ties apart" : "ties among candidates", (unsigned long long)c.hits,
	        (unsigned long long)c.capacity, (unsigned long long)c.seed);
	exit(1);
}

bool has_short_codes(const TestColumn& c) { return c.field.width == 4 && c.bits <= 32; }

// The memory of a select, and the launches.
struct Selecting {
	std::vector<u64> sample, status, codes;
	std::vector<u32> rows, tied;
	Selection selection = {};
	Selected selected = {};

	// hits: of the sample.
	Selecting(Device& d, const Case& c, const TestColumn& column, u64 hits, u64 capacity)
	    : sample(SELECT_SAMPLE, UNSET), status(ceil_div(c.n, SELECT_WIDE_TILE)), codes(capacity + 1, UNSET),
	      rows(capacity + 1, (u32)UNSET), tied(c.k + 1, (u32)UNSET) {
		Select s = {column.field,       column.bits,           c.n,
		            c.k,                hits,                  c.separateTies,
		            capacity,           (u64)sample.data(),    (u64)status.data(),
		            (u64)&selection,    (u64)codes.data(),     (u64)rows.data(),
		            (u64)tied.data(),   (u64)&selected};
		const bool shortCodes = has_short_codes(column);
		const u32 tile = shortCodes ? SELECT_TILE : SELECT_WIDE_TILE;
		d.run(select_border, ceil_div(std::min<u64>(c.n, SELECT_SAMPLE), SELECT_BORDER_THREADS), SELECT_BORDER_THREADS,
		      RADIX_BINS * 4 + 64, s);
		d.run(shortCodes ? select_rows : select_rows_wide, ceil_div(c.n, tile), SELECT_THREADS,
		      SELECT_THREADS / 32 * 4 + 64, s);
	}
};

int declined = 0, few = 0, many = 0, withTies = 0;

void check(const Case& c) {
	Device d;
	d.seed = c.seed, d.resident = c.resident;
	TestColumn column(c.kind, c.n, c.distribution, c.seed, c.nullsPercent);
	const std::vector<u64>& code = column.code;
	const u64 sampled = std::min<u64>(c.n, SELECT_SAMPLE), mean = sampled * c.k / c.n,
	          hits = c.hits ? c.hits : std::min(sampled, mean + 3 * (u64)sqrt(mean + 1) + 5),
	          capacity = c.capacity ? c.capacity : std::min(c.n, (hits + hits / 4 + 40) * c.n / sampled);
	Selecting t(d, c, column, hits, capacity);
	if (t.rows[capacity] != (u32)UNSET || t.tied[c.k] != (u32)UNSET) fail(c, "writes after the capacity");

	// The border is the sample's, and the counts are right.
	u64 border = t.selection.border, candidateRows = 0, tied = 0, up = 0;
	for (u64 i = 0; i < sampled; i++) up += code[sampled_row((u32)i, c.n, (u32)sampled)] <= border;
	if (up < hits) fail(c, "the border precedes that of the sample");
	if (t.selection.declined) {
		if (c.separateTies || up * c.n <= capacity * sampled) fail(c, "declined for no reason");
		if (t.selected.candidates != ~0ull) fail(c, "declined and not reported");
		declined++;
		return;
	}
	std::vector<u32> candidates, ties;
	for (u64 i = 0; i < c.n; i++) {
		bool tie = code[i] == border, candidate = code[i] < border || (tie && !c.separateTies);
		if (candidate) candidates.push_back((u32)i), candidateRows++;
		else if (tie) ties.push_back((u32)i), tied++;
	}
	if (t.selected.candidates != candidateRows || t.selected.tied != tied || t.selected.border != border)
		fail(c, "other counts");
	for (u64 i = 0; i < candidateRows && candidateRows <= capacity; i++) {
		u64 is = has_short_codes(column) ? ((u32*)t.codes.data())[i] : t.codes[i];
		if (t.rows[i] != candidates[i] || is != code[candidates[i]]) fail(c, "another candidate");
	}
	few += candidateRows + tied < c.k, many += candidateRows > capacity;
	if (candidateRows + tied >= c.k && candidateRows <= capacity) { // what the host makes of it
		std::vector<u32> order(c.n), got(candidates);
		auto before = [&](u32 a, u32 b) { return code[a] < code[b]; };
		std::iota(order.begin(), order.end(), 0);
		std::stable_sort(order.begin(), order.end(), before);
		std::stable_sort(got.begin(), got.end(), before);
		withTies += got.size() < c.k;
		while (got.size() < c.k) got.push_back(t.tied[got.size() - candidateRows]);
		if (!std::equal(got.begin(), got.begin() + (long)c.k, order.begin())) fail(c, "other first rows");
	}
}

} // namespace

int main() {
	int cases = 0;
	auto run = [&](Case c) {
		c.seed = (u64)++cases, c.resident = 1 + cases % 4;
		if (c.k <= c.n) check(c);
	};
	for (int kind = 0; kind < KINDS; kind++) {
		for (u64 n : {1, 2, 31, 33, 1000, 5000})
			for (u64 k : {(u64)1, (u64)7, n / 10 + 1, n / 2 + 1, n - 1, n})
				if (k > 0) run({(Kind)kind, n, k, kind + (int)k % 3});
		for (int nulls : {0, 100}) run({(Kind)kind, 9000, 50, UNIFORM, nulls});
	}
	// Every distribution, with ties at the border, across it, and none.
	for (int distribution = 0; distribution < distributions; distribution++) {
		for (u64 k : {(u64)1, (u64)100, (u64)4000, (u64)10001})
			run({(Kind)(distribution % KINDS), 20011, k, distribution});
		run({U32, 20000, 3000, distribution});
		run({I64_DOWN, 20000, 100, distribution, 0, false});
	}
	// The border of heavy values: five values have a fifth of the rows each.
	for (u64 k : {3999, 4000, 4001, 8000, 12000})
		run({U32, 20000, k, FIVE_VALUES}), run({I64_DOWN, 20000, k, FIVE_VALUES, 0, false});
	// Around the edges of tiles.
	for (u64 n : {SELECT_TILE - 1, SELECT_TILE, SELECT_TILE + 1, 3 * SELECT_TILE + 31})
		run({U32, n, 100, n % 2 ? UNIFORM : RUNS}), run({CODES20, n, n / 3, UNIFORM});
	for (u64 n : {SELECT_WIDE_TILE - 1, SELECT_WIDE_TILE, SELECT_WIDE_TILE + 1, 5 * SELECT_WIDE_TILE})
		run({F64_NULLS_FIRST, n, 100, UNIFORM}), run({U32_NULLS, n, n / 2, ZEROS});
	run({U32, 40 * SELECT_WIDE_TILE + 5, 100, UNIFORM}),
	    run({U32_NULLS, 40 * SELECT_WIDE_TILE + 5, 70000, SORTED}); // more tiles than a warp reads at a time
	// Wrong sampled cutoffs: a border before the k-th row, and too many candidates.
	for (bool separateTies : {true, false}) {
		run({U32, 30000, 20000, UNIFORM, 0, separateTies, 1000});
		run({F32, 30000, 10, UNIFORM, 0, separateTies, 9000, 100});
		run({I64_DOWN, 30000, 10, CONSTANT, 0, separateTies, 1, 100});
		run({U32, 30000, 30000, UNIFORM, 0, separateTies, SELECT_SAMPLE});
	}
	printf("%d selects are right, %d of them with ties, %d declined, %d with too few rows, %d with too many\n", cases,
	       withTies, declined, few, many);
	return !withTies || !declined || !few || !many;
}
