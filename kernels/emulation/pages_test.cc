// Partition and bucket sort with pages on the emulated device: of columns that lie evenly nothing is counted. Rows must
// be in order whether buckets fit their pages or need extensions, and the sort must be declined where they fit neither.
#include "arrowsort.cu"
#include "test/device.h"
#include "test/distributions.h"
#include <algorithm>
#include <numeric>

namespace {

// A Case is a column, and the records of a page as a share of the rows of a bucket.
struct Case {
	u32 width;
	bool valuesOnly, floats;
	u32 bits, firstBits;
	double share;
	u64 rows;
	u32 crowd = 0; // rows in thousand that lie in one bucket, in addition
	bool nan = false;
	u64 seed = 1;
};

void fail(const Case& k, const char* what) {
	::fail(what, "width", k.width, k.valuesOnly ? "keys only," : "", k.floats ? "floats," : "", k.bits, "bits,",
	       k.firstBits, "first, share", k.share, "rows", k.rows, "crowd", k.crowd, "seed", k.seed);
}

u32 scatter_bytes(u32 tile, u32 record, u32 bins) { return tile * record + (bins + 4) * 8 + 128; }

template <class Word> struct PagedSort {
	const Case& k;
	Device d;
	std::vector<Word> values;
	Buckets b = {};
	Map map = {};
	PartialStatistics partial = {};
	Report report = {};
	// The decision, then counts of buckets and of classes.
	std::vector<u32> counters, starts, cursors, firstStarts, firstCursors, filled;
	std::vector<Range> ranges, list;
	std::vector<Piece> pieces;
	std::vector<u64> records[2];
	std::vector<Word> out;

	explicit PagedSort(const Case& k)
	    : k(k), values(k.rows), counters(sizeof(Decision) / 4 + (1u << k.bits) + CLASSES * k.rows),
	      starts((1u << k.bits) + 1), cursors(1u << k.bits), firstStarts((1u << k.firstBits) + 1),
	      firstCursors(1u << k.firstBits), filled(64, 77), ranges(ceil_div(k.rows, BUCKET_RANGE_ROWS) + 1),
	      list((1u << k.bits) + ranges.size()), pieces(EQUALIZER_PIECES), out(k.rows) {
		d.seed = k.seed;
		for (u64 i = 0; i < k.rows; i++) {
			u64 x = draw(UNIFORM, i, k.rows, k.seed);
			if (mix(x) % 1000 < k.crowd) x = x >> 12 | 7ull << 60;
			values[i] = (Word)(x >> (64 - 8 * sizeof(Word)));
			if (k.floats) values[i] = sizeof(Word) == 4 ? (Word)pattern_of((float)unit(x)) : (Word)pattern_of(unit(x));
		}
		if (k.nan) values[k.rows / 2] = (Word)~(Word)0;
		Field& f = b.field;
		const Word sign = (Word)1 << (8 * sizeof(Word) - 1);
		f.values = (u64)values.data(), f.width = f.stride = sizeof(Word), f.mul = 1, f.mask = ~0ull;
		f.form = k.floats ? FORM_FLOAT : FORM_INTEGER, f.sign = sign;
		f.infinity = sizeof(Word) == 4 ? 0x7f800000 : 0x7ff0000000000000ull;
		if (k.floats) f.base[0] = sign;
		(Values&)b.column = f;
		b.codeBits = 8 * sizeof(Word), b.rows = (u64)out.data();
		b.decision = (u64)counters.data(), b.counts = b.decision + sizeof(Decision);
		b.classCounts = b.counts + (4ull << k.bits), b.starts = (u64)starts.data(), b.cursors = (u64)cursors.data();
		b.firstStarts = (u64)firstStarts.data(), b.firstCursors = (u64)firstCursors.data();
		b.ranges = (u64)ranges.data(), b.list = (u64)list.data(), b.n = k.rows, b.bits = k.bits;
		b.firstBits = k.firstBits, b.second = k.bits - k.firstBits, b.rowBits = k.bits + BUCKET_SORT_BIN_BITS;
		b.numberMap = (u64)&map, b.partial = (u64)&partial, b.pieces = (u64)pieces.data(), b.report = (u64)&report;
		b.minimumBits = 16, b.maxOversized = 1 << k.bits, b.valuesOnly = k.valuesOnly;
		b.evenPage = ((u64)(k.share * k.rows / (1u << k.bits)) + 31) & ~31ull;
		b.extensions = filled.size(), b.filled = (u64)filled.data();
	}

	// Launches all kernels; returns the status of the plan.
	u64 run() {
		const u32 wide = sizeof(Word) == 8, recordBytes = k.valuesOnly ? sizeof(Word) : 8;
		d.run(sample, 1, SAMPLE_THREADS, SAMPLE_BYTES, b);
		if (report.sample != ((u64)STATUS_ACCEPTED | STATUS_EVEN)) fail(k, "rows are not even to the sample");
		d.run(key_scan, 2, KEY_SCAN_THREADS, KEY_SCAN_BYTES, b);
		b.page = b.evenPage;
		const u64 all = (b.page << b.bits) + b.extensions * EXTENSION_RECORDS;
		for (u32 pass = 0; pass < (b.second ? 2u : 1u); pass++)
			records[pass].assign(ceil_div(all * recordBytes, 8), ~0ull), b.records[pass] = (u64)records[pass].data();
		const u64 tiles = ceil_div(b.n, first_tile(&b));
		const u32 onlyBytes = scatter_bytes(PARTITION_ONLY_TILE, 8, 1 << ONLY_PASS_BITS);
		if (b.second) {
			const u32 bytes = scatter_bytes(PARTITION_TILE, 8, 256);
			if (k.valuesOnly) d.run(wide ? partition_first_values_wide : partition_first_values, tiles,
				                    PARTITION_VALUE_THREADS, bytes, b);
			else if (wide) d.run(partition_first_wide, tiles, PARTITION_WIDE_THREADS, bytes, b);
			else d.run(k.floats ? partition_first_floats : partition_first, tiles, PARTITION_THREADS, bytes, b);
			const u64 grid = (b.page << b.bits) / PARTITION_SECOND_TILE + (1u << b.firstBits) + 1;
			if (k.valuesOnly) d.run(wide ? partition_second_values_wide : partition_second_values, grid,
				                    PARTITION_SECOND_THREADS, bytes, b);
			else d.run(partition_second, grid, PARTITION_SECOND_THREADS, bytes, b);
		} else if (k.valuesOnly) {
			d.run(wide ? partition_only_values_wide : partition_only_values, tiles, PARTITION_VALUE_THREADS, onlyBytes,
			      b);
		} else {
			d.run(wide ? partition_only_wide : partition_only, tiles, PARTITION_ONLY_THREADS, onlyBytes, b);
		}
		d.run(bucket_plan, ceil_div(1u << b.bits, PLAN_THREADS * PLAN_ITEMS) + CLASSES, PLAN_THREADS, 1024, b);
		const u64 grid = ceil_div(b.n, BUCKET_RANGE_ROWS);
		const u32 bytes = 220 << 10;
		const bool narrow = !wide || map.narrow;
		if (k.valuesOnly) {
			d.run(wide ? bucket_sort_values_wide : bucket_sort_values, grid,
			      wide ? BUCKET_SORT_WIDE_VALUE_THREADS : BUCKET_SORT_THREADS, bytes, b);
			d.run(wide ? bucket_sort_large_values_wide : bucket_sort_large_values, d.multiprocessors,
			      BUCKET_SORT_LARGE_THREADS, bytes, b);
		} else {
			d.run(narrow ? bucket_sort : bucket_sort_wide, grid,
			      narrow ? BUCKET_SORT_THREADS : BUCKET_SORT_WIDE_THREADS, bytes, b);
			d.run(bucket_sort_large, d.multiprocessors, BUCKET_SORT_LARGE_THREADS, bytes, b);
		}
		return report.plan;
	}

	void expect_order() const {
		std::vector<Word> number(values);
		for (Word& x : number) Numbers<Word>(&b.field).make(x);
		std::vector<u32> order(k.rows);
		std::iota(order.begin(), order.end(), 0);
		std::stable_sort(order.begin(), order.end(), [&](u32 x, u32 y) { return number[x] < number[y]; });
		for (u64 i = 0; i < k.rows; i++) {
			if (k.valuesOnly && out[i] != values[order[i]]) fail(k, "a place holds another value");
			if (!k.valuesOnly && ((const u32*)out.data())[i] != order[i]) fail(k, "a place holds another row");
		}
		for (u64 i = sizeof(Decision) / 4; i < counters.size(); i++) {
			if (counters[i]) fail(k, "a counter is not zero");
		}
	}
};

int extended = 0, declined = 0;

template <class Word> void check_sort(const Case& k, bool sorts) {
	PagedSort<Word> sort(k);
	const bool sorted = sort.run() == STATUS_ACCEPTED, more = ((const Decision*)sort.b.decision)->extended > 0;
	if (sorted != sorts) fail(k, sorts ? "the sort is declined" : "the sort is not declined");
	if (sorted) sort.expect_order();
	if (k.crowd && !more) fail(k, "no bucket has an extension");
	extended += sorted && more, declined += !sorted;
}
void check_sort(const Case& k, bool sorts) {
	if (k.width == 4) check_sort<u32>(k, sorts);
	else check_sort<u64>(k, sorts);
}

} // namespace

int main() {
	const u64 rows = 102'401;
	u64 seed = 1;
	int sorts = 0;
	for (u32 width : {4, 8})
		for (u32 first : {8, 3})
			for (bool valuesOnly : {false, true})
				for (bool floats : {false, true}) {
					if (valuesOnly && floats) continue;
					auto check = [&](double share, bool sorted, u32 crowd = 0, bool nan = false) {
						check_sort({width, valuesOnly, floats, 8, first, share, rows, crowd, nan, seed++}, sorted);
						sorts++;
					};
					check(1.25, true);   // all fit
					check(1.09, true, 2); // a bucket has an extension
					check(0.8, false);   // a bin of the first pass has too many rows, or there are too few extensions
					if (floats) check(1.25, false, 0, true);
				}
	printf("%d columns are right, %d with extensions, %d declined\n", sorts, extended, declined);
}
