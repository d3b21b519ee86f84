// Package keyencode turns the sort keys of rows into unsigned numbers that compare as the rows do. It owns every rule
// of the order; engines on a CPU or a GPU only sort numbers. It reads raw buffers and imports neither Arrow nor an
// engine.
//
// Measure reads a key column once and sums it up, NewPlan makes a Plan from that, and Plan.Encode writes codes. For the
// keys "delay" (descending, 0 to 1439 minutes, with nulls at the end) and "date" (minutes of one year in microseconds):
//
//	bit   30         20 19                  0
//	      ┌────────────┬────────────────────┐
//	      │   delay    │        date        │    one 31-bit code
//	      └────────────┴────────────────────┘
//	      1439 - delay   (date - first) / 60,000,000
//	      null: 1440
//
// The order of a key, for both directions and both null placements:
//   - Integers, decimals, times and booleans by value, false before true. Strings by unsigned bytes, then by length.
//     Dictionary entries by their rank in Chunk.Ranks.
//   - -0.0 ties with +0.0. Infinities are values. All NaNs tie, all nulls tie.
//   - With nulls at the end: values, NaNs, nulls; with nulls at the start: nulls, NaNs, values. Descending reverses the
//     values only.
//   - What lies in the buffers under a null has no influence.
//
// How a value becomes a field of the code:
//
//	kind                  ordered number                                       field
//	integers              sign bit flipped                                     (u - min) / stride
//	floats                magnitude, negated if negative; sign bit flipped     (u - min) >> dead low bits
//	decimals              two or four limbs, sign bit flipped                  as floats, in up to four limbs
//	strings               8 bytes, without leading ones that all share         as floats; then, if needed, a length
//	strings, longer       7 bytes a word, and the number of bytes that remain  separate words
//
// NaN and null take one code each, and only if they occur: after or before the values. A value that uses up all 64 bits
// gets a preceding bit for null. Constant keys take no bits. Bits that never vary are dropped; a stride other than a
// power of two is divided out by one multiplication.
//
// Buffers are little-endian, as in Arrow, and so must be the machine.
package keyencode
