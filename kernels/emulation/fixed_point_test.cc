// Fixed-point floats: what integers divided by powers of ten become has their order, and nothing else is taken for one.
#include "common/fixed_point.h"
#include "test/distributions.h"
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <limits>

namespace {

u64 checked = 0;

void expect(bool ok, const char* what, double x, int digits) {
	checked++;
	if (ok) return;
	fprintf(stderr, "FAILED: %s: %a (%.17g), %d digits\n", what, x, x, digits);
	exit(1);
}

const u64 zero = 1ull << 51; // what is added to integers

template <class Word, class Float> void check_integers(int digits, int64_t most) {
	const double power = std::pow(10.0, digits);
	const FixedPoint map(power);
	for (u64 i = 0; i < 400000; i++) {
		const int64_t range = most >> i % 30, k = (int64_t)(mix(i) % (2 * (u64)range + 1)) - range;
		const Float x = (Float)((double)k / power);
		u64 integer = 0;
		expect(map.make(pattern_of(x), &integer) && integer == zero + k, "not found", x, digits);
		expect(map.make(pattern_of(-x), &integer) && integer == zero - k, "not found below zero", -x, digits);
		// Neighbours have another integer, or none.
		for (Float next : {std::nextafter(x, (Float)INFINITY), std::nextafter(x, (Float)-INFINITY)}) {
			u64 other;
			expect(!map.make(pattern_of(next), &other) || other != zero + k, "two floats of an integer", next, digits);
		}
	}
}

// Any floats: the integers rise with them, and no two share one.
template <class Word, class Float> void check_any(int digits) {
	const FixedPoint map(std::pow(10.0, digits));
	for (u64 i = 0; i < 400000; i++) {
		const double scale = std::exp2((double)(mix(i) % 140) - 70);
		Float x = (Float)((unit(mix(i + 7)) - 0.5) * scale), y = i % 2 ? std::nextafter(x, (Float)INFINITY)
		                                                                : (Float)((unit(mix(i + 9)) - 0.5) * scale);
		u64 ofX, ofY;
		if (!map.make(pattern_of(x), &ofX) || !map.make(pattern_of(y), &ofY)) continue;
		expect((x < y) == (ofX < ofY) && (x == y) == (ofX == ofY), "another order", x, digits);
	}
	for (Float x : {(Float)INFINITY, (Float)-INFINITY, (Float)NAN, std::numeric_limits<Float>::max(),
	                std::numeric_limits<Float>::lowest(), std::numeric_limits<Float>::denorm_min()}) {
		u64 integer;
		expect(!map.make(pattern_of(x), &integer), "taken for fixed-point", x, digits);
	}
}

} // namespace

int main() {
	for (int digits = 0; digits <= 9; digits++) {
		check_integers<u64, double>(digits, 1ll << 32);
		check_any<u64, double>(digits);
		check_any<u32, float>(digits);
	}
	for (int digits = 0; digits <= 4; digits++) check_integers<u32, float>(digits, 1 << 22);
	printf("%llu checked\n", (unsigned long long)checked);
}
