// Equalized maps on the emulated device: columns of which other maps leave some buckets too large.
#include "../arrowsort.cu"
#include "../test/distributions.h"
#include "../test/partition.h"
#include <cmath>
#include <numeric>

namespace {

enum Kind { LOGARITHMIC, OUTLIERS_OF_30_BITS, PEAK, CLUSTER_OF_ONE, LOGARITHMIC_HOT, SHAPES };
const char* const names[] = {"log-uniform", "outliers", "peak", "clusters", "log-uniform and a heavy value"};

struct Column64 {
	Kind kind;
	u64 n, bits;
	bool floating, isSigned, descending, nullsAtStart;
	int nulls; // percent
	u32 rowBits;
	u64 seed;
	EqualizerBase want;

	// A tenth of the rows is in a hundredth of the range.
	double peak(u64 r) const { return mix(r) % 10 ? 2 * unit(r) - 1 : 0.3 + 5e-3 * normal(r); }
	// A number in the order of the type, from the least one on.
	u64 draw_row(u64 i) const {
		u64 r = mix(i * 31 + seed), x = r;
		switch (kind) {
		case LOGARITHMIC_HOT:
			if (mix(r + 3) % 8 == 0) return 77;
			[[fallthrough]];
		case LOGARITHMIC: x = draw(MAGNITUDES, i, n, seed); break;
		case OUTLIERS_OF_30_BITS: x = draw(FEW_OUTLIERS, i, n, seed); break;
		case PEAK: return (u64)(long long)(peak(r) * 0x1p62) + (isSigned ? 0 : 1ull << 63);
		default: x = mix(r % 3) + r % 1024; // three narrow clusters: nothing spreads them
		}
		return isSigned && mix(r + 9) % 2 ? ~x : x; // both signs
	}
};

int equalized = 0, others = 0;

void check(const Column64& k) {
	Device d;
	d.seed = k.seed;
	const u64 n = k.n, sign = 1ull << 63;
	std::vector<u64> storage(n + 4), a(n, 0xeeeeeeee), b(n, 0xeeeeeeee), numbers(n);
	std::vector<u32> validity(n / 32 + 2), order(n), rows(n, 0xeeeeeeee);
	std::vector<int> classes(n);
	u64* values = (u64*)(((u64)storage.data() + 15) / 16 * 16);
	for (u64 i = 0; i < n; i++) {
		u64 x = k.draw_row(i), number = k.isSigned ? x ^ sign : x;
		if (k.floating) {
			double v = k.peak(mix(i * 31 + k.seed));
			memcpy(&x, &v, 8);
			number = x & sign ? 0 - x : x ^ sign;
		}
		values[i] = x;
		bool null = (int)(mix(i * 7 + k.seed) % 100) < k.nulls;
		validity[(i + 3) / 32] |= (u32)!null << (i + 3) % 32;
		numbers[i] = null ? 0 : k.descending ? ~number : number;
		classes[i] = null ? k.nullsAtStart ? -1 : 1 : 0;
	}
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](u32 x, u32 y) {
		return classes[x] != classes[y] ? classes[x] < classes[y] : numbers[x] < numbers[y];
	});
	Column c = {};
	c.values = (u64)values, c.validity = k.nulls ? (u64)validity.data() : 0, c.bit = 3, c.width = c.stride = 8;
	c.form = k.floating ? FORM_FLOAT : FORM_INTEGER, c.infinity = 0x7ff0000000000000;
	c.sign = sign, c.signBit = k.isSigned || k.floating ? sign : 0;
	c.descending = k.descending, c.nullsAtStart = k.nullsAtStart;
	PartitionTemp t(d, n, a.data(), b.data());
	Partitioner p{d, t};
	p.rowBits = k.rowBits;
	p.launch(c, 64, n, rows.data(), 0, k.bits);
	const Decision v = p.report().decision;
	auto holds = [&](bool ok, const char* what) {
		if (ok) return;
		fprintf(stderr, "FAILED: %s: %s, n %llu, %llu bits%s%s%s, %d %% null, seed %llu, reason %u, base %u\n", what,
		        names[k.kind], (unsigned long long)n, (unsigned long long)k.bits, k.floating ? ", double" : "",
		        k.isSigned ? ", signed" : "", k.descending ? ", descending" : "", k.nulls, (unsigned long long)k.seed,
		        v.reason, (u32)t.map->equalized);
		exit(1);
	};
	for (u64 i = 0; i < n && v.accepted; i++) holds(rows[i] == order[i], "a place holds another row");
	bool byChance = k.want == BASE_MAGNITUDES; // of so few rows the sample may accept another map
	holds(t.map->equalized == k.want || (byChance && (!t.map->equalized || k.kind == OUTLIERS_OF_30_BITS)), "the base");
	holds(v.accepted || !t.map->equalized, "the decision");
	(t.map->equalized ? equalized : others)++;
	for (u32 i = 0; i < 1u << BUCKET_BITS; i++) holds(t.counts[i] == 0, "counts are not clear");
	t.release(d);
}

// Codes rise with numbers, and with the rows of equal ones.
void check_codes() {
	std::vector<Piece> pieces(EQUALIZER_PIECES);
	u64 first = 0;
	for (u32 k = 0; k < EQUALIZER_PIECES; k++) {
		u32 width = k == 700 ? ~0u - 4 * EQUALIZER_PIECES : 1 + k % 4; // most of the codes are those of one piece
		pieces[k] = {(u32)first, width}, first += width;
	}
	for (u64 zero : {0ull, 1ull << 63, (1ull << 63) - 1})
		for (Sides sides : {BOTH_SIDES, FROM_ZERO_ON, LESS_THAN_ZERO}) {
			if (sides == BOTH_SIDES && zero == 0) continue;
			Map map = {};
			map.equalized = BASE_MAGNITUDES, map.zero = zero, map.sides = sides, map.rowLeft = 4;
			Equalizer e(&map, pieces.data());
			std::vector<u64> numbers;
			for (int bit = 0; bit < 64; bit++)
				for (long long near = -3; near <= 3; near++)
					for (u64 from : {zero, (u64)0, ~(u64)0}) numbers.push_back(from + (1ull << bit) + near),
					    numbers.push_back(from - (1ull << bit) + near);
			std::sort(numbers.begin(), numbers.end());
			numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
			u64 last = 0, lastCode = 0;
			for (u64 x : numbers)
				for (u32 row : {0u, 1u, (1u << 28) - 1}) {
					u64 base = e.base_code(x, row), code = e.code(x, row);
					if (base < last || code < lastCode) {
						fprintf(stderr, "FAILED: codes fall at %llx, row %u\n", (unsigned long long)x, row);
						exit(1);
					}
					last = base, lastCode = code;
				}
		}
}

} // namespace

int main() {
	check_codes();
	u64 seed = 1;
	for (u64 bits : {9, 12})
		for (bool isSigned : {false, true})
			for (bool descending : {false, true})
				for (Kind kind : {LOGARITHMIC, OUTLIERS_OF_30_BITS, LOGARITHMIC_HOT, CLUSTER_OF_ONE}) {
					EqualizerBase want = kind == CLUSTER_OF_ONE ? NOT_EQUALIZED : BASE_MAGNITUDES;
					u64 n = seed % 4 == 0 ? 50001 : 20000;
					check({kind, n, bits, false, isSigned, descending, seed % 3 == 0, seed % 5 < 2 ? 30 : 0,
					       1, seed, want});
					seed++;
				}
	// Equal numbers in many bins and many tiles.
	for (bool isSigned : {false, true})
		check({LOGARITHMIC, 1 << 21, 16, false, isSigned, isSigned, false, 0, 22, seed++, BASE_MAGNITUDES});
	for (bool floating : {false, true})
		for (int nulls : {0, 30})
			for (bool descending : {false, true})
				check({PEAK, 200000, 9, floating, seed % 2 == 0, descending, false, nulls, 24, seed++,
				       floating ? BASE_VALUES : BASE_LINEAR});
	printf("%d columns sorted by equalized maps, %d otherwise\n", equalized, others);
	if (equalized < others) return fprintf(stderr, "FAILED: too few equalized maps\n"), 1;
}
