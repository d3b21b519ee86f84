package workers

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Count returns n, or GOMAXPROCS for 0.
func Count(n int) int {
	if n <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

var errPanicked = errors.New("a task panicked")

// A group is the goroutines of one call. The first failure of one cancels the others.
type group struct {
	sync.WaitGroup
	cancel context.CancelCauseFunc
	panic  atomic.Pointer[any] // the first one
}

// run runs f and keeps its panic for wait.
func (g *group) run(f func() error) {
	defer func() {
		if p := recover(); p != nil {
			g.panic.CompareAndSwap(nil, &p)
			g.cancel(errPanicked)
		}
	}()
	if err := f(); err != nil {
		g.cancel(err)
	}
}

// wait returns when all goroutines have ended.
func (g *group) wait() {
	g.Wait()
	if p := g.panic.Load(); p != nil {
		panic(*p)
	}
}
