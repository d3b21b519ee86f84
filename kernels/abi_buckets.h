// The interface of partition and bucket sort, a part of abi.h.
#pragma once

/*
Partition and bucket sort: for keys whose leading bits spread the rows well. A record is a 64-bit code whose low bits
are replaced by the row number; for columns of 4 bytes, and for narrow maps, a prefix of 32 bits and the row. All
records are different, so no step has to be stable. Rows are scattered to buckets by their leading bits, in one pass or
two, and ranges of buckets are sorted in shared memory. After the first of two passes records leave out the firstBits
bits that the bin implies, and hold as many other bits. The code is computed from the number of a row by a monotone map
that a sample suggests (Map). Rows that tie in the code are compared by their numbers, which are read by row, unless the
code is exact. n is at most 2^28, and the bits of a row number are at most bits + BUCKET_SORT_BIN_BITS.

A number is the ordered word of a value, of the whole range of its type (base is the sign bit, shift 0), or a code that
was encoded before. Null, NaN and heavy values, which the sample finds in many rows, are classes: their rows have no
records, and are written to their places in the output directly. "Compact" places are places among the records alone.

Several keys are read as one number (FORM_KEYS): Fields of FORM_INTEGER, FLOAT, RANK or BIT, not all of them bits, with
shift 0 and any mul; null and NaN are numbers. As many Fields follow, with mask 0. If the types have more values than
fit a number, mul of the first Field is 0, and sample computes the Fields for the ranges that it finds: before it, base
is that of the whole type, last its greatest number, descending is the order, and nan is 1 if NaN and null sort at the
start. Then the key scan checks that all values are in range.

If the ranges have more values as well, the number is that of the leading keys and of a part of the next one: its high
bits, or the place of a float. mul of the Fields of other keys stays 0. The number is monotone; what it lacks is the
rest, the word of the Fields that follow, but for those with mask 0. Rows with equal numbers are compared by their
rests.

If the sort is declined, or the rows are in order already, the host sorts in another way, by the statistics that the key
scan has computed in the same read. If the sample has declined and statistics would not shorten the sort, the decision
is early: the key scan does not read the keys, and the only statistics are any and notAll, of the sample. The host
zeroes the status words of the report, waits for that of the sample, and launches nothing after the key scan if that has
declined: counts are still zero. If the sample is in order, the key scan does nothing, and the host launches
check_order. Then the plan's status word reports whether rows has the result; if not, the host launches all again with
checksOrder = 0.

Where the sample finds the rows spread evenly, nothing is counted. Each bucket has a page, as many records as it will
have and six standard deviations more, and each bin of the first pass the pages of its buckets. The key scan writes
where they begin, and the plan comes last of the passes. A bucket of more rows is continued in an extension, and sorted
by bucket_sort_large. If a bucket has more rows than that, a bin more than its pages, or a row no place (NaN, keys out
of range), the sort is declined, and the host launches all again without pages.

sample(Buckets b)             grid 1. Makes the map and the decision as far as a sample allows. Where rows lie so
    unevenly that more buckets are needed, it decides nothing else, the key scan does nothing, and the host starts
    again with more bits of buckets, and crowded.
key_scan(Buckets b)           any grid, best one block per multiprocessor. Also plans up to SMALL_BUCKET_BITS bits of
    buckets. May be launched early, after the sample: until the sample ends it prefetches its first rows.
equalize(Buckets b)           grid 1. If the sample has found the order UNEVEN: makes an equalized map if that spreads
    the rows, and a decision in place of that of the sample, with a status word in the same place. The key scan has done
    nothing; then the host launches key_scan_equalized, or key_scan if the map is not equalized.
bucket_plan(Buckets b)        grid = ceil(2^bits / 4096) + CLASSES; for more bits, and for pages after the last pass
    After the plan the host has its status word, and after the kernel the decision and the statistics of all rows.
partition_first(Buckets b)    grid = ceil(n / PARTITION_TILE): firstBits, at most 8; partition_second follows
partition_first_floats        the same for floats of 4 bytes
partition_only(Buckets b)     grid = ceil(n / PARTITION_ONLY_TILE): all bits at once, at most 11
    Leave counts and classCounts zero for the next sort, also if the sort is declined.
key_scan_keys, partition_first_keys   key_scan and partition_first_wide for FORM_KEYS, for two passes only
partition_first_wide, partition_only_wide   for columns of 8 bytes; PARTITION_WIDE_TILE
key_scan_equalized, partition_first_equalized, partition_only_equalized   for columns of 8 bytes, equalized maps
partition_second(Buckets b)   grid = n / PARTITION_SECOND_TILE + 2^firstBits + 1; for pages all their records, not n
bucket_sort(Buckets b)        grid = ceil(n / BUCKET_RANGE_ROWS)
bucket_sort_wide(Buckets b)   the same for columns of 8 bytes; but bucket_sort if the map is narrow
bucket_sort_large(Buckets b)  grid = multiprocessors: the ranges that the bucket sort deferred, of at most
    BUCKET_SORT_LARGE_ROWS rows
check_order(Buckets b)        any grid. Writes the row numbers and checks the order of all rows.

Keys only (valuesOnly): a column of integers, whose rows with equal keys are alike. A record is a number without a row,
of 4 or 8 bytes, and rows receives values, zeros for nulls. There are no equalized maps. Grids are those of the kernels
without _values.
partition_first_values, partition_only_values, partition_second_values, bucket_sort_values, bucket_sort_large_values
    for columns of 4 bytes
compact_values   in place of split_heavy: writes the numbers of the other rows to records[0], in any order, u32[] or
    u64[]
merge_values     in place of merge_heavy: records[0] are the sorted numbers
the same with _wide   for columns of 8 bytes

If the sort is declined with split, most rows are of classes. They are written to their places, and only the other rows
are sorted by digits. The key scan has counted the classes, and none of the kernels above zeroes these counts. If the
sample decides to split, the host launches none of the kernels after the plan; it zeroes the counts of classes if the
plan then finds that the rows are in order.
split_heavy(Buckets b)        grid = tiles of the pass that reads the column. Writes the other rows in row order: their
    numbers to records[0], their row numbers, u32[], to records[1]. Zeroes classCounts. For columns of 4 bytes.
split_heavy_wide(Buckets b)   the same for columns of 8 bytes
merge_heavy(Buckets b)        any grid. Writes the sorted row numbers at records[0], u32[], to the places between the
    rows of classes.
*/

// Why partition and bucket sort is declined.
enum Reason : u32 {
	REASON_NONE = 0,
	REASON_EQUAL = 1,        // too many rows tie, or rows whose numbers a narrow map does not distinguish
	REASON_FEW_BITS = 2,     // few bits vary: sorting by digits is faster
	REASON_LARGE = 3,        // buckets are too large
	REASON_MISCOUNT = 4,     // the counts do not add up: a counter has overflowed
	REASON_ORDERED = 5,      // the rows are in order
	REASON_OUT_OF_RANGE = 6, // FORM_KEYS: the keys have no number or rest, or some row none; statistics are not valid
	REASON_NO_PAGE = 7,      // a row has no place in the pages
};

struct Decision {
	u32 accepted;   // 1: partition and bucket sort
	u32 reason;     // Reason
	u32 sampled;    // rows of the sample, in pairs; 0 if there are too few rows for a sample
	u32 neighbours; // pairs of neighbours that tie
	u32 ties;       // rows that tie with another row of the sample
	u32 oversized;  // buckets of more than BUCKET_RANGE_ROWS rows
	u32 largest;    // rows of the largest bucket
	u32 records;    // rows that are not of a class
	u32 below;      // 1: some number is less than the map's range: its prefix is 0
	u32 above;      // 1: some number is greater: its prefix is ~0
	u32 listed;     // entries of Buckets.list; check_order: not 0 if some rows are not in order
	u32 ticket;     // of the blocks of the plan, zero between sorts
	u32 early;      // 1: the sample has decided; every bit of a number may vary, and the rows are in no order
	u32 narrow;     // 1: the map of an 8-byte column is narrow: bucket_sort, not _wide
	u32 split;      // 1: most rows are of classes: split_heavy
	u32 order;      // SampleOrder: what comes before the key scan
	u32 extended;   // buckets with an extension
	u32 outside;    // with pages: rows that the key scan sees out of the range of the map
	u32 unused[2];  // counts that follow are read in vectors
};

// The order of the sample; UNEVEN: in none, and equalize tries to spread the rows; CROWDED: in none, and the host
// starts again with more buckets; FIXED_POINT: in none, and the host encodes the floats; EVEN: in none, with pages.
enum SampleOrder : u32 {
	ORDER_NONE = 0,
	ORDER_RISING = 1,
	ORDER_FALLING = 2,
	ORDER_UNEVEN = 3,
	ORDER_CROWDED = 4,
	ORDER_FIXED_POINT = 5,
	ORDER_EVEN = 6,
};

const int CLASS_OF_NAN = HEAVY_VALUES, CLASS_OF_NULL = HEAVY_VALUES + 1; // heavy values are the classes before

// A Heavy is a heavy value or another class, whose rows are written to their places directly.
struct Heavy {
	u64 number;
	u32 rows;
	u32 first;  // place of its first row in the output
	u32 before; // the records that sort before it
	u32 unused;
};

// A Map is monotone, from a number to a 64-bit code whose leading 32 bits are the prefix. In 32-bit arithmetic:
//   x      = ((number - low) >> right) << left
//   prefix = x + high(x * scale + bits shifted out) + high((row << rowLeft) * rowScale)
// The low half of the code is low(x * scale + bits shifted out). Numbers less than low have the prefix 0, those greater
// than last ~0. The map is narrow if the numbers in range are low plus multiples of 2^right, of at most 32 bits: then
// different numbers have different prefixes.
//
// Floats whose values are spread more evenly than their bits have
//   code = (value - origin) * factor + offset   from the bucket bits on, see common/value_map.h
// and right 1. Rows that tie in their prefixes may differ, unless the prefix is outside of lossyLow..lossyHigh. flip
// and sign convert numbers to patterns. The key scan's statistics of such doubles are bounds: the least is at most 2^32
// too low, the greatest at most 2^32 too high. Of all floats it may report more varying bits than there are, but for
// the lowest ones.
//
// An equalized map has the codes of another one, its base, spread again so that each has about as many rows: see
// sample/equalizer.h. The base is the map above, that of the values of doubles, or that of magnitudes: the distances
// from zero in a floating-point format, followed by bits of the row number. Its last prefix, also that of numbers
// greater than last, is 0xfffffffe.
enum EqualizerBase : u64 { NOT_EQUALIZED = 0, BASE_LINEAR = 1, BASE_VALUES = 2, BASE_MAGNITUDES = 3 };

// A Piece is what an equalizer makes of one of EQUALIZER_PIECES equal ranges of codes: width prefixes, from the first.
struct Piece {
	u32 first, width;
};

// Where the numbers of BASE_MAGNITUDES are. Those of the other side have the first or the last code.
enum Sides : u64 { BOTH_SIDES = 0, FROM_ZERO_ON = 1, LESS_THAN_ZERO = 2 };

struct Map {
	u64 low, last;
	u64 right, left, scale, rowLeft, rowScale;
	u64 floating;               // 1: by the values of floats
	u64 origin, factor, offset; // patterns of floats as the column has them
	u64 bucketBits;
	u64 flip, sign;
	u64 lossyLow, lossyHigh;
	u64 clamps;  // 0: no number can be out of range
	u64 narrow;  // 1: a prefix stands for one number in range
	u64 equalized; // EqualizerBase
	u64 rests;     // 1: rows with equal numbers may differ: they are compared by their rests, and none is heavy
	u64 zero, sides; // BASE_MAGNITUDES: the number from which on magnitudes rise; Sides
	u64 heavies; // heavy values, ascending, at most HEAVY_VALUES
	u64 classes; // bit k: class k has rows; set by the plan
	Heavy heavy[CLASSES]; // heavy values, then NaN (CLASS_OF_NAN) and null (CLASS_OF_NULL)
};

struct Range {
	u32 first, end;
};

// The statistics that the blocks of the key scan have combined so far.
struct PartialStatistics {
	u64 nulls, nans;
	u64 notLeast, greatest, any, notAll; // of the numbers; the complements of the least, and of the AND
	u64 rises, ties, falls; // 1: some row sorts after, with, before its predecessor. The sample sets rises and falls if
	                        // its rows do both (ties count as rises)
	u64 outside;            // FORM_KEYS: 1: some value is out of range
	u64 less[HEAVY_VALUES]; // rows that are less than a heavy value
};

// Bits of a status word of a report, which the host polls. An event between two kernels would keep the second one from
// starting early. The other members of the report may be written later.
enum SortStatus : u64 {
	STATUS_ACCEPTED = 1, // partition and bucket sort
	STATUS_DECLINED = 2,
	STATUS_NARROW = 4,   // the map is narrow
	STATUS_IN_ORDER = 8, // the sample is in order
	STATUS_SPLIT = 16,   // of the plan: most rows are of classes; launch split_heavy
	STATUS_UNEVEN = 32,  // launch equalize
	STATUS_EQUALIZED = 64, // the map is equalized: launch the kernels for it
	STATUS_PLAN_ONLY = 128, // of the sample and equalize: launch no kernel after the plan
	STATUS_CROWDED = 256, // start again with as many more bits of buckets as moreBits
	STATUS_COUNTED = 512, // of a cooperative launch: digits are counted
	STATUS_FIXED_POINT = 1024, // of the sample: the floats are fixed-point numbers, see Buckets.fixesPoint
	STATUS_SHARES_NULL = 2048, // of STATUS_COUNTED: a value has the code of null
	STATUS_EVEN = 4096,        // of the sample, with STATUS_ACCEPTED: buckets have pages
	STATUS_CONSTANT = 1 << 16, // of STATUS_COUNTED, times 2^d: all rows have the same digit d
};

struct Report {
	Decision decision;
	Statistics statistics;
	u64 sample, plan, encoded; // status words, zero before; encoded: of encode_fixed_point
};

struct Buckets {
	Field field;      // a column, as for histogram, of the whole range of its type
	Column column;    // the same values
	u64 codeBits;     // of a number, 1 to 64
	u64 records[2];   // u64[n] each; records[1] only for two passes. With pages 2^bits of them and the extensions
	u64 rows;         // u32[n]: the result; valuesOnly: of the type of the column
	u64 counts;       // u32[2^bits], zero before. With pages the number of the bucket's extension, from 1 on
	u64 starts;       // u32[2^bits + 1], compact places
	u64 cursors;      // u32[2^bits]
	u64 firstStarts;  // u32[2^firstBits + 1], for two passes
	u64 firstCursors; // u32[2^firstBits]
	u64 ranges;       // of the bucket sort: {bucket, compact place} u32 pairs, ceil(n / BUCKET_RANGE_ROWS) + 1
	u64 decision;     // Decision
	u64 list;         // Range[2^bits + ceil(n / BUCKET_RANGE_ROWS)]
	u64 n, bits, firstBits, rowBits;
	u64 second;       // bits of the second pass; 0 for one pass
	u64 numberMap;    // Map
	u64 classCounts; // u32[CLASSES * tiles], tiles of the pass that reads the column, zero before: rows of each class
	                 // in each tile, after the plan in all preceding tiles
	u64 partial;      // PartialStatistics
	u64 pieces;       // Piece[EQUALIZER_PIECES], of an equalized map
	u64 report;       // Report, in pinned memory
	u64 minimumBits;  // the least bits of numbers for which this is not slower than sorting by digits
	u64 maxOversized; // the most oversized buckets
	u64 checksOrder;  // 1: if the sample is in order, check_order is launched
	u64 readsMore;    // 1: sample and equalize may read a larger sample, which is slow for few rows
	u64 moreBits;     // of buckets, with which the host may start again; 0: none
	u64 crowded;      // 1: the host has
	u64 valuesOnly;   // 1: keys only
	u64 fixesPoint;   // 1: if the sampled floats are fixed-point numbers that may be sorted faster, the status of the
	                  // sample is STATUS_FIXED_POINT and the digits after the point, times STATUS_CONSTANT, and the
	                  // statistics of the report have the least and the greatest of their integers, plus 2^51
	u64 page;         // records of a page, a multiple of 32; 0: no pages, and for sample and key_scan
	u64 evenPage;     // the same if the sample decides for pages, 0 if it may not
	u64 extensions;   // how many there are, of EXTENSION_RECORDS records each
	u64 filled;       // u32[extensions]: the complement of the records in the page of the bucket
};
