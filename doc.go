// Package root holds no code: it says where to look in this module.
//
//   - [github.com/arrowsort/arrowsort/arrowsort] sorts records, tables and arrays of Apache Arrow, and has ranks,
//     groups, merges and searches in the same order. Start here.
//   - [github.com/arrowsort/arrowsort/arrowsort/parquetsort] sorts Parquet, Arrow and CSV files of any size.
//   - [github.com/arrowsort/arrowsort/arrowsort/extsort] sorts streams of record batches within a memory budget.
//   - [github.com/arrowsort/arrowsort/arrowsort/cmd/arrowsort] is the command line.
//   - [github.com/arrowsort/arrowsort/arrowsort/rows] makes bytes that compare as keys do.
//   - [github.com/arrowsort/arrowsort/arrowsort/computefn] has the sort functions of Arrow C++ for the registry of
//     Arrow's compute functions.
//   - [github.com/arrowsort/arrowsort/gpu] is an engine for NVIDIA GPUs, under the build tag cuda.
//   - [github.com/arrowsort/arrowsort/keyencode] turns keys into codes that compare as the keys do, for other engines.
//
// Separate modules have the same functions for data of Arrow Go v18, github.com/arrowsort/arrowsort/arrowsort/arrow18,
// and sort on Apache Beam, github.com/arrowsort/arrowsort/arrowsort/beamsort.
//
// README.md has a program of 25 lines, docs/cookbook.md twenty recipes, docs/ordering.md the order of every type.
package root
