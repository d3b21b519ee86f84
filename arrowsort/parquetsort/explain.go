package parquetsort

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
)

// A Description says what Sort would do.
type Description struct {
	Inputs  []string // files that are read
	Columns int
	Rows    int64 // of the inputs; -1 where their metadata does not say
	BytesIn int64 // of the inputs
	Strategy
}

// A Strategy is how inputs are sorted within a budget, estimated from the metadata of the files.
type Strategy struct {
	Memory int64 `json:"memory_bytes"` // the budget
	Table  int64 `json:"table_bytes"`  // that all rows take in memory, about
	// InMemory is set when the input is one file whose rows fit in the budget as a table.
	InMemory bool `json:"in_memory"`
	// InOrder is set when each input is sorted already: they are merged, or copied where they follow one another. Runs
	// is 0 then, unless more of them overlap than can be read side by side.
	InOrder bool `json:"in_order"`
	// Runs is the number of sorted runs that are spilled, Passes how often spilled rows are written and read again, and
	// BytesSpilled what is written in all passes without compression, all about; 0 when nothing is spilled.
	Runs         int   `json:"runs"`
	Passes       int   `json:"passes"`
	BytesSpilled int64 `json:"bytes_spilled"`
}

// Explain returns what Sort would do with some inputs and options, from the metadata of the files and, as long as they
// are in order, from their keys. It writes nothing.
func Explain(ctx context.Context, paths []string, opts Options) (*Description, error) {
	in, err := begin(ctx, paths, opts, false)
	if err != nil {
		return nil, err
	}
	defer in.close()
	d := &Description{Inputs: in.paths, Columns: in.schema.NumFields(), Rows: in.rows, BytesIn: in.bytes,
		Strategy: Strategy{Memory: in.opts.Memory.Budget, Table: in.memory}}
	b := in.opts.budget()
	fits := b.Holds(in.memory)
	if d.InMemory = len(in.paths) == 1 && b.Holds(in.compact); d.InMemory { // as text stays in dictionaries
		d.Table, fits = in.compact, true
	}
	order, err := in.order(ctx)
	if err != nil {
		return nil, err
	}
	defer order.release()
	if d.InOrder = order.unsorted == nil; d.InOrder {
		fan := min(b.Files(d.Columns, in.memory/int64(len(in.paths)), in.opts.footers), b.FanIn(d.Columns))
		if order.overlap() > fan {
			d.spills(b, (len(order.files)+fan-1)/fan)
		}
		return d, nil
	}
	if !fits && !in.keepsFew() {
		d.spills(b, int((in.memory+b.Run()-1)/b.Run()))
	}
	return d, nil
}

// keepsFew reports whether a limit leaves few enough rows to keep them in memory, by the row counts of the files.
func (in *inputs) keepsFew() bool {
	if in.opts.Rows.Limit == 0 || in.opts.Rows.Unique || in.rows <= 0 {
		return false
	}
	return min(in.opts.Rows.Limit, in.rows)*(in.memory/in.rows+extsort.RowOverhead) <= in.opts.budget().Run()/2
}

// spills describes how runs are merged. One that is alone stays in memory.
func (d *Description) spills(b extsort.Budget, runs int) {
	if runs < 2 {
		return
	}
	d.Runs = runs
	fan := b.FanIn(d.Columns)
	for ; runs > 1; runs = (runs + fan - 1) / fan {
		d.Passes++
	}
	d.BytesSpilled = int64(d.Passes) * d.Table
}

// A PlanResult is the plan of the keys of an input.
type PlanResult struct {
	Plan        arrowsort.Plan
	Rows, Bytes int64 // of the input
	Columns     int
}

// Plan makes the plan of the keys of one input, which it reads into memory: of all rows, or of the first Rows.Limit.
func Plan(ctx context.Context, path string, opts Options) (*PlanResult, error) {
	in, err := oneInput(ctx, path, "", opts)
	if err != nil {
		return nil, err
	}
	defer in.close()
	l, err := in.load(ctx, false, 0)
	if err != nil {
		return nil, err
	}
	defer l.release()
	in.opts.Run.Progress(PhaseMeasure, 0, 0)
	rows := l.rows
	if n := in.opts.Rows.Limit; n > 0 {
		rows = arraydata.SliceTable(rows, 0, min(n, rows.NumRows()))
		defer rows.Release()
	}
	plan, err := arrowsort.Explain(ctx, rows, in.opts.Keys, in.opts.sorting())
	return &PlanResult{Plan: plan, Rows: l.rows.NumRows(), Bytes: l.Bytes, Columns: in.columns}, err
}
