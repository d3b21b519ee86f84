// Package interrupt ends a command after a signal: in order where that takes less than a second, else at once.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// grace is the time that a command has after a signal to end by itself. Together with what ends it then, it is less
// than a second.
const grace = 600 * time.Millisecond

// A Signal is the cause of a context that a signal cancelled.
type Signal struct{ os.Signal }

// Error is what a command that was interrupted reports.
func (s Signal) Error() string { return "interrupted" }

// ExitCode is 128 and the number of the signal, as in shells.
func (s Signal) ExitCode() int {
	number, _ := s.Signal.(syscall.Signal)
	return 128 + int(number)
}

// Context returns a context that the first of SIGINT, SIGTERM and SIGHUP cancels, with a Signal as its cause. Signals
// that the process ignores from its start, as under nohup, stay ignored. A second signal, or a process that still runs
// after the grace, because it waits for a pipe for instance, calls end, which removes temporary files, and exits with
// the code of the first signal.
func Context(end func()) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		first := Signal{<-signals}
		cancel(first)
		select {
		case <-signals:
		case <-time.After(grace):
		}
		end()
		os.Exit(first.ExitCode())
	}()
	return ctx
}

// Briefly runs a function that may never return, such as a write to a pipe, and waits for it for 100 ms at most.
func Briefly(run func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	select {
	case <-done:
	case <-time.After(100 * time.Millisecond):
	}
}
