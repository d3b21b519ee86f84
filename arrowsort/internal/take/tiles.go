package take

import (
	"sync"
	"sync/atomic"
)

const (
	// rows of one unit of work, fewer are not worth a goroutine; a multiple of 64, so that no two tiles write to one
	// byte of a bitmap
	tileRows  = 1 << 15
	tileBytes = 1 << 20 // bytes of one unit of work where rows are wide or spans are copied
	// rows whose positions are worked out at once, a multiple of 64; their positions stay in the first-level cache
	blockRows = 1 << 10
)

// tiles calls work for all of [0,n) in tiles of tileRows rows, on several goroutines when there is enough to do.
func (g *gatherer) tiles(n int, work func(lo, hi int, block []uint64) error) error {
	return g.tilesOf(tileRows, n, work)
}

// tilesOf calls work for [0,n) in tiles of size rows, in no order. block holds the positions of blockRows rows. The
// first error ends it, as does the context; all goroutines are done when it returns.
func (g *gatherer) tilesOf(size, n int, work func(lo, hi int, block []uint64) error) error {
	count := (n + size - 1) / size
	workers := min(g.threads, count)
	for len(g.blocks) < workers {
		g.blocks = append(g.blocks, make([]uint64, blockRows))
	}
	var next, stopped atomic.Int64
	run := func(worker int) error {
		for stopped.Load() == 0 {
			t := int(next.Add(1)) - 1
			if t >= count {
				break
			}
			if err := g.ctx.Err(); err != nil {
				return err
			}
			if err := work(t*size, min(t*size+size, n), g.blocks[worker]); err != nil {
				return err
			}
		}
		return nil
	}
	if workers <= 1 {
		if count == 0 {
			return g.ctx.Err()
		}
		return contain(func() error { return run(0) })
	}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			if errs[w] = contain(func() error { return run(w) }); errs[w] != nil {
				stopped.Store(1)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// eachBlock calls do for the positions of rows [lo,hi) of sel, at most blockRows at a time.
func eachBlock(sel selection, lo, hi int, block []uint64, do func(lo int, at []uint64) error) error {
	for ; lo < hi; lo += blockRows {
		m := min(blockRows, hi-lo)
		if err := do(lo, sel.at(lo, lo+m, block[:m])); err != nil {
			return err
		}
	}
	return nil
}
