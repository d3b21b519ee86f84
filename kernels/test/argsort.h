// The launches of one sort by digit binning, as package gpu makes them.
#pragma once
#include "small_sort.h"

inline u32 bits_of(u64 x) { return x ? 64 - __builtin_clzll(x) : 0; }
inline u64 ceil_div(u64 a, u64 b) { return (a + b - 1) / b; }

const u32 statisticsBytes = STREAM_THREADS / 32 * 48;

typedef void (*BinningKernel)(const Field*, const u64*, const u32*, u64*, u32*, u64, u64, u64, u64, u64, u64,
                              const u32*, u32*, u32*, u32*, u64);

// A TileShape is the size of the tiles of a pass.
struct TileShape {
	u32 threads, rows, bytes;
	bool scanned;
};
enum Size { LARGE, MEDIUM, SMALL, SIZES };
enum Status { OF_PACKED, OF_WIDE, OF_FIRST, STATUS_KINDS }; // whose status words

inline TileShape shape_of(Size size, bool wide) {
	const u32 threads[] = {LARGE_TILE_THREADS, MEDIUM_TILE_THREADS, SMALL_TILE_THREADS};
	const u32 packedRows[] = {LARGE_TILE, MEDIUM_TILE, SMALL_TILE},
	          wideRows[] = {LARGE_TILE_WIDE, MEDIUM_TILE_WIDE, SMALL_TILE};
	u32 rows = wide ? wideRows[size] : packedRows[size];
	return {threads[size], rows, rows * (wide ? 12 : 8) + (threads[size] / 32 + 2) * RADIX_BINS * 4 + 256,
	        size == LARGE};
}
// Of medium tiles some are halved, where they do not all come at once: as tileSize.halved has it.
inline u64 halved(Size size, u64 tiles, u64 multiprocessors) {
	return size == MEDIUM && tiles >= 2 * multiprocessors ? multiprocessors : 0;
}
inline Size size_for(u64 n) { return n >= LARGE_TILE_ROWS ? LARGE : n <= SMALL_TILE_ROWS ? SMALL : MEDIUM; }

// The kernels of a pass, by size.
#define SIZES_OF(name) {name##_large, name, name##_small}
const BinningKernel binningFirst[] = {0, digit_binning_first, digit_binning_first_small},
                    binningFirstShort[] = {0, digit_binning_first_short, digit_binning_first_short_small},
                    binningFirstWide[] = SIZES_OF(digit_binning_first_wide),
                    binningOnly[] = SIZES_OF(digit_binning_only), binningMiddle[] = SIZES_OF(digit_binning_middle),
                    binningMiddleShort[] = SIZES_OF(digit_binning_middle_short),
                    binningMiddleWide[] = SIZES_OF(digit_binning_middle_wide),
                    binningLast[] = SIZES_OF(digit_binning_last),
                    binningLastShort[] = SIZES_OF(digit_binning_last_short),
                    binningLastWide[] = SIZES_OF(digit_binning_last_wide);

// Temp storage of a sort of up to n rows.
struct Temp {
	static const u64 tickets = 1024, countWords = MAX_DIGITS * RADIX_BINS + 4;
	u64* codes[2];
	u32 *rows[2], *counts, *next, *status;
	Field* field;
	u64 n, strip, multiprocessors, statusWords = 0;

	Temp(Device& d, u64 n, u64 strip) : n(n), strip(strip), multiprocessors(d.multiprocessors) {
		for (int i = 0; i < 2; i++) {
			codes[i] = (u64*)d.allocate(n * 8);
			rows[i] = (u32*)d.allocate(n * 4);
		}
		for (u64 rows : {std::min<u64>(n, SMALL_TILE_ROWS), n}) {
			for (int size = 0; size < SIZES; size++)
				statusWords = std::max(statusWords, status_words(rows, (Size)size));
		}
		counts = (u32*)d.allocate((countWords + tickets) * 4);
		next = (u32*)d.allocate(2 * RADIX_BINS * 4);
		status = (u32*)d.allocate(statusWords * 4);
		field = (Field*)d.allocate(sizeof(Field));
	}
	// Of rows that are binned strip by strip, halves and all.
	u64 tiles(u64 n, Size size, bool wide) const {
		auto ofStrip = [&](u64 rows) {
			u64 tiles = ceil_div(rows, shape_of(size, wide).rows);
			return tiles + halved(size, tiles, multiprocessors);
		};
		return n / strip * ofStrip(strip) + ofStrip(n % strip);
	}
	// Of the passes of a size: of packed records, of wide ones, and of the first pass if its tiles are of another size.
	u64 status_words(u64 rows, Size size, int kinds = STATUS_KINDS) const {
		u64 words[] = {tiles(rows, size, false), tiles(rows, size, true),
		               size == LARGE ? tiles(rows, MEDIUM, false) : 0};
		u64 sum = 0;
		for (int i = 0; i < kinds; i++) sum += words[i] * RADIX_BINS;
		return sum;
	}
	void release(Device& d) {
		for (void* p : {(void*)codes[0], (void*)codes[1], (void*)rows[0], (void*)rows[1], (void*)counts, (void*)next,
		                (void*)status, (void*)field})
			d.release(p);
	}
};

// A Digit is a run of bits of a code.
struct Digit {
	u64 shift, bits;
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

// The digits in which some bit varies.
inline std::vector<size_t> varying_digits(u32 codeBits, u64 varying) {
	std::vector<Digit> digits = digits_of(codeBits);
	std::vector<size_t> vary;
	for (size_t i = 0; i < digits.size(); i++) {
		if (varying >> digits[i].shift & ((1ull << digits[i].bits) - 1)) vary.push_back(i);
	}
	return vary;
}

// One pass: the kernel, its tiles, and what it reads and writes.
struct PlannedPass {
	const BinningKernel* kernels;
	Size size; // of its tiles
	bool wide;
	Digit digit;
	Binning binning;
};

// A Sorter makes the passes of one word. from: a column (field), or wide records in codes[0], rows[0].
struct Sorter {
	Device& d;
	Temp& t;
	u64 n, strip, rowBits;
	Size size;
	bool shortCodes = false; // of at most 32 bits, of a column of 4 bytes
	u64 phase[STATUS_KINDS] = {};
	int launches = 0;

	Sorter(Device& d, Temp& t, u64 n, u64 strip) : Sorter(d, t, n, strip, size_for(n)) {}
	Sorter(Device& d, Temp& t, u64 n, u64 strip, Size size)
	    : d(d), t(t), n(n), strip(strip), rowBits(std::max(bits_of(n - 1), 1u)), size(size) {}

	// Runs one pass, strip by strip.
	void pass(const PlannedPass& p, const u32* base) {
		const Binning& b = p.binning;
		TileShape shape = shape_of(p.size, p.wide);
		Status kind = p.size != size ? OF_FIRST : p.wide ? OF_WIDE : OF_PACKED;
		u32* status = t.status + t.status_words(n, size, kind);
		for (u64 first = 0, k = 0; first < n; first += strip, k++) {
			u64 rows = std::min(strip, n - first), tiles = ceil_div(rows, shape.rows);
			u64 blocks = tiles + halved(p.size, tiles, d.multiprocessors),
			    grid = shape.scanned ? std::min(tiles + 1, d.multiprocessors) : blocks;
			u32* next = first + strip < n ? t.next + k % 2 * RADIX_BINS : nullptr;
			bool words = !p.wide && b.rowBits == 32;
			d.early = !shape.scanned && (tiles >= 2 * d.multiprocessors ||
			                             (tiles <= d.multiprocessors && words)); // as tileSize.early has it
			d.run(p.kernels[p.size], grid, shape.threads, shape.bytes, b.field, b.in, b.inRows, b.out, b.outRows,
			      b.rowBits, b.parts, first, rows, p.digit.shift, p.digit.bits, base, next, status,
			      t.counts + Temp::countWords + launches++, phase[kind]);
			d.early = false;
			base = next;
			status += blocks * RADIX_BINS;
		}
		phase[kind]++;
	}

	// Counts all digits, adds up where their bins begin, and clears the status words.
	void histograms(const Field* field, const std::vector<Digit>& digits) {
		u64 shifts = 0, bits = 0;
		for (size_t i = 0; i < digits.size(); i++) shifts |= digits[i].shift << 8 * i, bits |= digits[i].bits << 8 * i;
		d.zero(t.counts, (Temp::countWords + Temp::tickets) * 4);
		bool wide = digits.size() > HALF_DIGITS && n >= WIDE_HISTOGRAM_ROWS;
		u64 threads = wide ? WIDE_HISTOGRAM_THREADS : HISTOGRAM_THREADS;
		d.run(wide ? histogram_wide : histogram, std::min(ceil_div(n, threads * 8), d.multiprocessors * (wide ? 1 : 2)),
		      threads, (wide ? WIDE_HISTOGRAM_BYTES : HISTOGRAM_BYTES) + 16, field, n, shifts, bits, digits.size(),
		      t.counts, t.status, t.status_words(n, size));
	}

	// Sorts by the digits that vary, if these are known, and writes row numbers to rows. Codes have codeBits bits.
	void sort(const Field* field, bool fromRecords, u32 codeBits, u32* rows, std::vector<size_t> use = {}) {
		std::vector<Digit> digits = digits_of(codeBits);
		bool known = !use.empty(),
		     asks = !known && n >= 1u << (digits.size() <= HALF_DIGITS ? 25 : 21); // which digits vary
		u64 constant = 0;
		std::fill(phase, phase + STATUS_KINDS, 0);
		launches = 0;
		histograms(field, digits);
		if (asks) d.down(&constant, t.counts + MAX_DIGITS * RADIX_BINS, 8);
		for (size_t i = 0; i < digits.size(); i++) {
			if (!known && !(constant >> i & 1)) use.push_back(i);
		}
		if (use.empty()) use.push_back(0);
		std::vector<PlannedPass> passes = plan(digits, use, field, fromRecords, rows);
		for (size_t k = 0; k < passes.size(); k++) pass(passes[k], t.counts + use[k] * RADIX_BINS);
	}

	// The passes for the digits that are used, as planPasses of package gpu plans them.
	std::vector<PlannedPass> plan(const std::vector<Digit>& digits, const std::vector<size_t>& use, const Field* field,
	                              bool fromRecords, u32* rows) const {
		u64 codeBits = digits[use.back()].shift + digits[use.back()].bits;
		bool wide = fromRecords || codeBits + rowBits > 64;
		u64 below = wide ? 0 : codeBits <= 32 ? 32 : rowBits; // the bits below the code in a word,
		u64 gone = 0, rest = 4; // the bits that the code has lost, the bytes of the rest of the row
		int from = 0;
		std::vector<PlannedPass> passes;
		for (size_t k = 0; k < use.size(); k++) {
			const Digit& digit = digits[use[k]];
			bool first = k == 0 && !fromRecords, last = k + 1 == use.size(), asWide = wide || (first && last);
			bool words = !asWide && below >= 32; // records of two words
			const BinningKernel* kernels = wide ? binningMiddleWide : words ? binningMiddleShort : binningMiddle;
			if (first)
				kernels = last ? binningOnly : wide ? binningFirstWide : shortCodes ? binningFirstShort : binningFirst;
			else if (last) kernels = wide ? binningLastWide : words ? binningLastShort : binningLast;
			u64 inWord = asWide && first ? 0
			             : words         ? 32
			                             : below,
			    shift = digit.shift - gone + (words ? below - 32 : 0), parts = rest;
			if (wide && !last) {
				u64 end = digit.shift + digit.bits, to = 64 - codeBits + end, lift = to - below - (end - gone),
				    left = to < rowBits ? rowBits - to : 0;
				rest = left == 0 ? 0 : left <= 8 ? 1 : left <= 16 ? 2 : 4;
				parts |= lift << 8 | to << 16 | rest << 24;
				wide = rest > 0, below = to, gone = end;
			}
			Binning b = {field,  t.codes[from], t.rows[from], t.codes[1 - from], last ? rows : t.rows[1 - from],
			             inWord, parts};
			passes.push_back(
			    {kernels, first && !asWide && size == LARGE ? MEDIUM : size, asWide, {shift, digit.bits}, b});
			from = 1 - from;
		}
		return passes;
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
