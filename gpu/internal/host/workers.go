// Package host is what the engine on a GPU does on the host's processors: work on several threads, gathers, strings. It
// uses no device.
package host

import (
	"context"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// Workers are the threads that a call may use.
type Workers struct {
	ctx     context.Context
	threads int
	alone   chan struct{} // capacity: a place for each thread that works in the background
}

// NewWorkers returns the given number of threads, GOMAXPROCS for 0.
func NewWorkers(ctx context.Context, threads int) *Workers {
	threads = workers.Count(threads)
	return &Workers{ctx, threads, make(chan struct{}, threads)}
}

// Threads is how many there are.
func (w *Workers) Threads() int { return w.threads }

// Tiles calls work for tiles of size items of 0..n-1.
func (w *Workers) Tiles(n, size int, work func(lo, hi int)) error {
	return workers.Run(w.ctx, (n+size-1)/size, w.threads, func(_, tile int) error {
		work(tile*size, min((tile+1)*size, n))
		return nil
	})
}

// CopyTile is the bytes that one thread copies at a time: enough to be worth a thread, and few enough to keep all of
// them busy.
const CopyTile = 1 << 17

// Copy copies src to dst.
func (w *Workers) Copy(dst, src []byte) error {
	return w.Tiles(len(src), CopyTile, func(lo, hi int) { copy(dst[lo:hi], src[lo:hi]) })
}

// Stream copies src to dst past the caches, which is faster where dst is in none.
func (w *Workers) Stream(dst, src []byte) error {
	return w.Tiles(len(src), CopyTile, func(lo, hi int) { streamCopy(dst[lo:hi], src[lo:hi]) })
}

// BeginCopy begins to copy src to dst by one thread, as soon as one is free, and returns what waits for the end. The
// only thread copies at once, and so does any a little.
func (w *Workers) BeginCopy(dst, src []byte) (end func() error) {
	return w.begin(len(src), func(w *Workers) error { return w.Copy(dst, src) })
}

// BeginStream does the same for memory that no thread reads soon.
func (w *Workers) BeginStream(dst, src []byte) (end func() error) {
	return w.begin(len(src), func(w *Workers) error { return w.Stream(dst, src) })
}

// BeginWiden does the same with Widen.
func (w *Workers) BeginWiden(dst []uint64, src []uint32) (end func() error) {
	return w.begin(8*len(src), func(w *Workers) error { return w.Widen(dst, src) })
}

func (w *Workers) begin(bytes int, work func(*Workers) error) (end func() error) {
	alone := &Workers{ctx: w.ctx, threads: 1}
	if w.threads == 1 || bytes <= CopyTile {
		err := work(alone)
		return func() error { return err }
	}
	done := make(chan error, 1)
	go func() {
		w.alone <- struct{}{}
		err := work(alone)
		<-w.alone
		done <- err
	}()
	return func() error { return <-done }
}

// Widen copies 4-byte row numbers to 8-byte ones.
func (w *Workers) Widen(dst []uint64, src []uint32) error {
	return w.Tiles(len(src), CopyTile/8, func(lo, hi int) { buffers.Widen(dst[lo:hi], src[lo:hi]) })
}

// touchTile is what one thread touches at a time: a huge page.
const touchTile = 2 << 20

// Touch has the operating system back fresh memory, on all threads: who writes to it later does not wait for page after
// page to be cleared. Its content is undefined before and after.
func (w *Workers) Touch(fresh []byte) error {
	const page = 4 << 10
	return w.Tiles(len(fresh), touchTile, func(lo, hi int) {
		for at := lo; at < hi; at += page {
			fresh[at] = 0
		}
	})
}
