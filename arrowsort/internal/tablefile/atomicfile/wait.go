package atomicfile

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Open opens a file by a function that may wait, as opening a named pipe waits for its other end. It returns the cause
// of the context's cancellation when that comes first; a file that is opened later is closed.
func Open(ctx context.Context, open func() (*os.File, error)) (*os.File, error) {
	return await(ctx, open, func(late *os.File) { late.Close() })
}

// Await returns the result of a function that may wait, or the cause of the context's cancellation when that comes
// first. Then the function keeps its goroutine until it returns.
func Await[T any](ctx context.Context, wait func() (T, error)) (result T, err error) {
	return await(ctx, wait, func(T) {})
}

// await is Await, and passes a result that comes too late to drop.
func await[T any](ctx context.Context, wait func() (T, error), drop func(T)) (result T, err error) {
	type returned struct {
		result T
		err    error
	}
	done := make(chan returned) // without a buffer: a result is received or dropped
	go func() {
		result, err := wait()
		select {
		case done <- returned{result, err}:
		case <-ctx.Done():
			if err == nil {
				drop(result)
			}
		}
	}()
	select {
	case r := <-done:
		return r.result, r.err
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
}

// An interruptibleWriter writes until the context is cancelled, also while a write waits because nobody reads. The
// write that waits keeps its goroutine and the copy of its bytes until the other end reads or closes.
type interruptibleWriter struct {
	ctx   context.Context
	file  *os.File
	bytes []byte
}

// interruptible returns a writer to a file that the context ends.
func interruptible(ctx context.Context, file *os.File) io.Writer {
	if ctx.Done() == nil {
		return file
	}
	return &interruptibleWriter{ctx: ctx, file: file}
}

// Write is called no more after the context was cancelled: a write may still have the bytes.
func (w *interruptibleWriter) Write(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	w.bytes = append(w.bytes[:0], p...)
	return Await(w.ctx, func() (int, error) { return w.file.Write(w.bytes) })
}

// A descriptor is an open file of a process, which a path such as /dev/stdout, /dev/fd/3 or /proc/17/fd/3 stands for.
type descriptor struct {
	number int
	own    bool // of this process
}

var descriptorFolder = regexp.MustCompile(`^(?:/dev/fd|/proc/(\d+)(?:/task/\d+)?/fd)$`)

// descriptorOf follows links to the descriptor that a path stands for. Its file must not be renamed over: the process
// that opened it would keep writing to the old one.
func descriptorOf(path string) (d descriptor, ok bool) {
	for range mostLinks {
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return d, false
		}
		if folder, err = filepath.Abs(folder); err != nil {
			return d, false
		}
		match := descriptorFolder.FindStringSubmatch(filepath.ToSlash(folder))
		if n, err := strconv.Atoi(filepath.Base(path)); match != nil && err == nil {
			return descriptor{n, match[1] == "" || match[1] == strconv.Itoa(os.Getpid())}, true
		}
		if path, err = nextLink(path); err != nil {
			return d, false
		}
	}
	return d, false
}

// IsStdout reports whether a path stands for this process's standard output, as /dev/stdout does.
func IsStdout(path string) bool {
	d, ok := descriptorOf(path)
	return ok && d.own && d.number == 1
}
