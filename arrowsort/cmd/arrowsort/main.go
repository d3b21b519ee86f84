// Command arrowsort sorts Parquet, Arrow and CSV files.
//
//	arrowsort sort -k delay:desc -k date -o sorted.parquet flights.parquet
//
// Its commands are sort, merge (of sorted files), argsort (the row numbers in sorted order), check (is a file sorted),
// explain (what a sort comes down to), info and completion. Exit codes: 0 when all went well, 1 after an error, 2 for
// wrong usage, 130 after Ctrl-C; of check 0 for a sorted file, 1 for one that is not sorted, 2 after an error and for
// wrong usage.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

func main() {
	tuneMemory()
	// A closed pipe at standard output must not end the process before it has cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		s := <-signals
		signal.Stop(signals) // a second signal ends the process at once
		cancel(signalError{s})
	}()
	width, _, _ := term.GetSize(int(os.Stdout.Fd())) // 0 after an error
	os.Exit(run(ctx, os.Args[1:], streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, outTerminal: isTerminal(os.Stdout),
		errTerminal: isTerminal(os.Stderr), inTerminal: isTerminal(os.Stdin),
		outMissing: isMissing(os.Stdout), outWidth: width,
	}))
}

// A signalError is why a command ended early: a signal.
type signalError struct{ os.Signal }

func (e signalError) Error() string { return "interrupted" }

// exitCode is 128 and the number of the signal, as in shells.
func (e signalError) exitCode() int {
	if s, ok := e.Signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return exitInterrupted
}
