package extsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// keyColumns passes the key columns of rows to use, in the layout that keyencode reads. They borrow the memory of the
// rows and that of mem. Package arrowsort finds and lays out the keys of a job; use gets the job in place of an engine.
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

// KeyStatistics are the statistics of the keys of all rows so far, and the layout of their columns: a plan is made from
// both.
type KeyStatistics struct {
	columns []keyencode.Column // without rows
	keys    []keyencode.Key
	stats   []keyencode.Statistics
}

// Add measures the next rows.
func (s *KeyStatistics) Add(ctx context.Context, data arrowsort.Data, keys []arrowsort.Key,
	mem memory.Allocator) error {
	return keyColumns(ctx, data, keys, mem, func(job *engine.Job) error {
		var next KeyStatistics
		next.measure(job)
		s.merge(&next)
		return nil
	})
}

// measure makes the statistics of the rows of a job.
func (s *KeyStatistics) measure(job *engine.Job) {
	s.keys = append([]keyencode.Key(nil), job.Keys...)
	for _, c := range job.Columns {
		s.columns = append(s.columns, keyencode.Column{Kind: c.Kind, Width: c.Width})
	}
	for _, k := range job.Keys {
		s.stats = append(s.stats, keyencode.Measure(&job.Columns[k.Column], k, 0, job.Rows))
	}
}

// merge adds the statistics of further rows.
func (s *KeyStatistics) merge(next *KeyStatistics) {
	if s.keys == nil {
		s.keys, s.columns, s.stats = next.keys, next.columns, append([]keyencode.Statistics(nil), next.stats...)
		return
	}
	for i := range s.stats {
		s.stats[i].Merge(&next.stats[i])
	}
}

// Plan returns the plan of the codes of all rows.
func (s *KeyStatistics) Plan() (*keyencode.Plan, error) {
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

// KeyedRows are rows in memory with their key columns.
type KeyedRows struct {
	table arrow.Table
	first int // rows before it were given out
	rows  int
	bytes int64
	keys  []keyencode.Column
	stats KeyStatistics
	mem   heldMemory      // of the keys
	plan  *keyencode.Plan // on the keys; that of Bind
}

// NewKeyedRows takes the table over.
func NewKeyedRows(ctx context.Context, table arrow.Table, keys []arrowsort.Key,
	mem memory.Allocator) (*KeyedRows, error) {
	b := &KeyedRows{table: table, rows: int(table.NumRows()), bytes: arraydata.TableBytes(table),
		mem: heldMemory{Allocator: mem}}
	err := keyColumns(ctx, table, keys, &b.mem, func(job *engine.Job) error {
		b.keys = job.Columns
		b.stats.measure(job)
		return nil
	})
	if err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

// Bind makes Code use a plan, which may be of more rows.
func (b *KeyedRows) Bind(plan *keyencode.Plan) { b.plan = plan.On(b.keys) }

// Code returns a row as code words, which compare as the rows do. Words that cannot decide any more are left out.
func (b *KeyedRows) Code(row int) []uint64 {
	var words []uint64
	rows := [1]uint32{uint32(row)}
	for number := 0; number < b.plan.Words(); {
		var word [1]uint64
		b.plan.EncodeRows(word[:], number, rows[:])
		words = append(words, word[0])
		number = b.plan.Next(number, word[0])
	}
	return words
}

// Release releases the rows and the memory of their keys.
func (b *KeyedRows) Release() {
	b.mem.release()
	b.table.Release()
}

// CopyRow is KeyedRows of a copy of one row of a table.
func CopyRow(ctx context.Context, table arrow.Table, row int64, keys []arrowsort.Key,
	opts arrowsort.Options) (*KeyedRows, error) {
	one := arraydata.SliceTable(table, row, row+1)
	defer one.Release()
	copied, err := CopyTable(ctx, one, opts)
	if err != nil {
		return nil, err
	}
	return NewKeyedRows(ctx, copied, keys, opts.Allocator)
}
