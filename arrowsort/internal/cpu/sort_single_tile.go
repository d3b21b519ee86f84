package cpu

import (
	"context"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// tinyRows is the largest number of rows whose statistics and plan would cost more than they save.
const tinyRows = 1 << 10

// A tinySorter has the temp storage of a tiny sort: it does not grow with the rows, so that it is kept between calls.
type tinySorter struct {
	finisher
	words   [tinyRows]uint64
	a, b    [tinyRows]uint32
	inOrder [tinyRows]uint32
	counts  [1 << 10]uint32
	live    [1][]byte
}

var tinySorters = sync.Pool{New: func() any {
	t := &tinySorter{}
	t.finisher.a, t.finisher.b, t.finisher.counts = t.a[:], t.b[:], t.counts[:]
	return t
}}

// isTiny tells the jobs that sortTiny does: the row numbers of a few integers or floats, none of them null.
func isTiny(job *engine.Job) bool {
	if job.Rows == 0 || job.Rows > tinyRows || len(job.Keys) != 1 || job.RowNumbers != 4 && job.RowNumbers != 8 || len(job.Columns) != 1 || job.Plan || job.Progress != nil {
		return false
	}
	c := &job.Columns[0]
	return len(job.Gather) == 0 && job.Keys[0].Column == 0 && keyencode.EncodeWords(nil, c, job.Keys[0], 0) && c.Chunks[0].Rows == job.Rows
}

// sortTiny orders ordered words, without statistics, plan, partition or goroutine.
func sortTiny(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := tinySorters.Get().(*tinySorter)
	defer tinySorters.Put(t)
	words := t.words[:job.Rows]
	keyencode.EncodeWords(words, &job.Columns[0], job.Keys[0], 0)
	order := t.order(words)
	if order == nil {
		order = t.inOrder[:job.Rows]
		series(order, 0)
	}
	n := job.Out()
	b := buffers{call: ctx, mem: mem, live: t.live[:0]}
	out, err := b.bytes(n * job.RowNumbers)
	if err != nil {
		return nil, err
	}
	t.live[0] = nil
	if job.RowNumbers == 4 {
		copy(view[uint32](out), order)
	} else {
		widen(view[uint64](out), order)
	}
	return &engine.Result{Rows: n, RowNumbers: out}, nil
}
