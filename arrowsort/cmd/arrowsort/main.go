// Command arrowsort sorts Parquet, Arrow and CSV files.
//
//	arrowsort sort -k delay:desc -k date -o sorted.parquet flights.parquet
//
// Its commands are sort, merge (of sorted files), argsort (the row numbers in sorted order), check (is a file sorted),
// explain (what a sort comes down to), info and completion. Exit codes: 0 when all went well, 1 after an error, 2 for
// wrong usage, 130 after Ctrl-C (128 and the number of a signal); of check 0 for a sorted file, 1 for one that is not
// sorted, 2 after an error and for wrong usage.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/arrowsort/arrowsort/arrowsort/internal/interrupt"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

func main() {
	tuneMemory()
	// A closed pipe at standard output must not end the process before it has cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	width, _, _ := term.GetSize(int(os.Stdout.Fd())) // 0 after an error
	s := streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, outTerminal: isTerminal(os.Stdout),
		inTerminal: isTerminal(os.Stdin), outMissing: isMissing(os.Stdout), outWidth: width,
	}
	if isTerminal(os.Stderr) && takesEscapes(os.Stderr) {
		s.status = newStatusLine(os.Stderr)
		s.err = s.status
	}
	ctx := interrupt.Context(func() {
		atomicfile.RemoveLive()
		interrupt.Briefly(func() {
			if s.status != nil {
				s.status.close()
			}
			fmt.Fprintln(os.Stderr, interrupted)
		})
	})
	os.Exit(run(ctx, os.Args[1:], s))
}
