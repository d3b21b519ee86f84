// Keys of 64 bits for tests and benchmarks. Shorter keys are their top bits.
#pragma once
#include "../abi.h"

#ifdef __CUDACC__
#define BOTH __host__ __device__ inline
#else
#define BOTH inline
#endif

// A number that looks random, from a number that does not (the finalizer of splitmix64).
BOTH u64 mix(u64 x) {
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

const char* const distributionNames[] = {
    "uniform",         "and of 2",      "and of 3",      "and of 4",       "and of 8",           "and of 16",        "constant",    "two values",
    "five values",     "sorted",        "reversed",      "sawtooth",       "runs of 8192",       "half all ones",    "low bits",    "high bits",
    "one odd value",   "1 % hot",       "25 % zero",     "shared 40 bits", "two outliers",       "2^16 prefixes",    "ties in pairs"};
const int distributions = sizeof(distributionNames) / sizeof(*distributionNames);

// Sorted or reversed, as unsigned numbers.
BOTH bool is_ordered(int distribution) { return distribution == 9 || distribution == 10; }

BOTH u64 draw(int distribution, u64 i, u64 n, u64 seed) {
	u64 r = mix(i * 31 + seed * 1000003);
	auto both = [&](int k) {
		u64 x = r;
		for (int j = 1; j < k; j++) x &= mix(r + j * 0x1234567ull);
		return x;
	};
	switch (distribution) {
	case 1: return both(2);
	case 2: return both(3);
	case 3: return both(4);
	case 4: return both(8);
	case 5: return both(16);
	case 6: return 0x0102030405060708ull;
	case 7: return r & 1 ? ~0ull : 0;
	case 8: return r % 5 * 0x2030405060708090ull;
	case 9: return n > 1 ? (u64)((double)i / n * 1.8e19) : 0;
	case 10: return n > 1 ? (u64)((double)(n - i) / n * 1.8e19) : 0;
	case 11: return (i % 1000) << 54 | i % 1000;
	case 12: return mix(i >> 13);
	case 13: return r & 1 ? ~0ull : mix(r);
	case 14: return r & 0xffffff;
	case 15: return r & 0xff00000000000000ull;
	case 16: return i == n / 2 ? 1 : 1ull << 40;
	case 17: return mix(r) % 100 == 0 ? 0x7777777777777777ull : r;
	case 18: return mix(r) % 4 == 0 ? 0 : r;
	case 19: return (mix(i >> 4) & 0xffffffffff000000ull) | r >> 40;
	case 20: return i == 7 ? 0 : i == n / 3 ? ~0ull : (1ull << 63) + i;
	case 21: return (mix(r & 0xffff) & 0xffffffff00000000ull) | mix(r) >> 32;
	case 22: return (mix(i >> 1) & 0xffffffff00000000ull) | r >> 32;
	default: return r;
	}
}
