package take

import "github.com/arrowsort/arrowsort/internal/workers"

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

// tilesOf calls work for [0,n) in tiles of size rows, in no order, until the first error or the end of the context.
// block holds the positions of blockRows rows.
func (g *gatherer) tilesOf(size, n int, work func(lo, hi int, block []uint64) error) error {
	count := (n + size - 1) / size
	for len(g.blocks) < min(g.threads, count) {
		g.blocks = append(g.blocks, make([]uint64, blockRows))
	}
	return workers.Run(g.ctx, count, g.threads, func(worker, tile int) error {
		return work(tile*size, min(tile*size+size, n), g.blocks[worker])
	})
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
