// What the host and the kernels agree on: structures in device memory, and the arguments of every kernel.
//
// Every argument of a kernel is one 64-bit slot, an address in device memory or an unsigned number, but for Few, Many, Select and
// Buckets, whose words are the argument. Structures hold 64-bit words only where the host writes them, so that Go and C++ lay them out alike (gpu/abi.go has the twins).
#pragma once
#include "tuning.h"
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

// How a row's value becomes an ordered number.
enum Form : u64 {
	FORM_NONE = 0,       // no values: every row is null
	FORM_INTEGER = 1,    // width bytes; also ordered code words made before
	FORM_FLOAT = 2,      // width bytes, IEEE
	FORM_RANK = 3,       // 4 bytes: the rank of a dictionary entry plus one; 0 is null
	FORM_BIT = 4,        // a bit at position bit + row of values
	FORM_BIG_ENDIAN = 5, // width bytes, 1 to 8, most significant first
	FORM_DECIMAL = 6,    // width bytes, 16 or 32: the limb that is named
	FORM_CLASS = 7,      // bias for a value, null for a null; values are not read
	FORM_KEYS = 8,       // the sum of the numbers of stride Fields at values, width 8: several key columns in one number
};

// A Field is a piece of a code word: a number made from a row of one column, placed in the word.
//   number = bias + ((value - base) >> shift) * mul    modulo 2^64, the difference modulo 2^(8 width), the shift logical
//   piece  = (number >> down & mask) << up
// NaN and null have numbers of their own. The word is the sum of its pieces. 28 words.
struct Field {
	u64 values;   // address of the value of row 0; FORM_BIT: of a bitmap
	u64 validity; // address of a bitmap, 1 is valid; 0: no row is null
	u64 bit;      // position of row 0 in validity
	u64 valueBit; // FORM_BIT: position of row 0 in values
	u64 form;     // Form
	u64 width;    // bytes of a number
	u64 stride;   // bytes from a row to the next
	u64 sign;     // FORM_FLOAT: the sign bit
	u64 infinity; // FORM_FLOAT: the pattern of +Inf
	u64 base[4];  // as the values are stored; FORM_DECIMAL: all limbs, least significant first, sign bit flipped
	u64 last[4];  // FORM_DECIMAL descending: what (value - base) >> shift is subtracted from. Of FORM_KEYS: the most that value - base may be
	u64 shift;    // below 64
	u64 mul;      // odd
	u64 bias;     // added at the end
	u64 nan;      // the number of NaN
	u64 null;     // the number of null
	u64 limb;     // FORM_DECIMAL: which limb is the number; mul is not used
	u64 descending; // FORM_DECIMAL: 1 if last - x is the number
	u64 down, up, mask;
};

// A Column is a key column to be measured.
struct Column {
	u64 values, validity, bit, valueBit, form, width, stride, sign, infinity; // as in Field
	u64 signBit;      // flipped to order numbers
	u64 descending;   // 1: the order of the values is reversed
	u64 nullsAtStart; // 1: null < NaN < value, else value < NaN < null
};

// Statistics of a column. All zero before the kernel runs; numbers are ordered words as in keyencode.Statistics.
struct Statistics {
	u64 nulls, nans;
	u64 notMin[4]; // complement of the least value, least significant limb first (values = 0: zero)
	u64 max[4];
	u64 any;    // OR of the values, first limb
	u64 notAll; // complement of their AND
	u64 rises, ties, falls; // 1: some row sorts behind, with, before its predecessor
	u64 lock;               // of the kernel
};

/*
The kernels. n is a number of rows, at most 2^32 - 1. "Grid" is the number of blocks; blocks have the threads, and the
bytes of dynamic shared memory, that tuning.h says. u32 rows[] are row numbers. Buffers are aligned to 16 bytes.

statistics(Column *c, u64 n, Statistics *out)                       any grid
statistics_decimal(Column *c, u64 n, Statistics *out)               any grid; FORM_DECIMAL
    Adds to out.
encode(Field *fields, u64 count, u64 n, u32 *rows, u64 *codes)      any grid
    codes[i] = the word of row rows[i], or of row i if rows is 0.
histogram(Field *f, u64 n, u64 shifts, u64 bits, u64 count, u32 *counts, u32 *clear, u64 words)   any grid, best two blocks per multiprocessor
histogram_wide(the same)                                            one block per multiprocessor; more than HALF_DIGITS digits of many rows
    A digit is a run of bits of a code, code >> shift & (1 << bits) - 1, bits in 1..RADIX_BITS: shifts and bits hold a byte for each of
    count digits, at most MAX_DIGITS, from the least significant on. Writes the place of the first row of each bin to
    counts[d * RADIX_BINS + bin]; sets bit d of the u64 behind counts[MAX_DIGITS * RADIX_BINS] when all rows have the same digit d. counts and
    the four words behind it are zero before. Clears words words, a multiple of 4, at clear. f is a column: one whole word (down = up = 0)
    of FORM_INTEGER, FORM_FLOAT or FORM_RANK with stride = width = 4 or 8. Any other word is encoded first, and read as FORM_INTEGER of 8 bytes.

tiny(Few few)                                                       grid 1; n up to TINY_ROWS
tiny_few(Few few)                                                   grid 1; n up to TINY_FEW_ROWS
cluster(Few few)                                                    grid CLUSTER_BLOCKS; n up to CLUSTER_ROWS; compute capability 9.0
grid(Many many)                                                     grid: multiprocessors, all blocks at a time; n up to GRID_ITEMS * GRID_THREADS * grid and GRID_ROWS
    Sort all by themselves: out[i] = the row at place i of the stable order by a field, or in[row] if in is not 0.
    grid declines, and leaves out as it was, where some values are in too many rows: told says so.

Digit binning: one pass of Onesweep over rows first..first+strip-1, a strip of at most 2^29 rows (STRIP_ROWS); strips of a
pass run one after the other. The kernel is named by what it reads and writes:
    digit_binning_first         a column      -> packed records
    digit_binning_first_short   a column of 4 bytes, codes of at most 32 bits -> short records
    digit_binning_first_wide    a column      -> wide records, or packed ones
    digit_binning_only          a column      -> rows (tiles of wide records)
    digit_binning_middle        packed        -> packed
    digit_binning_middle_short  short         -> short
    digit_binning_middle_wide   wide          -> wide, or packed
    digit_binning_last          packed        -> rows
    digit_binning_last_short    short         -> rows
    digit_binning_last_wide     wide          -> rows
A packed record is a u64, code << rowBits | row, a short one is packed with rowBits = 32. A wide record is a u64, code << rowBits | low bits of the
row, and the rest of the row, row >> rowBits, in an array of 1, 2 or 4 bytes each. Tiles are medium, or of the shape that the end of the name tells:
    _small           grid = tiles of the strip = ceil(strip / tile)
    (none)           the same, and one block more for each tile that is halved, at most half of the tiles
    _large           grid = 2 to tiles + 1, at most one for each multiprocessor: the first block scans, the others bin;
                     not for digit_binning_first and digit_binning_first_short, whose medium tiles are the faster ones
Arguments, the same for all:
    (Field *field, u64 *in, u32 *inRows, u64 *out, u32 *outRows, u64 rowBits, u64 parts,
     u64 first, u64 strip, u64 shift, u64 bits, u32 *base, u32 *next, u32 *status, u32 *ticket, u64 phase)
    field: a column, as histogram takes it; in, out: records; inRows, outRows: the rest of wide ones, or the result.
    rowBits: bits below a code in the words that are read, or that digit_binning_first and _first_short make; 0 of other columns.
    parts: a byte each, for kernels of wide records: bytes of the rest that is read; how many bits codes move up first; bits below a code
    in the words that are written, whose code has lost those that were there; bytes of the rest that is written, none for packed records.
    shift, bits: the digit, in the code (the kernel adds rowBits itself for packed records).
    base: RADIX_BINS places of the strip's first row of each bin; next: where those of the next strip go, or 0.
    status: RADIX_BINS words for each tile or half of the strip, aligned to 16 bytes; all words of a sort are zero before its first pass.
    ticket: one word, zero before. phase: the number of the pass over these status words, from 0 on: its status codes rotate
    with it, so that nothing is cleared between passes.
*/

// A Few is a sort of few rows.
struct Few {
	Field field; // a whole word of any form but FORM_DECIMAL and FORM_CLASS
	u64 classes; // 0: null and NaN are the field's numbers for them; 1: value < NaN < null; 2: null < NaN < value
	u64 n;
	u64 in; // u32[n], or 0
	u64 out;
};

// A Many is a sort of more rows, by blocks that meet in memory.
struct Many {
	Few few;
	u64 meeting; // Meeting
	u64 numbers; // u64[n]
	u64 tags;    // u32[n]
	u64 totals;  // u32[blocks]
	u64 told;    // u64, in memory that the host reads, zero before: SAYS_YES, or SAYS_NO when the result is not written
};

// A Meeting is how the blocks of a grid know of one another. All zero before, and behind, but for the gate, which is as the last sort left it.
struct Meeting {
	u32 gate;  // blocks that have come
	u32 steps; // 1, 2, 4: some row sorts behind, with, before its predecessor, as far as that was asked; 8: some row is of a class
	u32 counts[GRID_BUCKETS]; // rows of each bucket
};

/*
The first rows of an order (top k). A sample of the rows suggests a border: the number of a row that most likely is behind the first k, and not far. One read of
the column then collects the candidates, which are all rows in front of the border, and of the rows that tie with it the first ones; the
host sorts the candidates, and the rows that tie follow them. Numbers are codes, NaN and null among them.

select_border(Select s)         grid = ceil(min(n, SELECT_SAMPLE) / SELECT_BORDER_THREADS)
select_rows(Select s)           grid = tiles = ceil(n / SELECT_TILE); a column of 4 bytes, codes of at most 32 bits
select_rows_wide(Select s)      grid = tiles = ceil(n / SELECT_WIDE_TILE); any other
    Candidates are in the order of the rows. Counts are of all rows, also where there is no room for them: the host sorts everything
    when candidates > room, or candidates + tied < k.
*/

struct Select {
	Field field;     // a column, as histogram takes it
	u64 bits;        // of codes
	u64 n, k;
	u64 hits;        // the border is no less than so many rows of the sample; 1 to min(n, SELECT_SAMPLE)
	u64 apart;       // 1: rows that tie with the border are no candidates
	u64 room;        // for candidates, less than 2^31
	u64 sample;      // u64[SELECT_SAMPLE]
	u64 status;      // u64[tiles], zero before
	u64 selection;   // Selection, zero before
	u64 codes, rows; // of the candidates: u32[room], or u64[room] for select_rows_wide; u32[room]
	u64 tied;        // u32[k]: the first rows that tie with the border, as many of them as may be needed
	u64 selected;    // Selected, in memory that the host reads
};

struct Selection {
	u64 border;
	u32 declined;    // 1: so many rows tie with the border that there is no room for them
	u32 sampled;     // blocks that are through with the sample
	u32 ticket;      // of the tiles
	u32 unused;
};

// A Selected is what the host learns. Numbers of 2^31 and more may be given as less, but no less than 2^31 - 1.
struct Selected {
	u64 candidates;  // ~0 where the device has declined
	u64 tied;
	u64 border;
};

/*
Row numbers and columns. out is the number of rows that are wanted, rows[] their row numbers.

check_permutation(u32 *rows, u64 out, u64 n, u32 *seen, u64 *wrong)  any grid; seen: n bits, zero before; wrong: two words, zero before
    wrong[0] = how many of the row numbers are n or more, or there already, and wrong[1] = the complement of the least of their places.
iota(u32 *rows, u64 n, u64 reversed)                                any grid: 0, 1, ... or n-1, n-2, ...
gather_1, _2, _4, _8, _16, _32 (void *values, u32 *rows, u64 out, void *dst)          any grid; values of 1 to 32 bytes
gather_bytes(u8 *values, u64 width, u32 *rows, u64 out, u8 *dst)    any grid; values of any width, width * n below 2^64
gather_bits(u32 *bits, u64 bit, u32 *rows, u64 out, u32 *dst, u64 *set)  any grid
    Bit i of dst = bit number bit + rows[i] of bits. Writes ceil(out / 32) words, bits behind out are zero. Adds the number of ones
    to *set.

Gather in windows, for columns that are larger than the L2: row numbers are dealt to windows of the column, values are gathered in that
order, and collected in the order of the row numbers. rows[] are a permutation of 0..out-1, and out - 1 >> shift is below DEAL_WINDOWS.
deal_rows(u32 *rows, u64 out, u64 shift, u32 *dealt, u16 *places, u32 *offsets, u32 *cursors)    grid = tiles = ceil(out / DEAL_TILE)
    dealt[out]: the row numbers by windows of 2^shift rows; places[i]: where rows[i] went within its tile; offsets[tiles * 2 * DEAL_WINDOWS]:
    for each window what to add to a place in the tile for the place in dealt, and its first place in the tile. cursors[DEAL_WINDOWS]: zero before.
gather_near_4, _8(void *values, u32 *dealt, u64 out, void *between)                              any grid
    As gather_4 and _8; best grid = ceil(out / GATHER_TILE).
collect_4, _8(void *gathered, u64 out, u16 *places, u32 *offsets, void *dst)                     grid = tiles
    dst[i] = what gather_near_4 or _8 has made of dealt, at the place where rows[i] went.

Strings. width is that of offsets: 4 or 8. tiles = ceil(out / TEXT_TILE). No string has 4 GiB.
text_starts(void *offsets, u64 width, u64 n, u64 base, u64 *starts)                              any grid
    starts[i] = base + offsets[i] - offsets[0] for i of 0..n: chunk after chunk, each with the bytes before it as its base.
text_lengths(u64 *starts, u32 *validity, u64 bit, u32 *rows, u64 out, u32 *lengths, u64 *sums)   grid = tiles
    lengths[i]: bytes of row rows[i], none where null; sums: of each tile.
text_sums(u64 *sums, u64 tiles)                                                                  grid 1
    sums[i] becomes the sum of all tiles before i, for i of 0..tiles.
text_offsets(u32 *lengths, u64 out, u64 *sums, u64 width, void *offsets)                         grid = tiles; out + 1 offsets
text_copy(u64 *starts, u32 *rows, void *offsets, u64 width, u64 out, u8 *data, u64 *dst, u64 bytes)  any grid
    Writes the bytes of the result, filled up to whole words with zeros. data may be read 8 bytes behind its end.

copy_bits(u32 *src, u64 srcBit, u64 n, u32 *dst, u64 dstBit)         any grid; dst zero before: bits are OR-ed in, so
    bitmaps of chunks are laid side by side in any order. src 0: ones.
look_up_ranks(u8 *indices, u64 width, u32 *validity, u64 bit, u32 *ranks, u64 n, u32 *dst)   any grid
    dst[i] = ranks[indices[i]], 0 where null; width is 1, 2, 4 or 8. Makes FORM_RANK of one chunk of a dictionary column.
*/

/*
Partition and finish: for keys whose leading bits spread the rows well. A record is a code of 64 bits whose low
bits give way to the row number; of columns of 4 bytes, and where the map is narrow, a prefix of 32 bits and the row. It is like no other, so
no step has to be stable: rows are dealt to buckets by their leading bits, in one pass or two, and each bucket is sorted in shared memory. Behind
the first of two passes records of codes have not the firstBits bits that it goes by, but so many more of the others. The code is
made from a row's number by a monotone map that a sample suggests (Map); rows that tie in it are told apart by their numbers, fetched
by row, unless it tells all. n is at most 2^28, and the bits of a row number at most bits + FINISH_BIN_BITS (for n up to
SMALL_ROWS: SMALL_FINISH_BIN_BITS).

A number is the ordered word of a value, of the whole range of its type (base is the sign bit, shift 0), or a code word that was
encoded before. Nulls and NaN are no numbers but classes. Rows of the classes, and of values that the sample finds in many rows,
make no records: they go straight to their places in the output. Records are laid out as if those rows did not exist: that is
what "compact" means.

Several keys are read as one number (FORM_KEYS): Fields of FORM_INTEGER, FLOAT, RANK or BIT, not all of them bits, with shift 0 and any mul;
null and NaN are numbers. Where the types have more values than a number, mul of the first is 0, and sample makes the Fields for the
ranges that it sees: before, base is that of the whole type, last its greatest number, descending says the order, and nan is 1 where NaN
and null sort at the start. Then look proves that all values are in range.

For n up to SMALL_ROWS all of it is launched at once, and every kernel returns when the verdict says no. Then, or when the rows are in order as they are, the
host sorts in another way: by the statistics, which look has made in the same read of the keys. Where the sample has said no, and
statistics would not make the sort shorter, the verdict is early: look has not read the keys, and there are no statistics but the bits that
vary in the sample (any and notAll). Of more rows the host, which clears the last words of the report before, waits for that of the sample then,
and launches nothing behind the look: counts are zero as they were.
When the word says that the sample is in order, look does nothing, and the host launches watch_order. Then the word of the plan says whether
rows has the result, all of it or but for what place_strays moves; if not, all is launched again, with orders = 0.

sample(Buckets b)             grid 1. Makes the map, and the verdict as far as a sample goes.
look(Buckets b)               any grid, best one block per multiprocessor. It plans, too, for bits up to SMALL_BUCKET_BITS. It may be launched
    early, right behind the sample: meanwhile it has its first rows brought near.
bucket_plan(Buckets b)        grid = ceil(2^bits / 4096) + CLASSES; for more bits
    Then the last word of the report is in the memory of the host, and, when the kernel is through, the verdict and the statistics of all rows.
partition_first(Buckets b)    grid = ceil(n / PARTITION_TILE): firstBits = 8 bits at most, then partition_second
partition_first_floats        the same for floats of 4 bytes
partition_only(Buckets b)     grid = ceil(n / PARTITION_ONLY_TILE): all bits at once, 11 at most
partition_small(Buckets b)    grid = ceil(n / PARTITION_SMALL_TILE): all bits at once, instead of partition_only when they are 8 at most
    Leave counts and classCounts zero for the next sort, whatever the verdict.
look_keys, partition_first_keys   look and partition_first_wide for FORM_KEYS, only where there are two passes
partition_first_wide, partition_only_wide, partition_small_wide   the same for columns of 8 bytes; PARTITION_WIDE_TILE
partition_second(Buckets b)   grid = n / PARTITION_SECOND_TILE + 2^firstBits + 1
finish(Buckets b)             grid = windows = ceil(n / step); n above SMALL_ROWS, window = FINISH_WINDOW
finish_small(Buckets b)       the same for n up to SMALL_ROWS, window = SMALL_FINISH_WINDOW
finish_wide, finish_small_wide   the same for columns of 8 bytes; but finish where the verdict of the sample is narrow
watch_order(Buckets b)        any grid; n above SMALL_ROWS. Writes the row numbers, and watches whether that was right
place_strays(Buckets b)       any grid. Then writes those of the few rows that are not in their places
finish_rest(Buckets b)        grid = multiprocessors: what the finish left over, ranges of buckets of at most FINISH_REST_ROWS rows.

When the verdict is no but aside, most rows go to their places nevertheless, and only the others are sorted by digits. Then look has counted
classes, and none of the kernels above clears their counts. Where the sample says so the host need not launch anything above behind the plan;
it clears the counts of classes if the plan then finds that the rows are in order.
set_aside(Buckets b)          grid = tiles of the pass that reads the column: leaves the others in the order of the input, their numbers at
    records[0], row numbers, u32[], at records[1]. Clears classCounts. For columns of 4 bytes
set_aside_wide(Buckets b)     the same for columns of 8 bytes
put_back(Buckets b)           any grid: brings the row numbers at records[0], u32[] in their new order, to their places among the others
*/

// What speaks against partition and finish.
enum Why : u32 {
	WHY_NOT = 0,
	WHY_EQUAL = 1,    // too many rows tie, or those that a narrow map takes for different
	WHY_FEW = 2,      // so few bits vary that digits are quicker
	WHY_LARGE = 3,    // buckets do not fit
	WHY_MISCOUNT = 4, // the counts do not add up: a counter has overflowed
	WHY_ORDERED = 5,  // nothing has to be sorted
	WHY_OUTSIDE = 6,  // FORM_KEYS: no number for all keys, or for some row: the statistics say nothing
};

struct Verdict {
	u32 goOn;       // 1: partition and finish
	u32 why;        // Why
	u32 sampled;    // rows of the sample, two by two; 0 if there are too few rows for one
	u32 neighbours; // pairs of neighbours that tie
	u32 ties;       // rows that tie with another row of the sample
	u32 oversized;  // buckets above the window
	u32 largest;    // rows of the largest bucket
	u32 records;    // rows that are neither of a class nor heavy
	u32 below;      // 1: some number is below the map's range: its prefix is 0
	u32 above;      // 1: some number is above: its prefix is ~0
	u32 rest;       // ranges left to finish_rest
	u32 ticket;     // of the plan's blocks, zero between sorts
	u32 early;      // 1: the sample has decided; every bit of a number may vary, and the rows are in no order
	u32 narrow;     // 1: the map is narrow, of a column of 8 bytes with windows of FINISH_WINDOW: for finish, in place of finish_wide
	u32 aside;      // 1: most rows are of classes: set_aside sends them to their places, and the others are sorted by digits
	u32 seems;      // Seems. Then rest is the number of places where the order breaks
};

// The order of the sample.
enum Seems : u32 { SEEMS_NONE = 0, SEEMS_RISING = 1, SEEMS_FALLING = 2 };

// A Heavy is a value, or a class, whose rows go straight to their places.
struct Heavy {
	u64 number;
	u32 rows;
	u32 first;  // the place of its first row in the output
	u32 before; // the records that sort before it
	u32 unused;
};

// A Map is monotone:
//   x = ((number - low) >> right) << left;  prefix = x + high(x * scale + shifted out) + high((row << rowLeft) * rowScale)
// all in 32 bits; behind the prefix the code has low(x * scale + shifted out). Numbers below low have the prefix 0, those above last ~0.
// It is narrow where the numbers in range are low and multiples of 2^right from there on, and what is left of them has 32 bits: the prefix
// tells them apart, and all that is shifted out is zero. Floats that are spread evenly, as few are by their bits, have
//   code = (value - origin) * factor + offset, from the bucket on, as value_map.h makes it of the value's pattern
// and right 1: rows that tie in their prefixes need not tie, but where a prefix is outside lossyLow..lossyHigh. flip and sign tell the number from
// the pattern. What a look says of such floats: no less than the least of doubles, by up to 2^32, no more than the greatest, and of all floats
// that more bits vary than do, but for the last ones.
struct Map {
	u64 low, last;
	u64 right, left, scale, rowLeft, rowScale;
	u64 floating;               // 1: by the value of floats
	u64 origin, factor, offset; // patterns of floats as the column has them
	u64 bucketBits;
	u64 flip, sign;
	u64 lossyLow, lossyHigh;
	u64 clamps;  // 0: all numbers that there can be are in range
	u64 narrow;  // 1: a prefix stands for one number, of those in range
	u64 heavies; // heavy values, ascending, at most HEAVY_VALUES
	u64 classes; // bit k: rows have class k; of the plan
	Heavy heavy[CLASSES]; // heavy values, then NaN (CLASS_OF_NAN) and null (CLASS_OF_NULL)
};

struct Range {
	u32 first, end;
};

// A Partial is what blocks of look have seen.
struct Partial {
	u64 nulls, nans;
	u64 notLeast, greatest, any, notAll; // of the numbers; the complements of the least, and of the AND
	u64 rises, ties, falls;              // 1: some row sorts behind, with, before its predecessor; sample says so of both ways (rises if rows but tie)
	u64 outside;                         // FORM_KEYS: 1: some value is in no range
	u64 less[HEAVY_VALUES];              // rows that are less than a heavy value
};

// What the host is told in one word of the report, which it asks for again and again: an event between two kernels would keep the second one
// from starting early. The rest of the report may come later.
enum Says : u64 {
	SAYS_YES = 1, // to partition and finish
	SAYS_NO = 2,
	SAYS_NARROW = 4,   // the map is narrow
	SAYS_IN_ORDER = 8, // the sample is in order
	SAYS_ASIDE = 16,   // most rows are of classes: only plan; or plan has said no, and set_aside is to be launched
	SAYS_STRAYS = 32,  // place_strays is wanted
};

struct Report {
	Verdict verdict;
	Statistics statistics;
	u64 sample, plan; // what they say, zero before
};

struct Buckets {
	Field field;      // of a column, as histogram takes it, of the whole range of its type
	Column column;    // the same values, to be measured
	u64 codeBits;     // 1 to 64, of a number
	u64 records[2];   // u64[n] each; records[1] only for two passes
	u64 rows;         // u32[n]: the result
	u64 counts;       // u32[2^bits], zero before
	u64 starts;       // u32[2^bits + 1], compact
	u64 cursors;      // u32[2^bits]
	u64 firstStarts;  // u32[2^firstBits + 1], for two passes
	u64 firstCursors; // u32[2^firstBits]
	u64 windows;      // of the finish: {bucket, compact place} u32 pairs, ceil(n / step) + 1
	u64 verdict;      // Verdict
	u64 rest;         // Range[2^bits + ceil(n / step)]
	u64 n, bits, firstBits, rowBits;
	u64 window, step; // the most rows that are finished at once; from a window of short codes to the next, while those of others are window rows apart
	u64 second;      // bits of the second pass; 0 for one pass
	u64 numberMap;   // Map
	u64 classCounts; // u32[CLASSES * tiles], tiles as the pass that reads the column has them, zero before: rows of each class in each tile, then in the tiles before
	u64 seen;        // Partial
	u64 report;      // Report, in memory that the host reads
	u64 needed;      // bits of numbers that are worth it; below, digits are quicker
	u64 tolerated;   // buckets above the window that are
	u64 orders;      // 1: a sample that is in order is taken for all rows
};
