// Command arrowsort sorts Parquet, Arrow and CSV files.
//
//	arrowsort sort -k delay:desc -k date -o sorted.parquet flights.parquet
//
// Its commands are sort, merge (of sorted files), argsort (the row numbers in sorted order), check (is a file sorted),
// explain (how files would be sorted), layout (which row groups hold which values), info and completion. Exit codes: 0
// when all went well, 1 after an error, 2 for wrong usage, a column that is not there and what is not supported, 130
// after Ctrl-C (128 plus a signal's number); of check 0 for a sorted file, 1 for one that is not sorted, 2 after an
// error and for wrong usage.
package main

import (
	"os"

	"github.com/arrowsort/arrowsort/arrowsort/internal/command"
)

func main() { os.Exit(command.Main(os.Args[1:], nil)) }
