package cpu

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/workers"
)

// A pool runs the phases of one sort.
type pool struct {
	ctx     context.Context
	threads int
	total   int            // steps of all phases: statistics, count, partition and sort of each row
	advance func(rows int) // reports steps done
}

func newPool(ctx context.Context, job *engine.Job) pool {
	total := 4 * job.Rows
	return pool{
		ctx: ctx, threads: max(1, min(workers.Count(job.Threads), job.Rows/smallRows)), total: total,
		advance: workers.Progress(job.Progress, total),
	}
}

// run is workers.Run for tasks without errors.
func (p *pool) run(items int, f func(worker, item int)) error {
	return workers.Run(p.ctx, items, p.threads, func(worker, item int) error {
		f(worker, item)
		return nil
	})
}

// tiles runs f over rows 0..n-1 in tiles of the given number of rows.
func (p *pool) tiles(n, rows int, f func(worker, lo, hi int)) error {
	return p.run((n+rows-1)/rows, func(worker, item int) { f(worker, item*rows, min(n, (item+1)*rows)) })
}

// stopped reports to the long loops of an item whether the context is cancelled.
func (p *pool) stopped() bool { return p.ctx.Err() != nil }
