// The bucket sort alone on the emulated device, with buckets that no partition would make by chance: rows that share
// leading bits by the dozen and the thousand, at the limits of bucket ranges. It must sort them, and fetch the numbers
// of rows only where their codes tie.
#include "arrowsort.cu"
#include "test/device.h"
#include "test/distributions.h"
#include <algorithm>
#include <numeric>

namespace {

// What a column is: numbers of 4 bytes, of 8 bytes, floats of 8 bytes by their values.
enum Kind { EXACT, WIDE, VALUES };

// A Case is one bucket or a few, of a map of many. All of its rows are in groups that share leading bits.
struct Case {
	Kind kind;
	bool few;        // buckets, and bits of a row number
	u64 rows;        // of each bucket
	u32 buckets;     // adjacent
	u32 group;       // rows that share bits
	u32 shared;      // bits that they share
	bool near = true; // rows of a group are neighbours in the column
	u32 low = 0, high = 0; // rows in thousand that are below, above the range of the map
	u64 reach = 0;         // not 0: how far away from it those are at most
	u64 seed = 1;
	bool valuesOnly = false;
};

double mostFetched = 0; // numbers for each row

void fail(const Case& k, const char* what) {
	::fail(what, "kind", k.kind, k.few ? "few buckets," : "", k.buckets, "buckets of", k.rows, "rows, groups of",
	       k.group, "that share", k.shared, "bits", k.near ? "," : "far apart,", k.low, "and", k.high,
	       "outside by up to", k.reach, "seed", k.seed, k.valuesOnly ? "keys only" : "");
}

// How much of the type is outside of the range of the map on each side: such numbers are none of the buckets'.
u64 margin_of(const Case& k) { return k.low || k.high ? (k.kind == EXACT ? (u64)~0u : ~0ull) >> 14 : 0; }

u32 shared_bytes(u32 room, u32 binBits, bool wide) {
	return ((room > 6144 ? 512 : 256) + room + 32 + std::max(room, 1u << binBits) + 32) * 4 + (wide ? room * 6 : 0);
}

// Sorts bucket ranges, and then those that were deferred.
void sort_buckets(Device& d, const Buckets& b, bool wide) {
	const u32 threads = wide ? BUCKET_SORT_WIDE_THREADS : BUCKET_SORT_THREADS,
	          items = wide ? BUCKET_SORT_WIDE_ITEMS : BUCKET_SORT_ITEMS;
	d.run(wide ? bucket_sort_wide : bucket_sort, ceil_div(b.n, BUCKET_RANGE_ROWS), threads,
	      shared_bytes(threads * items, BUCKET_SORT_BIN_BITS, wide), b);
	d.run(bucket_sort_large, d.multiprocessors, BUCKET_SORT_LARGE_THREADS,
	      shared_bytes(BUCKET_SORT_LARGE_THREADS * BUCKET_SORT_LARGE_ITEMS, BUCKET_SORT_LARGE_BIN_BITS, true), b);
}

// The same for keys only.
void sort_values(Device& d, const Buckets& b, bool wide) {
	const u32 threads = wide ? BUCKET_SORT_WIDE_VALUE_THREADS : BUCKET_SORT_THREADS,
	          items = wide ? BUCKET_SORT_WIDE_VALUE_ITEMS : BUCKET_SORT_ITEMS,
	          most = 2 * shared_bytes(threads * items, BUCKET_SORT_BIN_BITS, true),
	          mostOfLarge = 2 * shared_bytes(BUCKET_SORT_LARGE_THREADS * BUCKET_SORT_LARGE_ITEMS,
	                                         BUCKET_SORT_LARGE_BIN_BITS, true);
	d.run(wide ? bucket_sort_values_wide : bucket_sort_values, ceil_div(b.n, BUCKET_RANGE_ROWS), threads, most, b);
	d.run(wide ? bucket_sort_large_values_wide : bucket_sort_large_values, d.multiprocessors, BUCKET_SORT_LARGE_THREADS,
	      mostOfLarge, b);
}

// Sorts records that are numbers without rows, and compares the values.
template <class Word>
void check_values(const Case& k, Device& d, Buckets b, const std::vector<u64>& number,
                  const std::vector<std::pair<u32, u64>>& scattered, u64 rowMask) {
	std::vector<Word> records, values(number.size(), (Word)0xeeeeeeeeeeeeeeeeull), order(number.begin(), number.end());
	for (auto& r : scattered) records.push_back((Word)number[r.second & rowMask]);
	b.records[0] = (u64)records.data(), b.rows = (u64)values.data(), b.valuesOnly = 1;
	sort_values(d, b, sizeof(Word) == 8);
	std::sort(order.begin(), order.end());
	if (values != order) fail(k, "a place holds another value");
}

void check(const Case& k) {
	Device d;
	d.seed = k.seed, d.multiprocessors = 2;
	const bool wide = k.kind != EXACT;
	const u64 n = k.rows * k.buckets, full = BUCKET_RANGE_ROWS, sign = 1ull << 63,
	          infinity = 0x7ff0000000000000ull;
	const u32 bits = k.few ? 8 : 16, rowBits = k.few ? 20 : 28, firstBucket = 37;
	// The numbers: in the buckets from firstBucket on.
	std::vector<u64> words(n);
	std::vector<u32> values32(n);
	for (u64 i = 0; i < n; i++) {
		u64 group = k.near ? i / k.group : i % ceil_div(n, k.group),
		    bucket = firstBucket + (k.near ? i : group * k.group) / k.rows % k.buckets;
		u64 common = mix(group + k.seed * 977) >> bits | bucket << (64 - bits),
		    own = k.shared < 64 ? ~0ull >> k.shared : 0;
		u64 x = (common & ~own) | (mix(i + k.seed) & own);
		u32 outside = (u32)(mix(i * 3 + k.seed) % 1000);
		if (outside < k.low) x = group % 3 ? mix(group * 5) % 7 : mix(group) >> 15; // below the range
		if (outside >= 1000 - k.high) x = ~0ull - mix(group * 5) % 7 * (k.seed % 2 ? 1 : 1ull << 46);
		const u64 margin = margin_of(k);
		if (k.reach && outside < k.low) x = (margin - 1 - mix(group * 5) % k.reach) << (wide ? 0 : 32);
		if (k.reach && outside >= 1000 - k.high)
			x = ((wide ? ~0ull : (u64)~0u) - margin + 1 + mix(group * 5) % k.reach) << (wide ? 0 : 32);
		if (k.kind == VALUES) {
			double v = (double)(int64_t)(x ^ sign) * 0x1p-63;
			x = pattern_of(v);
		}
		words[i] = x, values32[i] = (u32)(x >> 32);
	}
	Buckets b = {};
	Field& f = b.field;
	f.values = wide ? (u64)words.data() : (u64)values32.data(), f.width = f.stride = wide ? 8 : 4;
	f.form = k.kind == VALUES ? FORM_FLOAT : FORM_INTEGER, f.mul = 1, f.mask = ~0ull, f.sign = wide ? sign : sign >> 32,
	f.infinity = infinity;
	if (k.kind == VALUES) f.base[0] = sign;
	std::vector<u64> number(n);
	for (u64 i = 0; i < n; i++) number[i] = wide ? number_at<u64>(&f, i) : number_at<u32>(&f, i);
	Map map = {};
	if (k.kind == VALUES) {
		Numbers<u64> numbers(&f);
		u64 least = ~sign, greatest = 0;
		for (u64 x : {pattern_of(-1.0), pattern_of(1.0)}) {
			numbers.make(x);
			least = std::min(least, x), greatest = std::max(greatest, x);
		}
		if (!make_value_map(&map, least, greatest, 0, numbers.flip, sign, bits, rowBits)) fail(k, "no map");
	} else {
		u64 most = wide ? ~0ull : ~0u, margin = margin_of(k);
		make_map(&map, margin, most - margin, most, 0, rowBits);
	}
	// The records, in any order within their buckets.
	Mapper mapper(&map);
	std::vector<std::pair<u32, u64>> scattered(n);
	for (u64 i = 0; i < n; i++) {
		u64 code = k.kind == VALUES ? ValueMap<u64>(&map).code_of(words[i], 0)
		           : wide           ? mapper.wide_code(number[i])
		                            : (u64)mapper.prefix((u32)number[i], (u32)i) << 32;
		scattered[i] = {(u32)(code >> (64 - bits)), wide ? (code & ~0ull << rowBits) | i : code | i};
	}
	for (u64 i = n; i > 1; i--) std::swap(scattered[i - 1], scattered[mix(i + k.seed) % i]);
	std::stable_sort(scattered.begin(), scattered.end(), [](auto& x, auto& y) { return x.first < y.first; });
	std::vector<u64> records(n);
	for (u64 i = 0; i < n; i++) records[i] = scattered[i].second;
	// The plan.
	const u64 rangeCount = ceil_div(n, full);
	std::vector<u32> starts((1 << bits) + 1);
	for (auto& r : scattered) starts[r.first + 1]++;
	std::partial_sum(starts.begin(), starts.end(), starts.begin());
	std::vector<Range> ranges(rangeCount + 1, Range{1u << bits, (u32)n}), rest((1 << bits) + rangeCount);
	ranges[0] = {0, 0};
	for (u32 bucket = 0, w = 1; bucket < 1u << bits; bucket++) {
		if (starts[bucket + 1] - starts[bucket] > BUCKET_SORT_LARGE_ROWS)
			fail(k, "a bucket is too large for this test");
		for (; w < rangeCount && starts[bucket + 1] >= w * full; w++) ranges[w] = {bucket + 1, starts[bucket + 1]};
	}
	Decision decision = {};
	decision.accepted = 1, decision.records = (u32)n;
	for (u64 x : number) decision.below |= x < map.low, decision.above |= x > map.last;
	std::vector<u32> rows(n, 0xeeeeeeee), order(n);
	b.codeBits = wide ? 64 : 32, b.records[0] = (u64)records.data(), b.rows = (u64)rows.data(),
	b.starts = (u64)starts.data(), b.ranges = (u64)ranges.data();
	b.decision = (u64)&decision, b.list = (u64)rest.data(), b.n = n, b.bits = b.firstBits = bits, b.rowBits = rowBits,
	b.numberMap = (u64)&map;

	if (k.valuesOnly && wide) return check_values<u64>(k, d, b, number, scattered, ~(~0ull << rowBits));
	if (k.valuesOnly) return check_values<u32>(k, d, b, number, scattered, ~(~0ull << rowBits));
	emulation::watch.from = (const void*)f.values, emulation::watch.to = (const void*)(f.values + n * f.width),
	emulation::watch.loads = 0;
	sort_buckets(d, b, wide);
	u64 fetched = emulation::watch.loads;

	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](u32 x, u32 y) { return number[x] < number[y]; });
	for (u64 i = 0; i < n; i++) {
		if (rows[i] != order[i]) fail(k, "a place holds another row");
	}
	mostFetched = std::max(mostFetched, (double)fetched / n);
	if (fetched > 3 * n) fail(k, "numbers are fetched again and again");
}

} // namespace

int main() {
	u64 seed = 1;
	int sorts = 0;
	auto run = [&](Case k) {
		k.seed = seed++;
		check(k), sorts++;
		if (k.kind == VALUES) return;
		k.valuesOnly = true;
		check(k), sorts++;
	};
	for (Kind kind : {EXACT, WIDE, VALUES})
		for (bool few : {false, true}) {
			const u64 full = BUCKET_RANGE_ROWS, largest = BUCKET_SORT_LARGE_ROWS;
			// Bins and runs of all sizes, ordered by a thread, half a warp, a warp, a block.
			for (u32 group : {1, 2, 3, 4, 8, 9, 15, 16, 17, 31, 32, 33, 64, 300, 512, 513, 1500})
				for (u32 shared : {30, 40}) run({kind, few, full * 8 / 10, 1, group, shared, group % 2 == 0});
			for (u32 group : {2, 16, 64, 300})
				for (u32 shared : {28, 36, 60, 64}) run({kind, few, full * 9 / 10, 1, group, shared, shared != 60});
			// At the limits of bucket ranges, and above: these are deferred.
			for (u64 rows : {full - 33, full - 1, full, full + 1, full + 31, largest - 1,
			                 largest})
				run({kind, few, rows, 1, 16, 40});
			for (u64 rows : {full - 1, largest})
				run({kind, few, rows, 1, 1, 64}), run({kind, few, rows, 1, (u32)rows, 64}),
				    run({kind, few, rows, 1, (u32)rows, 40});
			run({kind, few, 1000, 7, 16, 40});
			run({kind, few, 1000, 7, 100, 40, false});
			run({kind, few, 10, 500, 3, 33});
		}
	// Rows out of the map's range: their prefixes do not order them.
	for (Kind kind : {EXACT, WIDE})
		for (u32 group : {1, 20, 400})
			for (bool few : {false, true})
				run({kind, few, 6000, 1, group, 40, true, 500, 400}),
				    run({kind, few, 900, 1, group, 40, true, 0, 700});
	// Slightly out of range: many of them are deferred.
	for (Kind kind : {EXACT, WIDE})
		for (u64 reach : {(u64)1, (u64)5000, (u64)1 << 18, (u64)1 << 30, (u64)1 << 31, (u64)1 << 36}) {
			if (kind == EXACT && reach > 1 << 18) continue;
			run({kind, false, 10001, 1, 1, 40, true, 600, 0, reach});
			run({kind, false, 11000, 1, 20, 40, true, 0, 700, reach}),
			    run({kind, true, 8000, 1, 3, 40, true, 450, 500, reach});
		}
	printf("%d columns are right; at most %.2f numbers were fetched for each row\n", sorts, mostFetched);
}
