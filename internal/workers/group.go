package workers

import (
	"sync"
	"sync/atomic"
)

// A group is the goroutines of one call. Its first failure stops the others.
type group struct {
	sync.WaitGroup
	stop     func()
	err      atomic.Pointer[error]
	panicked atomic.Pointer[any]
}

// run runs f and keeps its failure for wait.
func (g *group) run(f func() error) {
	defer func() {
		if p := recover(); p != nil {
			g.panicked.CompareAndSwap(nil, &p)
			g.stop()
		}
	}()
	if err := f(); err != nil {
		g.err.CompareAndSwap(nil, &err)
		g.stop()
	}
}

// wait returns the first error when all goroutines have ended.
func (g *group) wait() error {
	g.Wait()
	if p := g.panicked.Load(); p != nil {
		panic(*p)
	}
	if err := g.err.Load(); err != nil {
		return *err
	}
	return nil
}
