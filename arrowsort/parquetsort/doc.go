// Package parquetsort sorts Parquet and Arrow files of any size within a memory budget.
//
// Sort reads one or many files and writes one or many: rows that tie keep their order, files in the order in which they
// are given. A table of at most 40 % of the budget is sorted in memory. What is larger is sorted run by run; the
// runs are spilled as Arrow streams to a folder and merged, by codes that compare as the keys do. Files that are in
// order already are merged as they are. A Sorter does the same for record batches from anywhere.
//
// Outputs are complete or absent, inputs are never written to. The spill folder is removed at the end; one that a
// killed process left behind is removed by the next sort that spills beside it.
package parquetsort
