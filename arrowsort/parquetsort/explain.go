package parquetsort

import (
	"context"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/curveorder"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
)

// A Description says what Sort would do.
type Description struct {
	Inputs  []string // files that are read
	Columns int
	Rows    int64 // of the inputs; -1 where their metadata does not say
	BytesIn int64 // of the inputs
	Strategy
}

// Explain returns what Sort would do with some inputs and options, from the metadata of the files and, as long as they
// are in order and no curve is asked for, from their keys. It writes nothing.
func Explain(ctx context.Context, paths []string, opts Options) (*Description, error) {
	opts, d, rows, err := openFiles(ctx, paths, opts, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all := d.Rows
	selected, err := leaveOut(ctx, d, rows, &opts)
	if err != nil {
		return nil, err
	}
	var order *roworder.Sortedness
	if opts.Curve != 0 { // whatever order the rows are in, they get another one
		err = curveorder.Check(opts.Curve, rows.Schema, rows.Keys)
	} else if !extsort.HasRandom(rows.Keys) {
		order, err = roworder.Measure(ctx, d, rows, opts.sorting(), opts.progress(PhaseCheck))
	}
	if err != nil {
		return nil, err
	}
	defer order.Release()
	format, _ := tablefile.ParseFormat(string(opts.Output.Format)) // was checked
	if format == tablefile.Auto {
		format = tablefile.Parquet
	}
	strategy := chooseStrategy(d, rows, &opts, format, order)
	if s := selected; s != nil {
		strategy.RowGroups, strategy.RowGroupsRead = s.All, s.Read
		strategy.Pages, strategy.PagesRead = s.Pages, s.PagesRead
	}
	return &Description{Inputs: d.Files, Columns: d.Schema.NumFields(), Rows: all, BytesIn: d.Bytes,
		Strategy: strategy}, nil
}

// A PlanResult is the plan of the keys of an input.
type PlanResult struct {
	Plan        arrowsort.Plan
	Rows, Bytes int64 // of the input
	Columns     int
}

// Plan makes the plan of the keys of one input, which it reads into memory: of all rows, or of the first Limit.
func Plan(ctx context.Context, path string, options CheckOptions) (*PlanResult, error) {
	opts, read, file, err := oneFile(ctx, path, options.options(), "Plan")
	if err != nil {
		return nil, err
	}
	table, keys, err := dataset.ReadKeys(ctx, file, read, opts.loading(false), opts.keys())
	if err != nil {
		return nil, err
	}
	defer table.Release()
	opts.Run.Progress(PhaseMeasure, 0, 0)
	rows := table.Rows
	if n := opts.Rows.Limit; n > 0 {
		rows = arraydata.SliceTable(rows, 0, min(n, rows.NumRows()))
		defer rows.Release()
	}
	plan, err := arrowsort.Explain(ctx, rows, keys, opts.sorting())
	return &PlanResult{Plan: plan, Rows: table.Rows.NumRows(), Bytes: table.Bytes,
		Columns: table.Schema.NumFields()}, err
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
	// RowGroups is the number of row groups of the inputs, of which RowGroupsRead are read, where rows are left out for
	// a limit or tail, as they cannot be wanted; Pages is that of the pages of the first key in these, where they have
	// a page index. Else they are 0.
	RowGroups     int `json:"row_groups,omitempty"`
	RowGroupsRead int `json:"row_groups_read,omitempty"`
	Pages         int `json:"pages,omitempty"`
	PagesRead     int `json:"pages_read,omitempty"`
	// Curve is the curve that the rows follow; empty where they are in the order of the keys.
	Curve string `json:"curve,omitempty"`

	fanIn int // files that are merged at once
}

// chooseStrategy decides for Sort and Explain how rows of files are sorted to an output of a format: one file as a
// table where that fits, else files in order are merged, all others are sorted run by run. order is what was measured
// of the files; nil: it was not. Whether rows are copied is decided beside it: sortOrMerge (sort.go) tries copyDeclared
// before, and mergeFiles (merge.go) copies files that follow one another.
func chooseStrategy(d *dataset.Dataset, rows dataset.Projection, opts *Options, format tablefile.Format,
	order *roworder.Sortedness) Strategy {
	b, memory, columns := d.Budget, rows.Memory(d), rows.Schema.NumFields()
	table := d.Table
	if format == tablefile.Parquet { // text stays in dictionaries
		table = d.Compact
	}
	if keys := extsort.DerivedKeys(rows.Keys); keys > 0 { // each column takes its share
		factor := extsort.SortKeyBytes * int64(keys)
		memory, table = memory+factor*memory/int64(columns), table+factor*table/int64(columns)
	}
	if opts.Curve != 0 {
		places := 8 * max(d.Rows, 0)
		memory, table = memory+places, table+places
	}
	s := Strategy{Memory: b.All, Table: memory, Curve: opts.Curve.String(),
		InMemory: len(d.Files) == 1 && !opts.Output.Splits() && b.Holds(table),
		InOrder:  order != nil && order.Unsorted == nil,
		fanIn:    min(b.FanIn(columns), b.Files(columns, memory/int64(len(d.Files)), b.All-b.Total))}
	if s.InMemory {
		s.Table = table
	}
	switch {
	case s.InOrder:
		if order.Overlap() > s.fanIn {
			s.spill((order.Files()+s.fanIn-1)/s.fanIn, b.FanIn(columns))
		}
	case !s.InMemory && !b.Holds(memory) && !keepsFew(d, memory, opts.Rows):
		s.spill(int((memory+b.Run()-1)/b.Run()), b.FanIn(columns))
	}
	return s
}

// keepsFew reports whether a limit leaves few enough rows to keep them in memory, by the row counts of the files.
func keepsFew(d *dataset.Dataset, memory int64, rows Rows) bool {
	if rows.Limit == 0 || rows.Unique || d.Rows <= 0 {
		return false
	}
	return min(rows.Limit, d.Rows)*(memory/d.Rows+extsort.RowOverhead) <= d.Budget.Run()/2
}

// spill describes how runs are merged. One that is alone stays in memory.
func (s *Strategy) spill(runs, fanIn int) {
	if runs < 2 {
		return
	}
	s.Runs = runs
	for ; runs > 1; runs = (runs + fanIn - 1) / fanIn {
		s.Passes++
	}
	s.BytesSpilled = int64(s.Passes) * s.Table
}
