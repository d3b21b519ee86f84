// Sorts by several keys on the emulated device, compared with a stable sort of the standard library.
#include "../arrowsort.cu"
#include "../test/distributions.h"
#include "../test/keys.h"
#include <numeric>

namespace {

// A KeySpec is a key column of a test.
struct KeySpec {
	u64 form, width;
	int distribution, nulls; // percent
	bool descending, nullsAtStart, isUnsigned;
};

// The rank of a class and the word of a row, as they sort.
struct Cell {
	int cls;
	u64 word;
	bool operator==(const Cell& c) const { return cls == c.cls && word == c.word; }
	bool operator<(const Cell& c) const { return cls != c.cls ? cls < c.cls : word < c.word; }
};

struct TestKey {
	KeySpec spec;
	std::vector<u64> storage;
	std::vector<u32> validity;
	std::vector<Cell> cells;
	Column column = {};

	TestKey(const KeySpec& k, u64 n, u64 seed) : spec(k), storage(n + 8), validity(n / 32 + 2), cells(n) {
		u64 all = ~0ull >> (64 - 8 * k.width),
		    sign = k.isUnsigned || k.form >= FORM_RANK ? 0 : 1ull << (8 * k.width - 1);
		u64 infinity = k.width == 2 ? 0x7c00 : k.width == 4 ? 0x7f800000 : 0x7ff0000000000000ull;
		u8* values = (u8*)(((u64)storage.data() + 15) / 16 * 16);
		for (u64 i = 0; i < n; i++) {
			u64 x = draw(k.distribution, i, n, seed), choice = mix(i + seed) % 200;
			x = k.distribution == LIVE20 || k.distribution == LIVE32 || k.distribution == LIVE40 ||
			            k.distribution == OUTLIERS || k.distribution == ODD_VALUE
			        ? x
			        : x >> (64 - 8 * k.width);
			if (k.form == FORM_FLOAT && choice < 3)
				x = choice == 0 ? infinity | 1 | (i % 2 ? sign : 0) : choice == 1 ? sign : 0;
			bool null = (int)(mix(i * 7 + seed) % 100) < k.nulls;
			if (k.form == FORM_RANK) x = null ? 0 : x % 5000 + 1;
			if (k.form == FORM_BIT) x &= 1, values[(i + 3) / 8] |= x << (i + 3) % 8;
			else memcpy(values + i * k.width, &x, k.width);
			validity[(i + 5) / 32] |= (u32)!null << (i + 5) % 32;
			x &= all;
			bool nan = k.form == FORM_FLOAT && (x & ~sign) > infinity;
			int cls = null ? 2 : nan ? 1 : 0;
			u64 word = (k.form == FORM_FLOAT && x & sign ? (sign - x) & all : x) ^ sign;
			cells[i] = {k.nullsAtStart ? -cls : cls, cls ? 0 : k.descending ? all - word : word};
		}
		Column& c = column;
		c.values = (u64)values, c.valueBit = 3, c.validity = k.nulls && k.form != FORM_RANK ? (u64)validity.data() : 0,
		c.bit = 5;
		c.form = k.form, c.width = c.stride = k.width, c.sign = c.signBit = sign, c.infinity = infinity;
		c.descending = k.descending, c.nullsAtStart = k.nullsAtStart;
	}
};

enum Expect { SORTED_ROWS, REFUSED, EITHER };
int sorted = 0, refused = 0;

void check(const std::vector<KeySpec>& specs, u64 n, u64 seed, Expect expect, bool known) {
	u32 reason = 0;
	auto holds = [&](bool ok, const char* what) {
		if (ok) return;
		fprintf(stderr, "FAILED: %s, why %u: n %llu, seed %llu, %zu keys, the first of form %llu and width %llu\n",
		        what, reason, (unsigned long long)n, (unsigned long long)seed, specs.size(),
		        (unsigned long long)specs[0].form, (unsigned long long)specs[0].width);
		exit(1);
	};
	Device d;
	d.seed = seed;
	std::vector<TestKey> keys;
	std::vector<Column> columns;
	for (const KeySpec& s : specs) keys.emplace_back(s, n, seed++);
	for (const TestKey& k : keys) columns.push_back(k.column);
	KeysWord word = word_of_keys(columns);
	holds(word.known == known, "the types fit");
	std::vector<u64> a(n, 0xeeeeeeee), b(n, 0xeeeeeeee);
	std::vector<u32> order(n), rows(n, 0xeeeeeeee);
	std::iota(order.begin(), order.end(), 0);
	auto before = [&](u32 x, u32 y) {
		for (const TestKey& k : keys) {
			if (!(k.cells[x] == k.cells[y])) return k.cells[x] < k.cells[y];
		}
		return false;
	};
	std::stable_sort(order.begin(), order.end(), before);
	PartitionTemp t(d, n, a.data(), b.data());
	Partitioner p{d, t};
	p.launch(keys_column(word.fields.data(), keys.size()), word.bits, n, rows.data());
	const Report& r = p.report();
	holds(p.sorts() == (r.decision.accepted != 0), "the status that the host waits for");
	reason = r.decision.reason;
	(r.decision.accepted ? sorted : refused)++;
	holds(expect == EITHER || r.decision.accepted == (expect == SORTED_ROWS),
	      r.decision.accepted ? "sorted" : "refused");
	bool inOrder = std::is_sorted(order.begin(), order.end());
	if (!word.known) holds(r.decision.reason != REASON_MISCOUNT, "a number that is outside, and not reported");
	if (r.decision.reason == REASON_ORDERED) holds(inOrder || !r.statistics.rises, "an order that is none");
	for (u64 i = 0; i < n && r.decision.accepted; i++) holds(rows[i] == order[i], "a place holds another row");
	for (u32 i = 0; i < 1u << BUCKET_BITS; i++) holds(t.counts[i] == 0, "counts are not clear");
	holds(t.decision->ticket == 0, "the ticket is not clear");
	t.release(d);
}

KeySpec key(u64 form, u64 width, int distribution = UNIFORM, int nulls = 0) {
	return {form, width, distribution, nulls, false, false, false};
}

} // namespace

int main() {
	u64 seed = 1;
	auto run = [&](std::vector<KeySpec> specs, u64 n, Expect expect, bool known) {
		for (auto& s : specs)
			seed++, s.descending = seed % 2, s.nullsAtStart = seed % 3 == 0,
			        s.isUnsigned = seed % 5 == 0 && s.form == FORM_INTEGER;
		check(specs, n, seed, expect, known);
		seed += 10;
	};
	// Types that fit.
	for (u64 n : {20000, 2 * PARTITION_TILE, 2 * PARTITION_TILE + 1}) {
		run({key(FORM_INTEGER, 4), key(FORM_INTEGER, 4)}, n, SORTED_ROWS, true);
		run({key(FORM_INTEGER, 2), key(FORM_FLOAT, 4, UNIFORM, 10), key(FORM_INTEGER, 1, UNIFORM, 30)}, n, SORTED_ROWS,
		    true);
		run({key(FORM_BIT, 1, UNIFORM, 20), key(FORM_RANK, 4, UNIFORM, 5), key(FORM_FLOAT, 2)}, n, EITHER, true);
		run({key(FORM_FLOAT, 4), key(FORM_FLOAT, 4, UNIFORM, 25)}, n, SORTED_ROWS, true);
	}
	run({key(FORM_INTEGER, 4, FIVE_VALUES), key(FORM_INTEGER, 4)}, 20000, EITHER, true);
	run({key(FORM_INTEGER, 4, CONSTANT), key(FORM_INTEGER, 4, SORTED)}, 9000, REFUSED, true);
	run({key(FORM_INTEGER, 2)}, 9000, EITHER, true);
	for (u64 n : {2, 33, 300}) run({key(FORM_INTEGER, 2), key(FORM_INTEGER, 2)}, n, EITHER, true);
	// Ranges of a sample.
	for (int nulls : {0, 15}) {
		run({key(FORM_INTEGER, 2, UNIFORM, nulls), key(FORM_INTEGER, 8, LIVE40)}, 30000, nulls ? EITHER : SORTED_ROWS,
		    false);
		run({key(FORM_INTEGER, 8, LIVE32, nulls), key(FORM_INTEGER, 4, RANGE16, nulls)}, 20000,
		    nulls ? EITHER : SORTED_ROWS, false);
		run({key(FORM_INTEGER, 4, RANGE16), key(FORM_INTEGER, 4, UNIFORM, nulls), key(FORM_INTEGER, 1)}, 20000,
		    SORTED_ROWS, false);
	}
	run({key(FORM_INTEGER, 8), key(FORM_INTEGER, 1)}, 9000, REFUSED, false);
	run({key(FORM_INTEGER, 2), key(FORM_INTEGER, 8, OUTLIERS)}, 30000, EITHER, false);
	run({key(FORM_INTEGER, 8, ODD_VALUE), key(FORM_INTEGER, 4)}, 20000, REFUSED, false); // which no sample sees
	run({key(FORM_FLOAT, 8), key(FORM_INTEGER, 8)}, 9000, REFUSED, false);
	printf("%d sorts by several keys are right, %d are refused\n", sorted, refused);
}
