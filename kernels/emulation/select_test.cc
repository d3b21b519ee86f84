// Selects of the first rows on the emulated device, compared with a stable sort of the standard library.
#include "emulation/test_column.h"

namespace {

const u64 UNSET = 0xeeeeeeeeeeeeeeee; // what kernels do not write

// A column with the codes that a select compares, NaN and null among them.
struct CodedColumn : TestColumn {
	std::vector<u64> code = number;
	u32 bits; // of codes

	CodedColumn(Kind kind, u64 n, int distribution, u64 seed, int nullsPercent)
	    : TestColumn(kind, n, distribution, seed, nullsPercent, kind == F64 ? CLASSES_AT_START : CLASSES_AT_END, true) {
		const u64 all = ~0ull >> (64 - 8 * field.width);
		const bool wider = (kind == U32 || kind == U64_OF_20) && nullsPercent; // null has a code that no value has
		bits = kind == U64_OF_20 ? 20 : (u32)field.width * 8;
		field.nan = kind == F64 ? 1 : all - 1, field.null = kind == F64 ? 0 : wider ? 1ull << bits : all;
		bits += wider;
		for (u64 i = 0; i < n; i++) {
			if (classOf[i] != 0) code[i] = classOf[i] % 2 ? field.nan : field.null;
		}
	}
};

struct Case {
	Kind kind;
	u64 n, k;
	int distribution, nullsPercent = 0;
	bool separateTies = true;
	u64 hits = 0, capacity = 0; // 0: as for n and k
	u64 seed = 0;
	u32 resident = 3;
};

void fail(const Case& c, const char* what) {
	::fail(what, kindNames[c.kind], "n", c.n, "k", c.k, distributionNames[c.distribution], c.nullsPercent, "% null",
	       c.separateTies ? "ties apart" : "ties among candidates", "hits", c.hits, "capacity", c.capacity, "seed",
	       c.seed);
}

bool has_short_codes(const CodedColumn& c) { return c.field.width == 4 && c.bits <= 32; }

// The memory of a select, and the launches.
struct Selecting {
	std::vector<u64> sample, status, codes;
	std::vector<u32> rows, tied;
	Selection selection = {};
	Selected selected = {};

	// hits: of the sample.
	Selecting(Device& d, const Case& c, const CodedColumn& column, u64 hits, u64 capacity)
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
	CodedColumn column(c.kind, c.n, c.distribution, c.seed, c.nullsPercent);
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
	for (int kind = U32; kind < KINDS; kind++) { // of 4 and of 8 bytes
		for (u64 n : {1, 2, 31, 33, 1000, 5000})
			for (u64 k : {(u64)1, (u64)7, n / 10 + 1, n / 2 + 1, n - 1, n})
				for (int nulls : {0, 20})
					if (k > 0) run({(Kind)kind, n, k, kind + (int)k % 3, nulls});
		for (int nulls : {0, 100}) run({(Kind)kind, 9000, 50, UNIFORM, nulls});
	}
	// Every distribution, with ties at the border, across it, and none.
	for (int distribution = 0; distribution < distributions; distribution++) {
		for (u64 k : {(u64)1, (u64)100, (u64)4000, (u64)10001})
			run({(Kind)(U32 + distribution % (KINDS - U32)), 20011, k, distribution, distribution % 4 / 2 * 20});
		run({U32, 20000, 3000, distribution});
		run({I64_DOWN, 20000, 100, distribution, 0, false});
	}
	// The border of heavy values: five values have a fifth of the rows each.
	for (u64 k : {3999, 4000, 4001, 8000, 12000})
		run({U32, 20000, k, FIVE_VALUES}), run({I64_DOWN, 20000, k, FIVE_VALUES, 0, false});
	// Around the edges of tiles.
	for (u64 n : {SELECT_TILE - 1, SELECT_TILE, SELECT_TILE + 1, 3 * SELECT_TILE + 31})
		run({U32, n, 100, n % 2 ? UNIFORM : RUNS}), run({U64_OF_20, n, n / 3, UNIFORM});
	for (u64 n : {SELECT_WIDE_TILE - 1, SELECT_WIDE_TILE, SELECT_WIDE_TILE + 1, 5 * SELECT_WIDE_TILE})
		run({F64, n, 100, UNIFORM, 20}), run({U32, n, n / 2, ZEROS, 20});
	run({U32, 40 * SELECT_WIDE_TILE + 5, 100, UNIFORM}),
	    run({U32, 40 * SELECT_WIDE_TILE + 5, 70000, SORTED, 20}); // more tiles than a warp reads at a time
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
