// Keys of 64 bits for tests and for the comparison with CUB. Shorter keys are their top bits.
#pragma once
#include "abi.h"
#include "test/distribution_names.h"
#include <math.h>

#ifndef BOTH
#define BOTH inline
#endif

// A number that looks random, from a number that does not (the finalizer of splitmix64).
BOTH u64 mix(u64 x) {
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

#define NAME_OF(constant, name) name,
const char* const distributionNames[] = {DISTRIBUTIONS(NAME_OF)};
const int distributions = READINGS + 1;

// Sorted or reversed, as unsigned numbers.
BOTH bool is_ordered(int distribution) { return distribution == SORTED || distribution == REVERSED; }

// A number in (0, 1), and one of the normal distribution, from a random number.
BOTH double unit(u64 r) { return ((double)(r >> 11) + 0.5) * 0x1p-53; }
BOTH double normal(u64 r) { return sqrt(-2 * log(unit(mix(r + 1)))) * cos(6.283185307179586 * unit(mix(r + 2))); }

// Distributions of floats; of other types they are uniform.
BOTH bool is_real(int distribution) { return distribution >= NORMAL; }

BOTH double draw_real(int distribution, u64 r) {
	double x = normal(r);
	switch (distribution) {
	case LOGNORMAL: return exp(x);
	case PRICES: return round(exp(4 + x) * 100) / 100;
	case READINGS: return round(200 + 80 * x) / 10;
	default: return x;
	}
}

BOTH u64 draw(int distribution, u64 i, u64 n, u64 seed) {
	u64 r = mix(i * 31 + seed * 1000003);
	auto both = [&](int k) {
		u64 x = r;
		for (int j = 1; j < k; j++) x &= mix(r + j * 0x1234567ull);
		return x;
	};
	switch (distribution) {
	case AND2: return both(2);
	case AND3: return both(3);
	case AND4: return both(4);
	case AND8: return both(8);
	case AND16: return both(16);
	case CONSTANT: return 0x0102030405060708ull;
	case TWO_VALUES: return r & 1 ? ~0ull : 0;
	case FIVE_VALUES: return r % 5 * 0x2030405060708090ull;
	case SORTED: return n > 1 ? (u64)((double)i / n * 9e18) : 0;
	case REVERSED: return n > 1 ? (u64)((double)(n - i) / n * 9e18) : 0;
	case SAWTOOTH: return (i % 1000) << 54 | i % 1000;
	case RUNS: return mix(i >> 13);
	case HALF_ONES: return r & 1 ? ~0ull : mix(r);
	case LOW_BITS: return r & 0xffffff;
	case HIGH_BITS: return r & 0xff00000000000000ull;
	case ODD_VALUE: return i == n / 2 ? 1 : 1ull << 40;
	case HOT_VALUE: return mix(r) % 100 == 0 ? 0x7777777777777777ull : r;
	case ZEROS: return mix(r) % 4 == 0 ? 0 : r;
	case SHARED40: return (mix(i >> 4) & 0xffffffffff000000ull) | r >> 40;
	case OUTLIERS: return i == 7 ? 0 : i == n / 3 ? ~0ull >> 1 : (1ull << 62) + i;
	case PREFIXES: return (mix(r & 0xffff) & 0xffffffff00000000ull) | mix(r) >> 32;
	case TIES: return (mix(i >> 1) & 0xffffffff00000000ull) | r >> 32;
	case RANGE16: return r >> 48 << 32 | (u32)r;
	case RANGE24: return r >> 40 << 32 | (u32)r;
	case HOT_BUCKET: return mix(r) % 10 == 0 ? 0x7777000000000000ull | r >> 16 : r;
	case VALUES17: return mix(r & 0x1ffff);
	case VALUES22: return mix(r & 0x3fffff);
	case ZIPF: return mix((u64)exp2(24 * ((double)(r >> 11) * 0x1p-53)));
	case LIVE20: return 0x5123000000001000ull + (r >> 44 << 13);
	case LIVE32: return 0xfffffffe12345678ull + (r >> 32);
	case LIVE40: return 0x0012000000000000ull + (r >> 24 << 6);
	case JITTER: return (i / 64 + r % 600) << 32; // 64 rows of each tick, out of order by up to 600 ticks
	case CLOSE_JITTER: return (i / 64 + r % 8) << 32;
	case VALUES20: return mix(r & 0xfffff);
	case VALUES24: return mix(r & 0xffffff);
	case ZIPF_IDS: return mix((u64)exp2(20 * unit(r)));
	case ZIPF_RANKS: return (u64)exp2(20 * unit(r));
	case CLUSTERS10: return (mix(r % 10) >> 2) + (u64)(long long)(normal(r) * 1e6);
	case CLUSTERS10000: return (mix(r % 10000) >> 2) + (u64)(long long)(normal(r) * 1e6);
	case MAGNITUDES: return (u64)exp2(64 * unit(r));
	case MAGNITUDES32: return (u64)exp2(32 * unit(r)) << 32;
	case POWERS: return 1ull << r % 64;
	case FEW_OUTLIERS: return mix(r) % 1000 == 0 ? r >> mix(r + 1) % 64 : r >> 34;
	case SWAPPED: return (u64)((double)(mix(r) % 100 == 0 ? mix(r + 1) % n : i) / n * 9e18);
	case BELOW1000: return r % 1000;
	case CATEGORIES: return r % 50 << 32; // of 4 bytes, as dates are
	case DATES: return (10957 + r % 9131) << 32;
	case HOUR: return 1700000000000000ull + r % 3600000000ull;
	default: return r;
	}
}
