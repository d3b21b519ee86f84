package cpu

import (
	"context"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// singleTileRows is the largest number of rows whose statistics and plan would cost more than they save.
const singleTileRows = 1 << 10

// A tileSorter is the temp storage of sortSingleTile: it does not grow with the rows, so that it is kept between calls.
type tileSorter struct {
	binSorter
	words   [singleTileRows]uint64
	a, b    [singleTileRows]uint32
	inOrder [singleTileRows]uint32
	counts  [1 << 10]uint32
	live    [1][]byte
}

var tileSorters = sync.Pool{New: func() any {
	t := &tileSorter{}
	t.binSorter.a, t.binSorter.b, t.binSorter.counts = t.a[:], t.b[:], t.counts[:]
	return t
}}

// fitsSingleTile reports whether sortSingleTile handles a job: row numbers of at most 1024 integers or floats without
// nulls.
func fitsSingleTile(job *engine.Job) bool {
	if job.Rows == 0 || job.Rows > singleTileRows || len(job.Keys) != 1 || job.RowNumbers != 4 && job.RowNumbers != 8 ||
		len(job.Columns) != 1 ||
		job.Plan ||
		job.Progress != nil {
		return false
	}
	c := &job.Columns[0]
	return len(job.Gather) == 0 && job.Keys[0].Column == 0 && keyencode.EncodeWords(nil, c, job.Keys[0], 0) &&
		c.Chunks[0].Rows == job.Rows
}

// sortSingleTile orders ordered words, without statistics, plan, partition or goroutine.
func sortSingleTile(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := tileSorters.Get().(*tileSorter)
	defer tileSorters.Put(t)
	words := t.words[:job.Rows]
	keyencode.EncodeWords(words, &job.Columns[0], job.Keys[0], 0)
	order := t.sortIndices(words)
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
