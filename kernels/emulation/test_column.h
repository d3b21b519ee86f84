// Columns for the tests of single-launch sorts and of selects, with the order that their rows must have.
#pragma once
#include "arrowsort.cu"
#include "test/device.h"
#include "test/distributions.h"
#include <algorithm>
#include <numeric>

enum Kind { U8, BITS, U32, I64_DOWN, F32, F64, RANKS, U64_OF_20, KINDS };
const char* const kindNames[] = {"u8", "bits", "u32", "i64 descending", "f32", "f64", "ranks", "u64 of 20 bits"};

// A column of a kind with what the sort must make of each row: its class and its number.
struct TestColumn {
	std::vector<u8> values;
	std::vector<u32> validity;
	Field field = codes_field(nullptr);
	std::vector<u64> number;
	std::vector<int> classOf;

	// special: some floats are NaN, and zeros of both signs.
	TestColumn(Kind kind, u64 n, int distribution, u64 seed, int nullsPercent, Classes classes, bool special = false)
	    : values(n * 8 + 16), validity(n / 32 + 2) {
		const u64 widths[] = {1, 1, 4, 8, 4, 8, 4, 8};
		u64 width = field.width = field.stride = widths[kind];
		field.bit = 3, field.values = (u64)values.data(), field.validity = nullsPercent ? (u64)validity.data() : 0;
		const bool floating = kind == F32 || kind == F64;
		u64 sign = kind == I64_DOWN || floating ? 1ull << (8 * width - 1) : 0;
		field.base[0] = sign, field.sign = sign;
		if (kind == I64_DOWN) field.mul = field.bias = ~0ull;
		if (floating)
			field.form = FORM_FLOAT, field.infinity = kind == F32 ? 0x7f800000 : 0x7ff0000000000000;
		if (kind == RANKS) field.form = FORM_RANK;
		if (kind == BITS) field.form = FORM_BIT, field.valueBit = 5;
		if (kind == BITS) std::fill(values.begin(), values.end(), 0);
		for (u64 i = 0; i < n; i++) {
			u64 x = draw(distribution, i, n, seed) >> (64 - 8 * width);
			bool null = (int)(mix(i * 7 + seed) % 100) < nullsPercent;
			if (floating && seed % 2) x &= ~(1ull << (8 * width - 2)); // below 2, most of them very near zero
			if (floating && special && mix(i + seed) % 10 == 0) x = mix(i) % 2 ? sign : 0;
			if (floating && special && mix(i + seed) % 50 == 1) x = field.infinity | 1 | (mix(i) & sign);
			if (kind == RANKS) x = null ? 0 : x % 1000 + 1;
			if (kind == U64_OF_20) x >>= 44;
			if (kind == BITS) x &= 1, values[(i + 5) / 8] |= x << (i + 5) % 8;
			else memcpy(&values[i * width], &x, width);
			validity[(i + 3) / 32] |= (u32)!null << (i + 3) % 32;
			null |= kind == RANKS && x == 0;
			add(kind, x, sign, null, classes);
		}
		if (kind == RANKS) field.validity = 0;
	}
	void add(Kind kind, u64 x, u64 sign, bool null, Classes classes) {
		bool nan = false;
		if (kind == I64_DOWN) x = ~(x ^ sign);
		if (kind == RANKS) x--;
		if (kind == F32 || kind == F64) {
			nan = (x & ~sign) > field.infinity;
			x = x & sign ? sign - (x & ~sign) : x | sign;
		}
		int c = null ? 2 : nan ? 1 : 0;
		classOf.push_back(classes == CLASSES_AT_START ? -c : c);
		number.push_back(c ? 0 : x);
	}
	// The rows in their stable order.
	std::vector<u32> order() const {
		std::vector<u32> rows(number.size());
		std::iota(rows.begin(), rows.end(), 0);
		std::stable_sort(rows.begin(), rows.end(), [&](u32 a, u32 b) {
			return classOf[a] != classOf[b] ? classOf[a] < classOf[b] : number[a] < number[b];
		});
		return rows;
	}
};
