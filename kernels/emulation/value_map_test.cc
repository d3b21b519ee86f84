// Maps of floats by their values: monotone over all floats, and equal floats alone share a code outside of the lossy
// ones.
#include "sample/mapper.h"
#include "test/distributions.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

template <class Word> struct Floats {
	static constexpr Word sign = (Word)1 << (8 * sizeof(Word) - 1),
	                      infinity = sizeof(Word) == 4 ? (Word)0x7f800000 : (Word)0x7ff0000000000000ull;

	Map map = {};
	Word flip;
	u32 rows;
	bool usable;

	Floats(double a, double z, bool descending, u32 bits, u32 rowBits)
	    : flip(descending ? (Word)~sign : sign), rows((u32)((1ull << rowBits) - 1)) {
		Word low = number_of(a, flip, sign), last = number_of(z, flip, sign);
		if (low > last) std::swap(low, last);
		usable = make_value_map(&map, low, last, 1.0 / 64, flip, sign, bits, rowBits);
	}
	Word number(Word x) const { return (x & sign ? (Word)(sign - x) : x) ^ flip; }
	Word pattern(Word number) const { return pattern_of_number(number, flip, sign); }
};

// How a map stands up to neighbour floats, in the order of their numbers.
template <class Word> struct Walk {
	const Floats<Word>& f;
	ValueMap<Word> map;
	u64 last = 0, checked = 0;
	bool first = true, wrong = false;

	explicit Walk(const Floats<Word>& f) : f(f), map(&f.map) {}

	void fail(const char* what, Word number) {
		if (!wrong)
			fprintf(stderr, "FAILED: %s at %a, range %a to %a, %s, %d bits\n", what, as_double(f.pattern(number)),
			        value_of((Word)f.map.low, f.flip, f.sign), value_of((Word)f.map.last, f.flip, f.sign),
			        f.flip == f.sign ? "ascending" : "descending", (int)f.map.bucketBits);
		wrong = true;
	}
	void step(Word number) {
		Word x = f.pattern(number);
		u64 low = map.code_of(x, map.share(0)), high = map.code_of(x, map.share(f.rows)),
		    middle = map.code_of(x, map.share(f.rows / 2));
		u32 bucket = map.bucket(x), prefix = (u32)(low >> 32);
		checked++;
		for (u64 c : {low, middle, high})
			if (c >> (64 - f.map.bucketBits) != bucket) fail("key scan and partition take different buckets", number);
		if (low > middle || middle > high) fail("rows are out of order", number);
		if (!first && low < last) fail("the order is lost", number);
		bool lossy = prefix >= f.map.lossyLow && prefix <= f.map.lossyHigh,
		     in = bucket && bucket + 1 < 1u << f.map.bucketBits;
		// What is outside of the range may tie in the first and the last bucket.
		in |= number > (Word)f.map.low && number <= (Word)f.map.last;
		if (!first && in && !lossy && low >> 32 == last >> 32) fail("different floats share a prefix", number);
		last = high, first = false;
	}
};

// All floats but NaN, or one in each stretch of neighbours and all of the stretches around the ends and zero.
bool walk(double a, double z, bool descending, u32 bits, u32 rowBits, u32 stride) {
	Floats<u32> f(a, z, descending, bits, rowBits);
	if (!f.usable) return false;
	Walk<u32> w(f);
	u32 begin = std::min(f.number(f.infinity), f.number(f.infinity | f.sign)),
	    end = std::max(f.number(f.infinity), f.number(f.infinity | f.sign));
	for (u64 n = begin; n <= end;) {
		w.step((u32)n);
		bool near = false;
		for (u32 at : {begin, end, f.number(0), (u32)f.map.low, (u32)f.map.last}) near |= (u64)at + 3000 - n < 6000;
		if (stride > 1 && !near && mix(n) % 4 == 0) n += mix(n + 1) % stride, w.first = true;
		n++;
	}
	if (w.wrong) exit(1);
	return true;
}

// Doubles: some of all magnitudes, and neighbours.
bool walk_doubles(double a, double z, bool descending, u32 bits) {
	Floats<u64> f(a, z, descending, bits, 28);
	if (!f.usable) return false;
	std::vector<u64> numbers;
	for (u64 i = 0; i < 20000; i++) {
		double uniform = a + (z - a) * ((double)(mix(i) >> 11) * 0x1p-53);
		for (u64 x : {mix(i + 7), pattern_of(uniform), pattern_of(std::ldexp(1.0, (int)(i % 2098) - 1074)),
		              pattern_of(uniform * 1e-200)})
			if ((x & ~f.sign) < f.infinity)
				for (u64 k : {0, 1, 2}) numbers.push_back(f.number(x) + k), numbers.push_back(f.number(x ^ f.sign) + k);
	}
	for (u64 x : {(u64)0, f.infinity, f.infinity | f.sign, f.sign}) numbers.push_back(f.number(x));
	for (u64 at : {(u64)f.map.low, (u64)f.map.last})
		for (u64 k = 0; k < 100; k++) numbers.push_back(at - 50 + k);
	std::sort(numbers.begin(), numbers.end());
	Walk<u64> w(f);
	for (u64 n : numbers)
		if ((f.pattern(n) & ~f.sign) <= f.infinity) w.step(n);
	if (w.wrong) exit(1);
	return true;
}

} // namespace

// With the ends of a range, the number of bits and 1 for descending: all floats, for that range; else many ranges.
int main(int count, char** words) {
	if (count == 5)
		return !walk(atof(words[1]), atof(words[2]), atoi(words[4]), (u32)atoi(words[3]), (u32)atoi(words[3]) + 12, 1);
	const u32 stride = 100000;
	const double most = 0x1.fffffep127;
	const double ranges[][2] = {
		{-1, 1}, {0, 1}, {-0.01, 100}, {3, 5}, {1.9, 2.1}, {1000, 1001}, {-7, -1e-30}, {-5, -4}, {1, 0x1p20},
		{-1e-3, 3e5}, {0, 0x1p-126}, {-0x1p-130, 0x1p-128}, {0x1p-149, 0x1p-100}, {-1e30, 1e30}, {-1e38, 1},
		{-most, most}, {0, most}, {1, 1 + 0x1p-23}, {1, 1 + 0x1p-20}, {-0.0, 0x1p-149}, {0x1p60, 0x1p63},
		{-1e-20, 1e-20}, {5, 5}};
	const double wide[][2] = {
		{-1e300, 1e300}, {-1e-300, 1e-310}, {1e9, 1e9 + 10}, {1e15, 1e15 + 4}, {0, 0x1p-1074}, {-0x1p-1022, 1},
		{1e-5, 1e200}, {-1.7e308, 1.7e308}};
	int maps = 0, none = 0;
	for (bool descending : {false, true}) {
		for (auto& r : ranges) {
			for (u32 bits : {16, 12, 10, 1}) (walk(r[0], r[1], descending, bits, bits + 12, stride) ? maps : none)++;
			for (u32 bits : {16, 10}) (walk_doubles(r[0], r[1], descending, bits) ? maps : none)++;
		}
		for (auto& r : wide) (walk_doubles(r[0], r[1], descending, 16) ? maps : none)++;
	}
	printf("%d maps are right, of %d ranges there is none\n", maps, none);
	return !maps || !none;
}
