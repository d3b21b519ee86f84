// The interface of host and kernels: structures in device memory, and the arguments of every kernel. Those of
// partition and bucket sort are in abi_buckets.h.
//
// Every argument of a kernel is one 64-bit word, an address in device memory or an unsigned number. SmallSort,
// CooperativeSort, Select and Buckets are passed by value. Structures that the host writes hold 64-bit words only, so
// that Go and C++ lay them out alike. gpu/internal/abi/abi.go has their twins.
#pragma once
#include "tuning.h"
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

// How the value of a row becomes an ordered number.
enum Form : u64 {
	FORM_NONE = 0,       // no values: every row is null
	FORM_INTEGER = 1,    // width bytes; also codes that were encoded before
	FORM_FLOAT = 2,      // width bytes, IEEE
	FORM_RANK = 3,       // 4 bytes: the rank of a dictionary entry plus one; 0 is null
	FORM_BIT = 4,        // a bit at position valueBit + row of values
	FORM_BIG_ENDIAN = 5, // width bytes, 1 to 8, most significant first
	FORM_DECIMAL = 6,    // width bytes, 16 or 32: the limb that Field.limb selects
	FORM_CLASS = 7,      // bias for a value, null for a null; values are not read
	FORM_KEYS = 8,       // several keys as one number of width 8: the sum of the numbers of stride Fields at values
	FORM_FLOAT_VALUE = 9, // a key of FORM_KEYS: width bytes, IEEE, by its value, see Field
};

// The values of a column.
struct Values {
	u64 values;   // address of the value of row 0; FORM_BIT: of a bitmap
	u64 validity; // address of a bitmap, 1 is valid; 0: no row is null
	u64 bit;      // position of row 0 in validity
	u64 valueBit; // FORM_BIT: position of row 0 in values
	u64 form;     // Form
	u64 width;    // bytes of a number
	u64 stride;   // bytes from a row to the next
	u64 sign;     // FORM_FLOAT: the sign bit
	u64 infinity; // FORM_FLOAT: the pattern of +Inf
};

// A Field is a summand of a code word: a number computed from a row of one column, placed in the word.
//   number  = bias + ((value - base) >> shift) * mul    modulo 2^64; the difference modulo 2^(8 width), shift logical
//   summand = (number >> down & mask) << up
// NaN and null have the numbers nan and null. The word is the sum of its summands. 27 words.
//
// FORM_FLOAT_VALUE: in place of (value - base) >> shift a place, the integer next to value * factor + offset - 2^52, as
// far as it is in 0..last[1]; factor and offset are base[1] and base[2].
struct Field : Values {
	u64 base[4];  // as values are stored; FORM_DECIMAL: all limbs, least significant first, sign bit flipped
	u64 last[4]; // FORM_DECIMAL, descending: the greatest (value - base) >> shift. FORM_KEYS: the greatest value - base
	u64 shift;    // below 64
	u64 mul;      // odd
	u64 bias;     // added at the end
	u64 nan;      // the number of NaN
	u64 null;     // the number of null
	u64 limb;     // FORM_DECIMAL: the limb that is the number; mul is not used
	u64 descending; // FORM_DECIMAL: 1 if last - x is the number
	u64 down, up, mask;
};

// A Column is a key column whose statistics are computed.
struct Column : Values {
	u64 signBit;      // flipped to order numbers
	u64 descending;   // 1: the order of the values is reversed
	u64 nullsAtStart; // 1: null < NaN < value, else value < NaN < null
};

// A Text is a key column of strings.
struct Text {
	u64 starts; // address of u64[n + 1], where the bytes of each row begin; 0: each row has width bytes
	u64 width;
	u64 data;   // address of the bytes
	u64 validity, bit;
	u64 reference; // a row that is not null, if there is one
	u64 descending, nullsAtStart;
};

// Statistics of a column. The caller zeroes all members. Numbers are ordered words as in keyencode.Statistics.
struct Statistics {
	u64 nulls, nans;
	u64 notMin[4]; // complement of the least value, least significant limb first (values = 0: zero)
	u64 max[4];
	u64 any;    // OR of the values, first limb
	u64 notAll; // complement of their AND
	u64 rises, ties, falls; // 1: some row sorts after, with, before its predecessor
	u64 lock;               // used by the kernel
};

/*
The kernels. n is a number of rows, at most 2^32 - 1. "Grid" is the number of blocks. kernels.go has the threads of a
block and its bytes of dynamic shared memory. u32 rows[] are row numbers. Buffers are aligned to 16 bytes.

statistics(Column *c, u64 n, Statistics *out)           any grid
statistics_decimal(Column *c, u64 n, Statistics *out)   any grid; FORM_DECIMAL
    Adds to out.
encode(Field *fields, u64 count, u64 n, u32 *rows, u64 *codes)   any grid
    codes[i] = the word of row rows[i], or of row i if rows is 0.
histogram(Field *f, u64 n, u64 shifts, u64 bits, u64 count, u32 *counts, u32 *clear, u64 words)
    Any grid, best two blocks per multiprocessor.
    A digit is a field of 1 to RADIX_BITS bits of a code: code >> shift & (1 << bits) - 1. shifts and bits hold one byte
    for each of count digits, at most MAX_DIGITS, from the least significant digit on. Writes the start of each bin to
    counts[d * RADIX_BINS + bin]. Sets bit d of the u64 at counts + MAX_DIGITS * RADIX_BINS if all rows have the same
    digit d. The caller zeroes counts and the four words after it. Zeroes words words, a multiple of 4, at clear. f is a
    column: one whole word (down = up = 0) of FORM_INTEGER, FORM_FLOAT or FORM_RANK with stride = width = 4 or 8. Any
    other word is encoded first, and read as FORM_INTEGER of 8 bytes.

Dictionary encoding. A prefix is a code >> shift; slots are a hash table of prefixes, free where they are zero. f is a
column, as for histogram, that is read as codes of 64 bits.
sample_codes(Field *f, u64 n, u64 count, u64 *codes, PrefixCounts *counts)   any grid
    codes[i] = the code of a row of the i-th of count strips, count at most n. Zeroes counts.
count_prefixes(u64 *codes, u32 *order, u64 n, PrefixCounts *counts)   grid: a multiple of 64
    codes[order[i]] rises. Counts the prefixes code >> s for each s below 64.
encode_fixed_point(Field *f, u64 n, u32 *codes, FixedPointState *state, u64 *status)   any grid
    codes[i] = bias + (integer - base[2]) * mul for a column of floats of 4 or 8 bytes whose product with the power of
    ten base[1], a double, is near an integer: integer is that plus 2^51 (common/fixed_point.h). NaN and null have their
    numbers. status, in pinned memory, becomes STATUS_ACCEPTED and the bits of codes that vary, times STATUS_CONSTANT;
    or STATUS_DECLINED if a float is not the nearest one to its integer, or integer - base[2] is not in 0..last[1].
    State and status are zero before.

dictionary_insert(Field *f, u64 n, u64 shift, u64 *slots, u64 slotBits, u64 most, DictionaryState *state, u32 *slotOf)
                                                                                                           any grid
    Inserts the prefixes of all rows in 2^slotBits slots; slotOf[i] = the slot of row i. Declines if a prefix finds no
    slot, or is the one whose hash is zero, and soon after there seem to be more than most; then slotOf is undefined.
    The caller zeroes slots and state.
dictionary_list(u64 *slots, u64 slotBits, u64 *prefixes, u32 *places, u64 most, DictionaryState *state)   any grid
    Counts the prefixes in state, and lists the first of them, at most most, and their slots, in any order.
dictionary_ranks(u32 *order, u64 prefixes, u32 *places, u32 *ranks)   any grid
    ranks[places[order[i]]] = i.
dictionary_encode(Field *f, u64 n, u64 shift, u32 *slotOf, u32 *ranks, void *codes, u64 width)   any grid
    codes[i], of 4 or 8 bytes, = ranks[slotOf[i]] << shift | the low bits of the code of row i. shift is not zero, and
    codes are not the memory of f.

cluster(SmallSort s)             grid CLUSTER_BLOCKS; n up to CLUSTER_ROWS; compute capability 9.0
cooperative(CooperativeSort s)   grid = multiprocessors, at most COOPERATIVE_BLOCKS, cooperative launch;
                                 n up to COOPERATIVE_ITEMS * COOPERATIVE_THREADS * grid, and COOPERATIVE_ROWS
    Sort in a single launch: out[i] = row i of the stable order by a field, or in[that row] if in is not 0.
    cooperative declines if some bucket has too many rows that are not equal, and leaves out unchanged: status reports
    it, and digits are counted.
place_nulls(CooperativeSort s)   the grid of the cooperative launch, whose digits the rows in s.small.out are sorted by
    Writes nulls, and values with the code of null, to their places in s.small.out, each in row order.

Digit binning: one pass of Onesweep over rows first..first+strip-1, a strip of at most 2^29 rows (STRIP_ROWS). The
strips of a pass run one after the other. The name of a kernel states what it reads and writes:
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
    digit_binning_values        values of 4 bytes -> values
    digit_binning_values_wide   values of 8 bytes -> values
A packed record is a u64, code << rowBits | row. A short record is packed with rowBits = 32. A wide record is a u64,
code << rowBits | low bits of the row, and the high bits of the row, row >> rowBits, in a separate array of 1, 2 or 4
bytes each. Keys only, every pass reads values in any order at in, and writes values to out: integers without nulls, of
the type and the order of the column. Grid = tiles of the strip = ceil(strip / tile), of BINNING_TILE,
BINNING_WIDE_TILE or, for values of 4 bytes, BINNING_VALUE_TILE rows. Arguments of all:
    (Field *field, u64 *in, u32 *inRows, u64 *out, u32 *outRows, u64 rowBits, u64 parts,
     u64 first, u64 strip, u64 shift, u64 bits, u32 *base, u32 *next, u32 *status, u32 *ticket, u64 phase)
    field: a column, as for histogram. in, out: records or values. inRows, outRows: the high bits of rows, or the
    result.
    rowBits: bits below the code in records that are read, or that digit_binning_first and _first_short write; 0 for
    other columns.
    parts: four bytes, for wide records: bytes of the high bits that are read; bits by which codes are shifted up first;
    bits below a code in records that are written, whose codes have lost those that were there; bytes of the high bits
    that are written, 0 for packed records.
    shift, bits: the digit in the code (for packed records the kernel adds rowBits itself).
    base: RADIX_BINS places of the strip's first row of each bin. next: receives those of the next strip, or 0.
    status: RADIX_BINS words for each tile of the strip, aligned to 16 bytes, zero before the first pass.
    ticket: one word, zero. phase: the number of the pass over these status words, from 0 on. Status codes rotate with
    it, so that nothing is zeroed between passes.
*/

// A SmallSort is a sort in a single launch.
struct SmallSort {
	Field field; // a whole word of any form but FORM_DECIMAL and FORM_CLASS
	u64 classes; // 0: null and NaN have numbers of the field; 1: value < NaN < null; 2: null < NaN < value
	u64 n;
	u64 in; // u32[n], or 0
	u64 out;
};

// DigitCounts are what a sort by digits needs that follows a declined launch, as histogram makes it.
struct DigitCounts {
	Field field;  // a column of 8 bytes, as for histogram, or of 4 with at most HALF_DIGITS digits
	u64 codesNull; // 1: field.null is the last code, of nulls at the start the first; null may get another, see column
	u64 column;    // Field*, receives field, and the code of null, beyond which no value sorts
	u64 shifts, bits, count; // of digits
	u64 counts;      // u32*, zeroed first; 0: nothing is counted
	u64 countsWords; // to zero, a multiple of 4
	u64 status;      // u32*
	u64 statusWords; // to zero, a multiple of 4
	u64 report; // u64 in pinned memory, zero before: STATUS_COUNTED and the constant digits; STATUS_SHARES_NULL if a
	            // value has the code of null: place_nulls is to follow the sort by digits
};

// A CooperativeSort is a sort in a single cooperative launch, whose blocks share device memory.
struct CooperativeSort {
	SmallSort small;
	u64 state;   // CooperativeState
	u64 numbers; // u64[n]
	u64 tags;    // u32[n]
	u64 totals;  // u32[(1 + COOPERATIVE_FULL) * blocks]
	u64 status;  // u64 in pinned memory, zero before: STATUS_ACCEPTED; or STATUS_DECLINED if out is not written, with
	             // STATUS_COUNTED and the digits that seem to be constant if digits are counted
	DigitCounts digits; // where it declines
};

// The state that the blocks of a cooperative launch share. It is zero between sorts, but for the top bit of barrier.
struct CooperativeState {
	u32 barrier; // GridBarrier
	// 1, 2, 4: some row sorts after, with, before its predecessor, where that was checked; 8: has a class row; 16: a
	// value sorts beyond null.
	u32 steps;
	u32 counts[COOPERATIVE_BUCKETS]; // rows of each bucket
};

// A FixedPointState is what the blocks that encode fixed-point floats share.
struct FixedPointState {
	u32 any, notAll; // OR of the codes, and of their complements
	u32 misfit;      // 1: a float has no code
	u32 ticket;
};

// A DictionaryState is what the blocks that make a dictionary share.
struct DictionaryState {
	u32 prefixes;
	u32 declined; // 1: there are too many, or one that has no slot
	u32 counted;  // some of those that are inserted, to see soon that there are too many
	u32 unused;
};

// PrefixCounts are of the prefixes of a sample.
struct PrefixCounts {
	u64 prefixes[64][3]; // by the bits that codes are shifted: those that occur at all, once, and twice
	u64 varying;         // bits in which codes differ
};

/*
The first rows of an order (top k). A sample of the rows suggests a border: a number that most likely sorts after the
first k rows, by a small margin. One read of the column then collects the candidates, all rows less than the border, and
the first of the rows that tie with it. The host sorts the candidates; the rows that tie follow them. Numbers are codes,
NaN and null among them.

select_border(Select s)      grid = ceil(min(n, SELECT_SAMPLE) / SELECT_BORDER_THREADS)
select_rows(Select s)        grid = tiles = ceil(n / SELECT_TILE); a column of 4 bytes, codes of at most 32 bits
select_rows_wide(Select s)   grid = tiles = ceil(n / SELECT_WIDE_TILE); any other column
    Candidates are in row order. Counts include rows beyond the capacity: the host sorts all rows if
    candidates > capacity, or candidates + tied < k.
*/

struct Select {
	Field field;      // a column, as for histogram
	u64 bits;         // of codes
	u64 n, k;
	u64 hits;         // rows of the sample that the border is no less than; 1 to min(n, SELECT_SAMPLE)
	u64 separateTies; // 1: rows that tie with the border are listed separately; 0: they are candidates
	u64 capacity;     // the most candidates, less than 2^31
	u64 sample;       // u64[SELECT_SAMPLE]
	u64 status;       // u64[tiles], zero before
	u64 selection;    // Selection, zero before
	u64 codes, rows;  // of the candidates: u32[capacity], or u64[capacity] for select_rows_wide; u32[capacity]
	u64 tied;         // u32[k]: the first rows that tie with the border, at most k less the candidates
	u64 selected;     // Selected, in pinned memory
};

struct Selection {
	u64 border;
	u32 declined; // 1: the rows that tie with the border exceed the capacity
	u32 sampled;  // blocks that have read their rows of the sample
	u32 ticket;   // of the tiles
	u32 unused;
};

// A Selected is the result for the host. Counts of 2^31 and more may be reported as any number from 2^31 - 1 on.
struct Selected {
	u64 candidates; // ~0 if the device has declined
	u64 tied;
	u64 border;
};

/*
Row numbers and columns. out is the number of rows of the result, rows[] their row numbers.

check_permutation(u32 *rows, u64 out, u64 n, u32 *seen, u64 *wrong)   any grid
    wrong[0] = the row numbers that are n or more, or repeated; wrong[1] = the complement of the least place of one.
    seen: n bits, zero before; wrong: two words, zero before.
iota(u32 *rows, u64 n, u64 reversed)   any grid: 0, 1, ... or n-1, n-2, ...
gather_1, _2, _4, _8, _16, _32 (void *values, u32 *rows, u64 out, void *dst)   any grid; values of 1 to 32 bytes
gather_bytes(u8 *values, u64 width, u32 *rows, u64 out, u8 *dst)   any grid; any width, width * n below 2^64
gather_bits(u32 *bits, u64 bit, u32 *rows, u64 out, u32 *dst, u64 *set)   any grid
    Bit i of dst = bit number bit + rows[i] of bits. Writes ceil(out / 32) words; bits after bit out - 1 are zero. Adds
    the number of ones to *set.

Gather in windows, for columns larger than the L2 cache: row numbers are scattered to windows of the column, values are
gathered in that order, and collected in the order of the row numbers. rows[] are a permutation of 0..out-1, and
out - 1 >> shift is below GATHER_WINDOWS.
scatter_rows(u32 *rows, u64 out, u64 shift, u32 *scattered, u16 *places, u32 *offsets, u32 *cursors)
    grid = tiles = ceil(out / SCATTER_TILE)
    scattered[out]: the row numbers by windows of 2^shift rows. places[i]: the place of rows[i] within its tile.
    offsets[tiles * 2 * GATHER_WINDOWS]: for each window, the difference of a place in scattered and a place in the
    tile, and the window's first place in the tile. cursors[GATHER_WINDOWS]: zero before.
gather_window_4, _8(void *values, u32 *scattered, u64 out, void *between)   any grid, best ceil(out / GATHER_TILE)
    As gather_4 and gather_8.
collect_4, _8(void *gathered, u64 out, u16 *places, u32 *offsets, void *dst)   grid = tiles
    dst[i] = the value that gather_window_4 or _8 has gathered for rows[i].

Strings. width is that of offsets: 4 or 8. tiles = ceil(out / TEXT_TILE). No string has 4 GiB.
text_starts(void *offsets, u64 width, u64 n, u64 base, u64 *starts)   any grid
    starts[i] = base + offsets[i] - offsets[0] for i of 0..n. base is the bytes of the preceding chunks.
text_lengths(u64 *starts, u32 *validity, u64 bit, u32 *rows, u64 out, u32 *lengths, u64 *sums)   grid = tiles
    lengths[i]: bytes of row rows[i], 0 for null. sums: of each tile.
text_sums(u64 *sums, u64 tiles)   grid 1
    sums[i] becomes the sum of all tiles less than i, for i of 0..tiles.
text_offsets(u32 *lengths, u64 out, u64 *sums, u64 width, void *offsets)   grid = tiles; out + 1 offsets
text_copy(u64 *starts, u32 *rows, void *offsets, u64 width, u64 out, u8 *data, u64 *dst, u64 bytes)   any grid
    Writes the bytes of the result, zero padded to whole words. Reads up to 8 bytes after the end of data.

Keys of strings. A list has n rows, 0 for rows 0 to n - 1, in groups, ascending and adjacent, whose strings have equal
bytes so far; 0 for one group, that of all rows, in which only strings may be null. A code has the group, as many bytes
of the string as are asked for, up to TEXT_KEY_BYTES, and how many more there are. tiles = ceil(n / TEXT_TILE).
depths[group], one for no groups: known << TEXT_PIECE_BITS | other, where the first known bytes of the strings of the
group are the same, and of the TEXT_PIECE bytes that follow all but the last other ones.
text_common(Text *t, u32 *rows, u32 *groups, u64 n, u64 *depths)   any grid
    Computes other, which is zero before, of all groups.
text_codes(Text *t, u32 *rows, u32 *groups, u64 n, u64 *depths, u64 bytes, u64 *codes)   any grid
    The bytes of the codes follow those that the strings of the group have in common.
text_count_ties(u64 *codes, u64 n, u64 bytes, u64 descending, u64 *sums)   grid = tiles; codes ascend
    sums: of each tile, the rows that have the code of a neighbour and more bytes, and above 32 bits their groups.
text_list_ties(u64 *codes, u64 n, u64 bytes, u64 descending, u64 *sums, u32 *rows, u32 *places, u64 *depths,
        u32 *toRows, u32 *toPlaces, u32 *toGroups, u64 *toDepths)   grid = tiles
    Lists these rows by text_sums of sums: their row numbers, their places, those in codes if places is 0, and groups.
    toDepths: what these groups are known to have in common, with the bytes of the codes.
text_place(u32 *rows, u32 *places, u64 n, u32 *order)   any grid: order[places[i]] = rows[i]

copy_bits(u32 *src, u64 srcBit, u64 n, u32 *dst, u64 dstBit)   any grid
    ORs bits into dst, which is zero before, so that bitmaps of chunks are copied side by side in any order. src 0:
    ones.
look_up_ranks(u8 *indices, u64 width, u32 *validity, u64 bit, u32 *ranks, u64 n, u32 *dst)   any grid
    dst[i] = ranks[indices[i]], 0 for null; width is 1, 2, 4 or 8. Makes FORM_RANK of one chunk of a dictionary column.
*/

#include "abi_buckets.h"
