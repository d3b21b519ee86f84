// Partition and bucket sort on the emulated device, compared with a sort of the standard library, and the statistics of
// the key scan.
#include "../arrowsort.cu"
#include "../test/distributions.h"
#include "../test/heavy.h"
#include <cmath>
#include <numeric>

namespace {

// One of thirty rows shares leading bits with the others of its kind: bins that one thread does not order.
u64 draw_close(u64 i, u64 n, u64 seed, int bits) {
	u64 r = draw(UNIFORM, i, n, seed);
	return i % 30 ? r : 0x7777777777777777ull >> (64 - bits) << (64 - bits) | r >> bits;
}

// Most rows are close to one end of the range, two of them far outside.
u64 draw_corner(u64 i, u64 n, u64 seed, int end) {
	u64 r = draw(UNIFORM, i, n, seed), x = (1ull << 61) + (r >> (mix(r) % 10 ? 11 : 4));
	if (i == n / 2) x = 5;
	if (i == n / 3) x = ~0ull >> 1;
	return end == 1 ? x : ~0ull - x;
}

// Two numbers of the given bytes with the same hash.
struct Collision {
	u64 number[2];

	Collision(u64 width, u64 seed) {
		std::map<u32, u64> numbers;
		for (u64 i = 0;; i++) {
			u64 x = mix(i + seed) >> (64 - 8 * width);
			auto [there, fresh] = numbers.insert({hash_number(x), x});
			if (fresh || there->second == x) continue;
			number[0] = there->second, number[1] = x;
			return;
		}
	}
};

struct Case {
	u64 n, width, form;
	int distribution, nulls; // percent
	bool descending, nullsAtStart;
	u64 seed, smallRows = SMALL_ROWS, bits = 1;
	int close = 0; // bits that a row in thirty shares
	int steps = 0; // floats of this many different values on either side of zero
	bool collide = false; // one row in twenty has one of two numbers of the same hash
	int corner = 0;       // 1: most rows are at the lower end, 2: at the upper one
	int tiny = 0;         // one of this many floats is next to zero

	bool holds(bool ok, const char* what) const {
		if (ok) return true;
		fprintf(stderr, "FAILED: %s: n %llu, width %llu, form %llu, %s, %d %% null%s%s, seed %llu\n", what,
		        (unsigned long long)n, (unsigned long long)width, (unsigned long long)form,
		        distributionNames[distribution], nulls, descending ? ", descending" : "",
		        nullsAtStart ? ", nulls at the start" : "", (unsigned long long)seed);
		exit(1);
	}
};

// The rank of a class and the word of a row, as they sort.
struct Key {
	int cls;
	u64 word;
	bool operator<(const Key& k) const { return cls != k.cls ? cls < k.cls : word < k.word; }
};

int refused = 0, ordered = 0, earlies = 0, asides = 0, written = 0;

// A column whose order was checked.
void check_ordered(const Case& k, Partitioner& p, const PartitionTemp& t, const std::vector<u32>& rows,
                   const std::vector<u32>& order) {
	k.holds(p.sorts(), "rows in order that are not sorted");
	for (u64 i = 0; i < k.n; i++) k.holds(rows[i] == order[i], "a place holds another row");
	k.holds(t.decision->ticket == 0, "the ticket is not clear");
	written++;
}

void check(const Case& k) {
	Device d;
	d.seed = k.seed;
	u64 n = k.n, sign = 1ull << (8 * k.width - 1), all = ~0ull >> (64 - 8 * k.width),
	    infinity = k.width == 4 ? 0x7f800000 : 0x7ff0000000000000ull;
	std::vector<u64> storage((n * k.width + 31) / 16 * 2 + 4), a(n, 0xeeeeeeee), b(n, 0xeeeeeeee);
	u8* values = (u8*)(((u64)storage.data() + 15) / 16 * 16);
	std::vector<u32> validity(n / 32 + 2);
	std::vector<Key> keys(n);
	Collision collision(k.width, k.seed);
	Statistics want = {};
	u64 varying = 0, reference = 0;
	bool first = true;
	for (u64 i = 0; i < n; i++) {
		u64 drawn = k.close    ? draw_close(i, n, k.seed, k.close)
		            : k.corner ? draw_corner(i, n, k.seed, k.corner)
		                       : draw(k.distribution, i, n, k.seed);
		u64 x = drawn >> (64 - 8 * k.width);
		if (k.form == FORM_FLOAT && (k.seed % 2 || k.steps || k.tiny)) { // in (-1, 1)
			double v = (double)(int64_t)drawn * 0x1p-63;
			if (k.steps) v = (double)(int64_t)(v * k.steps) / k.steps;
			if (k.tiny && mix(i ^ k.seed) % k.tiny == 0) v = ldexp(v, -20 - (int)(mix(i + k.seed) % 30));
			x = k.width == 8 ? pattern_of(v) : pattern_of((float)v);
		}
		if (k.collide && mix(i ^ k.seed) % 40 < 2)
			x = collision.number[mix(i ^ k.seed) % 40] ^ sign ^ (k.descending ? all : 0);
		if (k.form == FORM_FLOAT && mix(i + k.seed) % 50 == 0) x = infinity | 1 | (mix(i) & sign);
		memcpy(values + i * k.width, &x, k.width);
		bool null = (int)(mix(i * 7 + k.seed) % 100) < k.nulls, nan = k.form == FORM_FLOAT && (x & ~sign) > infinity;
		validity[(i + 5) / 32] |= (u32)!null << (i + 5) % 32;
		u64 word = k.form == FORM_FLOAT && x & sign ? (sign - x) & all : x;
		if (k.form != FORM_NONE) word ^= sign;
		int cls = null ? 2 : nan ? 1 : 0;
		keys[i] = {k.nullsAtStart ? 2 - cls : cls, cls ? 0 : k.descending ? all - word : word};
		want.nulls += cls == 2, want.nans += cls == 1;
		if (cls == 0) {
			want.notMin[0] = std::max(want.notMin[0], ~word), want.max[0] = std::max(want.max[0], word);
			if (first) reference = word, first = false;
			varying |= word ^ reference;
		}
		if (i == 0) continue;
		want.rises |= keys[i - 1] < keys[i], want.falls |= keys[i] < keys[i - 1];
		want.ties |= !(keys[i - 1] < keys[i]) && !(keys[i] < keys[i - 1]);
	}
	std::vector<u32> order(n), rows(n, 0xeeeeeeee);
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](u32 x, u32 y) { return keys[x] < keys[y]; });
	Column c = {};
	c.values = (u64)values, c.validity = k.nulls ? (u64)validity.data() : 0, c.bit = 5, c.form = k.form,
	c.width = c.stride = k.width, c.sign = sign;
	c.infinity = infinity, c.signBit = sign, c.descending = k.descending, c.nullsAtStart = k.nullsAtStart;
	PartitionTemp t(d, n, a.data(), b.data());
	Partitioner p{d, t};
	p.launch(c, 8 * (u32)k.width, n, rows.data(), k.smallRows, k.bits);
	const Report& r = p.report();
	bool inOrder = !want.falls || (!want.rises && !want.ties);
	if (p.ordered) return check_ordered(k, p, t, rows, order), t.release(d);
	k.holds(p.sorts() == (r.decision.accepted != 0), "the status that the host waits for");
	const Statistics& s = r.statistics;
	bool early = r.decision.early != 0; // then there are no statistics
	k.holds(early || (s.nulls == want.nulls && s.nans == want.nans), "nulls and NaNs");
	k.holds(!early || (s.any & s.notAll & ~varying) == 0, "bits that vary in the sample");
	// Of doubles only the high words are known, and of floats bits that may vary, from the last one on that does.
	u64 vague = k.form == FORM_FLOAT && k.width == 8 ? 0xffffffff : 0, varied = s.any & s.notAll,
	    same = varied ? (varied & -varied) - 1 : ~0ull;
	bool extent = s.notMin[0] >= want.notMin[0] && s.max[0] >= want.max[0] &&
	              ((s.notMin[0] ^ want.notMin[0]) | (s.max[0] ^ want.max[0])) <= vague;
	bool bits = (k.form == FORM_FLOAT ? (varying & ~varied) == 0 : varied == varying) &&
	            ((~s.notMin[0] ^ reference) & same) == 0;
	k.holds(early || want.nulls + want.nans == n || (extent && bits), "extent");
	k.holds(early || s.falls == want.falls, "falls");
	k.holds(early || ((!s.rises && !s.ties) == (!want.rises && !want.ties) && (want.falls || s.ties == want.ties)),
	        "rises and ties");
	k.holds(inOrder == (r.decision.reason == REASON_ORDERED), "order");
	k.holds(!k.corner || (r.decision.accepted && r.decision.below && r.decision.above),
	        "outliers that no sample has foreseen");
	if (r.decision.split) {
		Temp digits(d, n, STRIP_ROWS);
		std::vector<u32> sorted(n);
		sort_heavy(d, digits, p, r, sorted.data());
		digits.release(d);
		asides++;
	}
	if (r.decision.accepted || r.decision.split) {
		for (u64 i = 0; i < n; i++) k.holds(rows[i] == order[i], "a place holds another row");
	} else {
		if (getenv("VERBOSE") && (k.steps || k.tiny))
			printf("refused tiny %d steps %d n %llu width %llu why %u\n", k.tiny, k.steps, (unsigned long long)n,
			       (unsigned long long)k.width, r.decision.reason);
		refused++, ordered += inOrder, earlies += early;
		k.holds(k.distribution != 0 || k.close || k.steps || k.tiny || inOrder, "evenly spread keys are refused");
	}
	for (u32 i = 0; i < 1u << BUCKET_BITS; i++) k.holds(t.counts[i] == 0, "counts are not clear");
	for (u64 i = 0; i < CLASSES * ceil_div(n, PARTITION_SMALL_TILE); i++)
		k.holds(t.classCounts[i] == 0, "counts of classes are not clear");
	k.holds(t.decision->ticket == 0, "the ticket is not clear");
	t.release(d);
}

} // namespace

int main() {
	u64 seed = 1;
	int sorts = 0;
	auto run = [&](Case k) {
		k.seed = seed++;
		k.descending = seed % 2, k.nullsAtStart = seed % 3 == 0;
		check(k), sorts++;
	};
	for (u64 n : {1, 2, 33, SMALL_BUCKET_RANGE_ROWS - 1, SMALL_BUCKET_RANGE_ROWS, SMALL_BUCKET_RANGE_ROWS + 1, 5000,
	              5 * SMALL_BUCKET_RANGE_ROWS, 1 << 14})
		for (u64 width : {4, 8}) run({n, width, FORM_INTEGER, 0, 0});
	for (int distribution = 0; distribution < distributions; distribution++)
		for (u64 width : {4, 8})
			for (u64 form : {FORM_INTEGER, FORM_FLOAT})
				run({9000, width, form, distribution, distribution % 3 == 0 ? 20 : 0});
	for (u64 n : {3000, 9000, 20000})
		for (u64 width : {4, 8})
			for (int nulls : {0, 5, 0}) run({n, width, FORM_FLOAT, 0, nulls});
	for (u64 width : {4, 8})
		run({30000, width, FORM_INTEGER, 0, 0, false, false, 0, 0, 12}); // two passes, large bucket ranges
	for (int distribution : {0, 14, 17, 18, 22})
		run({40000, 8, FORM_INTEGER, distribution, 10, false, false, 0, 0, 13});
	// Exact and inexact codes, gaps between the buckets, oversized buckets.
	for (int distribution : {LIVE20, LIVE32, LIVE40, SHARED40, RANGE24, OUTLIERS, HOT_BUCKET, HOUR})
		for (u64 width : {4, 8}) run({50000, width, FORM_INTEGER, distribution, 0, false, false, 0, 0, 12});
	run({60000, 4, FORM_FLOAT, UNIFORM, 0, false, false, 0, 0, 12});
	run({300000, 8, FORM_INTEGER, VALUES17, 0, false, false, 0, 0, 12}); // bins of several rows
	for (u64 n : {9000, 1500})
		for (int close : {20, 40})
			run({n, (u64)(close == 20 ? 4 : 8), FORM_INTEGER, 0, 0, false, false, 0, SMALL_ROWS, 1, close});
	run({40000, 8, FORM_INTEGER, 0, 0, false, false, 0, 0, 4, 40});
	run({40000, 4, FORM_INTEGER, 0, 5, false, false, 0, 0, 4, 22});
	// Heavy values with equal hashes: all blocks of the key scan have to take the same ones.
	for (u64 n : {20000, 30000})
		for (u64 width : {4, 8}) run({n, width, FORM_INTEGER, 0, 0, false, false, 0, SMALL_ROWS, 1, 0, 0, true});
	// Equal floats, which rows spread up to the next one; very near zero they are too close.
	for (int steps : {3, 100, 5000})
		for (u64 width : {4, 8})
			for (u64 n : {9000, 9001, 30000, 30001})
				run({n, width, FORM_FLOAT, 0, 0, false, false, 0, (u64)(n < 10000 ? SMALL_ROWS : 0),
				     n < 10000 ? 1u : 12u, 0, steps});
	// Windows of very many buckets, and outliers in the first and the last one.
	for (int corner : {1, 2, 1, 2})
		for (u64 width : {4, 8}) run({50000, width, FORM_INTEGER, 0, 0, false, false, 0, 0, 12, 0, 0, false, corner});
	// Floats so near zero that they tie in their codes.
	for (int tiny : {500, 40, 5})
		for (u64 width : {4, 8})
			for (u64 n : {9000, 50000})
				run({n, width, FORM_FLOAT, 0, tiny == 40 ? 10 : 0, false, false, 0, (u64)(n < 10000 ? SMALL_ROWS : 0),
				     n < 10000 ? 1u : 12u, 0, 0, false, 0, tiny});
	// Around the edges of tiles.
	for (u64 n :
	     {PARTITION_SMALL_TILE - 1, PARTITION_SMALL_TILE, PARTITION_SMALL_TILE + 1, 2 * PARTITION_SMALL_TILE + 1})
		run({n, 4, FORM_INTEGER, ZEROS, 20});
	for (u64 n : {PARTITION_ONLY_TILE - 1, PARTITION_ONLY_TILE, PARTITION_ONLY_TILE + 1})
		run({n, 8, FORM_FLOAT, ZEROS, 20, false, false, 0, SMALL_ROWS, 10});
	for (u64 n : {PARTITION_TILE - 1, PARTITION_TILE, PARTITION_TILE + 1, 2 * PARTITION_TILE})
		for (u64 width : {4, 8})
			run({n, width, FORM_INTEGER, n % 2 ? UNIFORM : HOT_VALUE, n % 2 ? 0 : 10, false, false, 0, 0, 12});
	// Most rows are of classes: by the sample, by the plan, or the rows are in order nevertheless; there are many
	// others, few or none.
	for (int distribution : {AND8, AND16, FIVE_VALUES, ZEROS, SORTED, CONSTANT})
		for (u64 width : {4, 8})
			for (u64 form : {FORM_INTEGER, FORM_FLOAT})
				run({60001, width, form, distribution, distribution % 2 ? 70 : 0, false, false, 0, 0,
				     width == 4 ? 12u : 13u});
	run({400000, 8, FORM_INTEGER, AND8, 5, false, false, 0, 0, 13});
	for (u64 n : {PARTITION_TILE - 1, PARTITION_TILE, PARTITION_TILE + 1, 2 * PARTITION_WIDE_TILE + 1,
	              PARTITION_SMALL_TILE + 1})
		for (u64 width : {4, 8}) run({n, width, FORM_INTEGER, AND16, 0, false, false, 0, 0, n > 8000 ? 12u : 1u});
	printf(
	    "%d sorts are right, %d of them refused, %d of those early, %d in order; of %d heavy values were split, "
	    "of %d the order was checked\n",
	    sorts, refused, earlies, ordered, asides, written);
	return !refused || !earlies || !ordered || !asides || !written;
}
