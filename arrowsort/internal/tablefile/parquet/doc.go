// Package parquet reads and writes Parquet files: footer, schema, the declared order of the rows, and row groups, which
// are copied where their rows need no sorting.
//
// Package reader makes columns of pages, package writer pages of columns, package page has the bytes of a page. A file
// may come from anywhere: all that its footer declares is checked before anything relies on it. Nested columns, rare
// types and rare encodings are left to pqarrow.
package parquet
