// The launches of one sort by digit binning, as package gpu makes them.
#pragma once
#include "device.h"
#include <algorithm>

inline u32 bits_of(u64 x) { return x ? 64 - __builtin_clzll(x) : 0; }
inline u64 ceil_div(u64 a, u64 b) { return (a + b - 1) / b; }

const u32 binningCounters = (BINNING_THREADS / 32 + 2) * RADIX_BINS * 4 + 256;
const u32 binningBytes = DIGIT_TILE * 8 + binningCounters, binningBytesWide = DIGIT_TILE_WIDE * 12 + binningCounters;
const u32 statisticsBytes = STREAM_THREADS / 32 * 48;
const u32 histogramBytes = MAX_DIGITS * RADIX_BINS * HISTOGRAM_COPIES * 4;

// Temp storage of a sort of up to n rows.
struct Temp {
	u64 *codes[2], *constant;
	u32 *rows[2], *counts, *next, *status, *tickets;
	Digit* digits;
	Binning* binning;
	Field* field;
	u64 statusWords;

	Temp(Device& d, u64 n, u64 strip) {
		for (int i = 0; i < 2; i++) {
			codes[i] = (u64*)d.allocate(n * 8);
			rows[i] = (u32*)d.allocate(n * 4);
		}
		statusWords = tiles(n, strip, DIGIT_TILE_WIDE) * RADIX_BINS;
		constant = (u64*)d.allocate(8);
		counts = (u32*)d.allocate(MAX_DIGITS * RADIX_BINS * 4);
		next = (u32*)d.allocate(2 * RADIX_BINS * 4);
		status = (u32*)d.allocate(statusWords * 4);
		tickets = (u32*)d.allocate(1024 * 4);
		digits = (Digit*)d.allocate(MAX_DIGITS * sizeof(Digit));
		binning = (Binning*)d.allocate(16 * sizeof(Binning));
		field = (Field*)d.allocate(sizeof(Field));
	}
	static u64 tiles(u64 n, u64 strip, u64 tile) { return n / strip * ceil_div(strip, tile) + ceil_div(n % strip, tile); }
	void release(Device& d) {
		for (void* p : {(void*)codes[0], (void*)codes[1], (void*)rows[0], (void*)rows[1], (void*)constant, (void*)counts, (void*)next,
		                (void*)status, (void*)tickets, (void*)digits, (void*)binning, (void*)field})
			d.release(p);
	}
};

// Balanced digits of a word, from the least significant on.
inline std::vector<Digit> digits_of(u32 bits) {
	std::vector<Digit> digits;
	u64 shift = 0, left = bits;
	for (u64 n = ceil_div(bits, RADIX_BITS); n > 0; n--) {
		u64 width = ceil_div(left, n);
		digits.push_back({shift, width});
		shift += width;
		left -= width;
	}
	return digits;
}

typedef void (*BinningKernel)(const Binning*, u64, u64, u64, u64, const u32*, u32*, u32*, u32*, u64);

// A Sorter makes the passes of one word. from: a column (field), or wide records in codes[0], rows[0].
struct Sorter {
	Device& d;
	Temp& t;
	u64 n, strip, rowBits, phase = 0;
	int launches = 0;

	// Runs one pass, strip by strip.
	void pass(BinningKernel kernel, bool wide, const Binning* b, const Digit& digit, const u32* base) {
		u64 tile = wide ? DIGIT_TILE_WIDE : DIGIT_TILE;
		u32* status = t.status;
		for (u64 first = 0, k = 0; first < n; first += strip, k++) {
			u64 rows = std::min(strip, n - first), grid = ceil_div(rows, tile);
			u32* next = first + strip < n ? t.next + k % 2 * RADIX_BINS : nullptr;
			d.run(kernel, grid, BINNING_THREADS, wide ? binningBytesWide : binningBytes, b, first, rows, digit.shift, digit.bits, base, next,
			      status, t.tickets + launches++, phase);
			base = next;
			status += grid * RADIX_BINS;
		}
		phase++;
	}

	// Sorts by the digits that vary and writes row numbers to rows. Codes have codeBits bits.
	void sort(const Field* field, bool fromRecords, u32 codeBits, u32* rows) {
		std::vector<Digit> digits = digits_of(codeBits);
		d.up(t.digits, digits.data(), digits.size() * sizeof(Digit));
		d.zero(t.counts, MAX_DIGITS * RADIX_BINS * 4);
		d.zero(t.constant, 8);
		d.zero(t.tickets, 1024 * 4);
		d.run(histogram, d.multiprocessors, HISTOGRAM_THREADS, histogramBytes, field, n, t.digits, digits.size(), t.counts);
		d.run(exclusive_sum, 1, RADIX_BINS, RADIX_BINS / 32 * 4, t.counts, digits.size(), n, t.constant);
		bool narrowNow = codeBits + rowBits <= 64;
		phase = 0, launches = 0;
		d.zero(t.status, Temp::tiles(n, strip, narrowNow && !fromRecords ? DIGIT_TILE : DIGIT_TILE_WIDE) * RADIX_BINS * 4);
		passes(digits, field, fromRecords, codeBits, rows);
	}

	void passes(const std::vector<Digit>& digits, const Field* field, bool fromRecords, u32 codeBits, u32* rows) {
		bool wide = fromRecords || codeBits + rowBits > 64;
		int from = 0;
		std::vector<Binning> plan(digits.size());
		std::vector<BinningKernel> kernels(digits.size());
		std::vector<char> isWide(digits.size());
		u64 dropped = 0;
		std::vector<Digit> places = digits;
		for (size_t k = 0; k < digits.size(); k++) {
			bool first = k == 0 && !fromRecords, last = k + 1 == digits.size();
			u64 end = digits[k].shift + digits[k].bits;
			bool narrow = wide && !first && !last && codeBits - end + rowBits <= 64;
			plan[k] = {(u64)field, (u64)t.codes[from], (u64)t.rows[from], (u64)t.codes[1 - from], (u64)(last ? rows : t.rows[1 - from]), rowBits, end};
			places[k].shift -= dropped;
			isWide[k] = wide;
			if (first) kernels[k] = last ? digit_binning_only : wide ? digit_binning_first_wide : digit_binning_first;
			else if (last) kernels[k] = wide ? digit_binning_last_wide : digit_binning_last;
			else if (narrow) kernels[k] = digit_binning_narrow;
			else kernels[k] = wide ? digit_binning_middle_wide : digit_binning_middle;
			if (narrow) wide = false, dropped = end;
			from = 1 - from;
		}
		d.up(t.binning, plan.data(), plan.size() * sizeof(Binning));
		for (size_t k = 0; k < digits.size(); k++) {
			pass(kernels[k], isWide[k], t.binning + k, places[k], t.counts + k * RADIX_BINS);
		}
	}
};

// A word of 64-bit codes, read as a column.
inline Field codes_field(const u64* codes) {
	Field f = {};
	f.values = (u64)codes;
	f.form = FORM_INTEGER;
	f.width = f.stride = 8;
	f.mul = 1;
	f.mask = ~0ull;
	return f;
}
