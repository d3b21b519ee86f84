// Package arrowsort sorts Apache Arrow data: records, tables, arrays and chunked arrays, by any number of keys.
//
//	keys := []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}, {Path: "date"}}
//	sorted, err := arrowsort.Sort(ctx, record, keys, arrowsort.Options{})
//
// The caller releases the result.
//
// # The order
//
// It is the order of Arrow C++. Each key has its direction and null placement. A column holds values, NaNs and nulls:
// NullsAtEnd puts values before NaNs before nulls, NullsAtStart nulls before NaNs before values. Descending reverses
// the values only. Values compare by <, so -0.0 equals +0.0; strings and binary compare as unsigned bytes; booleans
// false before true; dictionaries by their values; run-end-encoded columns by their rows; a struct by its fields, one
// after the other, where a null struct has null fields; lists and maps by their elements, and a list before those that
// it begins; unions by the code of the type, then by value. Time zones do not matter. Rows that tie in all keys keep
// their order, also across chunks.
//
// Intervals of days or of months, days and nanoseconds have no order: as a key, or within one, they are an error,
// ErrKeyType. Columns of every type may be payload.
//
// # Around a sort
//
// Rank and RankAverage rank the rows in this order, Groups finds the groups of rows that tie in sorted data. The first
// k rows are Sort or SortIndices with Options.Limit, which are stable; SelectKPerGroup returns those of each group, and
// PartitionNth row numbers that are sorted up to the nth only. Merge and MergeReaders merge sorted data, and
// SearchSorted finds the places of values in it.
//
// # Ownership
//
// Inputs are borrowed and never changed; they may be released when the call is over. Results belong to the caller, who
// releases them. All memory that grows with the rows comes from Options.Allocator; a call that fails or is cancelled
// frees what it allocated. All functions are safe for concurrent calls.
package arrowsort
