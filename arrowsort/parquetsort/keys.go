package parquetsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// keyColumns gives use the keys of some rows as raw columns. The columns borrow the rows' memory and that of mem, as
// long as both stay: package arrowsort finds and lays out the keys of a job, and use looks at the job in place of an
// engine.
func keyColumns(ctx context.Context, data arrowsort.Data, keys []arrowsort.Key, mem memory.Allocator,
	use func(job *engine.Job) error) error {
	if table, ok := data.(arrow.Table); ok {
		labelled := arraydata.WithNames(table, arraydata.Labelled(table.Schema()))
		defer labelled.Release()
		data = labelled
	}
	opts := arrowsort.Options{Engine: captureEngine{use}, Allocator: mem}
	indices, err := arrowsort.SortIndices32(ctx, data, keys, opts)
	if err != nil {
		return err
	}
	indices.Release()
	return nil
}

// captureEngine is an engine that returns no rows.
type captureEngine struct{ use func(job *engine.Job) error }

func (captureEngine) Name() string { return "capture" }

func (o captureEngine) Sort(_ context.Context, job *engine.Job, _ engine.Allocator) (*engine.Result, error) {
	return &engine.Result{}, o.use(job)
}

// keyStatistics are the statistics of all keys of all rows so far, and what a plan is made from beside them.
type keyStatistics struct {
	columns []keyencode.Column // without rows
	keys    []keyencode.Key
	stats   []keyencode.Statistics
}

// add measures the next rows.
func (s *keyStatistics) add(ctx context.Context, data arrowsort.Data, keys []arrowsort.Key,
	mem memory.Allocator) error {
	return keyColumns(ctx, data, keys, mem, func(job *engine.Job) error {
		var next keyStatistics
		next.measure(job)
		s.merge(&next)
		return nil
	})
}

// measure makes the statistics of the rows of a job.
func (s *keyStatistics) measure(job *engine.Job) {
	s.keys = append([]keyencode.Key(nil), job.Keys...)
	for _, c := range job.Columns {
		s.columns = append(s.columns, keyencode.Column{Kind: c.Kind, Width: c.Width})
	}
	for _, k := range job.Keys {
		s.stats = append(s.stats, keyencode.Measure(&job.Columns[k.Column], k, 0, job.Rows))
	}
}

// merge adds the statistics of the rows behind.
func (s *keyStatistics) merge(next *keyStatistics) {
	if s.keys == nil {
		s.keys, s.columns, s.stats = next.keys, next.columns, append([]keyencode.Statistics(nil), next.stats...)
		return
	}
	for i := range s.stats {
		s.stats[i].Merge(&next.stats[i])
	}
}

// plan is the plan of the codes of all rows.
func (s *keyStatistics) plan() (*keyencode.Plan, error) {
	return keyencode.NewPlan(s.columns, s.keys, s.stats)
}

// heldMemory keeps what is freed until release, so that raw columns outlive the job they were made for.
type heldMemory struct {
	memory.Allocator
	held [][]byte
}

func (h *heldMemory) Free(b []byte) { h.held = append(h.held, b) }

func (h *heldMemory) release() {
	for _, b := range h.held {
		h.Allocator.Free(b)
	}
	h.held = nil
}
